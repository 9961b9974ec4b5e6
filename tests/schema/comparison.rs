//! Comparisons.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::schema::Schema;
use super::{allows_nothing_else, report};

/// A report of the command in a file.
fn file(folder: &Path, name: &str, arguments: &[&str]) -> String {
    let path = folder.join(name).display().to_string();
    fs::write(&path, report(arguments).to_string()).unwrap();
    path
}

#[test]
fn real_comparisons_follow_it() {
    let schema = Schema::load("comparison.schema.json");
    let folder = tempfile::tempdir().unwrap();
    let commands = [
        &["bench", "--bytes", "2MB", "--also", "pipe,socketpair"][..],
        &["sweep", "255..257", "--runs", "12", "--visit", "1ms"],
        &["capacity", "1,257"],
        &["xmodem", "--size", "3000"],
        &["check"],
    ];
    for arguments in commands {
        let a = file(folder.path(), "a", arguments);
        let b = file(folder.path(), "b", &[arguments, &["--label", "b"]].concat());
        let comparison = report(&["compare", &a, &b, &a]);
        let has = |list: &str| !comparison[list].as_array().unwrap().is_empty();
        let is_measured = !matches!(arguments[0], "capacity" | "check");
        assert_eq!(has("entries"), is_measured, "{arguments:?}");
        if let Err(error) = schema.check(&comparison) {
            panic!("{arguments:?}: {error}");
        }
    }
}

/// A comparison in which something differs, as to conditions and as to facts.
#[test]
fn it_allows_nothing_else() {
    let schema = Schema::load("comparison.schema.json");
    let folder = tempfile::tempdir().unwrap();
    let a = file(folder.path(), "a", &["check", "--only", "open.*"]);
    let mut other: Value = serde_json::from_slice(&fs::read(&a).unwrap()).unwrap();
    other["host"]["kernel"]["release"] = "another".into();
    let first = &mut other["result"]["check"]["checks"][0];
    first["class"] = "fail".into();
    first["expected"] = "one".into();
    first["got"] = "another".into();
    let b = folder.path().join("b").display().to_string();
    fs::write(&b, other.to_string()).unwrap();
    let comparison = report(&["compare", &a, &b]);
    assert_eq!(comparison["changes"][0]["is_fault"], true, "{comparison}");
    allows_nothing_else(
        &schema,
        &comparison,
        &[
            ("", "min_effect"),
            ("/base", "label"),
            ("/others/0/differences/0", "what"),
            ("/changes/0", "is_fault"),
        ],
    );

    let a = file(folder.path(), "a", &["xmodem", "--size", "3000"]);
    let comparison = report(&["compare", &a, &a]);
    let fields = [("/entries/0", "metric"), ("/entries/0/ratio", "n")];
    allows_nothing_else(&schema, &comparison, &fields);
    let mut wrong = comparison.clone();
    wrong["entries"][0]["verdict"] = "odd".into();
    assert!(schema.check(&wrong).is_err());
}
