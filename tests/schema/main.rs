//! The schemas in assets against what the program really writes.

mod comparison;
mod link;
mod matrix;
#[path = "../support/schema.rs"]
mod schema;

use std::process::{Command, Stdio};

use schema::Schema;
use serde_json::{Map, Value};

fn report(arguments: &[&str]) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ptyscope"));
    command.args(arguments).arg("--json").stdin(Stdio::null());
    let output = command.output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    // A check may fail here; its report is one nevertheless.
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {errors}"))
}

/// That `value` follows the schema, and does not without one of `fields` (each with
/// the pointer to its object) nor with another one beside it.
#[track_caller]
fn allows_nothing_else(schema: &Schema, value: &Value, fields: &[(&str, &str)]) {
    schema.check(value).unwrap();
    for (path, field) in fields {
        let changed = |change: &dyn Fn(&mut Map<String, Value>)| {
            let mut changed = value.clone();
            change(changed.pointer_mut(path).unwrap().as_object_mut().unwrap());
            schema.check(&changed)
        };
        let without = changed(&|object| drop(object.remove(*field).unwrap()));
        assert!(without.is_err(), "without {path}/{field}");
        let with = changed(&|object| drop(object.insert("surprise".to_owned(), 1.into())));
        assert!(with.is_err(), "more than {path}");
    }
}

#[test]
fn real_reports_follow_it() {
    let schema = Schema::load("report.schema.json");
    for arguments in [
        &[
            "bench",
            "--bytes",
            "200KB",
            "--label",
            "x",
            "--also",
            "pipe,socketpair",
        ][..],
        &[
            "bench",
            "-d",
            "900ms",
            "--payload",
            "constant",
            "--peers",
            "processes",
        ],
        &["bench", "--bytes", "20KB", "--direction", "echo"],
        &["bench", "-d", "400ms", "--preset", "stuck", "--no-prefill"],
        &[
            "bench",
            "--bytes",
            "50KB",
            "--direction",
            "both",
            "--pairs",
            "2",
        ],
        &["bench", "--bytes", "50KB", "--preset", "terminal"],
        &[
            "sweep",
            "255..258,1024,1025",
            "--runs",
            "20",
            "--visit",
            "1ms",
        ],
        &[
            "sweep",
            "100,1000",
            "--runs",
            "6",
            "--visit",
            "1ms",
            "--direction",
            "both",
        ],
        &["capacity", "1,257,2049"],
        &["xmodem", "--size", "3000"],
        &[
            "xmodem",
            "--size",
            "300",
            "--block",
            "1k",
            "--checksum",
            "--latency",
            "1ms",
        ],
        &[
            "xmodem",
            "--size",
            "300",
            "--drop",
            "1",
            "--timeout",
            "10ms",
            "--retries",
            "1",
        ],
        &["check"],
        &["inspect"],
    ] {
        let value = report(arguments);
        if let Err(error) = schema.check(&value) {
            panic!("{arguments:?}: {error}");
        }
    }
}

#[test]
fn it_allows_nothing_else() {
    let schema = Schema::load("report.schema.json");
    let value = report(&["bench", "--bytes", "64K"]);
    allows_nothing_else(
        &schema,
        &value,
        &[
            ("", "schema_version"),
            ("", "command"),
            ("/host/kernel", "release"),
            ("/result/bench", "settings"),
            ("/result/bench/pty/visits/0", "bytes"),
        ],
    );
    let mut wrong = value.clone();
    wrong["result"]["bench"]["pty"]["bytes"] = Value::from("many");
    assert!(schema.check(&wrong).is_err());
}
