//! Matrices: a kernel that is none, a report made before, and this machine.

use std::fs;
use std::process::{Command, Stdio};

use serde_json::Value;

use super::schema::Schema;
use super::{allows_nothing_else, report};

fn matrix() -> Value {
    let folder = tempfile::tempdir().unwrap();
    let [before, file] = ["before.json", "matrix.json"].map(|name| folder.path().join(name));
    let made = report(&["bench", "--bytes", "64K"]);
    fs::write(&before, made.to_string()).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_ptyscope"))
        .args(["boot", "/nodir/kernel", "--host", "--with"])
        .arg(&before)
        .arg("--matrix")
        .arg(&file)
        .args(["--", "bench", "--bytes", "64K"])
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    let text = fs::read(&file).unwrap_or_else(|error| panic!("{error}: {said}"));
    serde_json::from_slice(&text).unwrap()
}

#[test]
fn a_real_matrix_follows_it_and_it_allows_nothing_else() {
    let schema = Schema::load("matrix.schema.json");
    let matrix = matrix();
    assert_eq!(matrix["rows"].as_array().unwrap().len(), 3);
    allows_nothing_else(
        &schema,
        &matrix,
        &[
            ("", "command"),
            ("/rows/0", "kernel"),
            ("/rows/0/came", "trouble"),
            ("/rows/0/came/trouble", "console"),
            ("/rows/1/came/report", "host"),
            ("/rows/2/came/report/result/bench", "settings"),
        ],
    );
}
