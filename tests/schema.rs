//! assets/report.schema.json against what the program really writes.

use std::process::{Command, Stdio};

use boon::{Compiler, SchemaIndex, Schemas};
use serde_json::Value;

struct Schema {
    schemas: Schemas,
    index: SchemaIndex,
}

impl Schema {
    fn load() -> Self {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/report.schema.json");
        let schema: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
        let mut compiler = Compiler::new();
        compiler.add_resource("report.schema.json", schema).unwrap();
        let mut schemas = Schemas::new();
        let index = compiler
            .compile("report.schema.json", &mut schemas)
            .unwrap();
        Self { schemas, index }
    }

    fn check(&self, value: &Value) -> Result<(), String> {
        let checked = self.schemas.validate(value, self.index);
        checked.map_err(|error| error.to_string())
    }
}

fn report(arguments: &[&str]) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ptyscope"));
    command.args(arguments).arg("--json").stdin(Stdio::null());
    let output = command.output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    // A check may fail here; its report is one nevertheless.
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {errors}"))
}

#[test]
fn real_reports_follow_it() {
    let schema = Schema::load();
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
        &["check"],
    ] {
        let value = report(arguments);
        if let Err(error) = schema.check(&value) {
            panic!("{arguments:?}: {error}");
        }
    }
}

#[test]
fn it_allows_nothing_else() {
    let schema = Schema::load();
    let value = report(&["bench", "--bytes", "64K"]);
    let visits = "/result/bench/pty/visits/0";
    for (path, field) in [
        ("", "schema_version"),
        ("", "command"),
        ("/host/kernel", "release"),
        ("/result/bench", "settings"),
        (visits, "bytes"),
    ] {
        let mut without = value.clone();
        let holder = without.pointer_mut(path).unwrap().as_object_mut().unwrap();
        holder.remove(field).unwrap();
        assert!(schema.check(&without).is_err(), "without {path}/{field}");
        let mut with = value.clone();
        let holder = with.pointer_mut(path).unwrap().as_object_mut().unwrap();
        holder.insert("surprise".to_owned(), Value::from(1));
        assert!(schema.check(&with).is_err(), "more than {path}");
    }
    let mut wrong = value.clone();
    wrong["result"]["bench"]["pty"]["bytes"] = Value::from("many");
    assert!(schema.check(&wrong).is_err());
}
