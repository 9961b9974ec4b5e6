//! The JSON lines of a link.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Command, Stdio};

use nix::sys::signal::{Signal, kill};
use nix::sys::termios::{FlushArg, tcflush};
use nix::unistd::Pid;
use ptyscope::sample::{Cause, EventKind, FlowEnd, NameLoss};
use serde_json::Value;

use super::schema::Schema;

/// Every line of a link whose clients open it, send, flush and close.
#[test]
fn lines_of_a_link_follow_theirs() {
    let schema = Schema::load("link.schema.json");
    let folder = tempfile::tempdir().unwrap();
    let names = ["a", "b"].map(|name| folder.path().join(name));
    let mut child = Command::new(env!("CARGO_BIN_EXE_ptyscope"))
        .args(["link", "--json", "--interval", "50ms"])
        .args(&names)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = || serde_json::from_str::<Value>(&lines.next()?.ok()?).ok();
    let ready = next().unwrap();
    assert_eq!(ready["kind"], "ready");
    schema.check(&ready).unwrap();

    let open = |name| File::options().read(true).write(true).open(name).unwrap();
    let [mut a, mut b] = names.each_ref().map(open);
    a.write_all(b"there").unwrap();
    b.read_exact(&mut [0; 5]).unwrap();
    b.write_all(b"back").unwrap();
    a.read_exact(&mut [0; 4]).unwrap();
    tcflush(&b, FlushArg::TCIOFLUSH).unwrap();
    drop([a, b]);
    std::fs::remove_file(&names[0]).unwrap();
    let closed = |line: &Value| {
        let ends = line["links"][0]["ends"].as_array().unwrap();
        ends.iter().any(|end| end["events"]["CLOSE"].is_u64())
    };
    let mut noticed = false;
    let mut has_closed = false;
    while !(noticed && has_closed) {
        let line = next().unwrap();
        schema
            .check(&line)
            .unwrap_or_else(|error| panic!("{line}: {error}"));
        match line["kind"].as_str() {
            Some("notice") => noticed = line["text"].as_str().unwrap().contains("was removed"),
            _ => has_closed |= closed(&line),
        }
    }
    kill(Pid::from_raw(child.id() as i32), Signal::SIGTERM).unwrap();
    let rest: Vec<Value> = std::iter::from_fn(next).collect();
    for line in &rest {
        schema
            .check(line)
            .unwrap_or_else(|error| panic!("{line}: {error}"));
    }
    let summary = rest.last().unwrap();
    assert_eq!(summary["kind"], "summary");
    let events = &summary["links"][0]["ends"][1]["events"];
    assert_eq!(events["FLUSHREAD"], 1, "{summary}");
    let end = &summary["links"][0]["ends"][0];
    assert_eq!(end["name_lost"], "removed", "{summary}");
    assert_eq!(end["events"]["NAMELOST"], 1, "{summary}");
    assert!(child.wait().unwrap().success());

    let mut wrong = summary.clone();
    wrong["links"][0]["ways"][0]["passed"] = Value::from("many");
    assert!(schema.check(&wrong).is_err());
    wrong = summary.clone();
    wrong["surprise"] = Value::from(1);
    assert!(schema.check(&wrong).is_err());
    every_cause_and_event_is_known(&schema, summary);
}

fn every_cause_and_event_is_known(schema: &Schema, summary: &Value) {
    for cause in Cause::all(FlowEnd::B) {
        let mut line = summary.clone();
        line["links"][0]["silence"] = serde_json::json!({"for_ns": 1, "cause": cause});
        schema
            .check(&line)
            .unwrap_or_else(|error| panic!("{cause:?}: {error}"));
    }
    for lost in [
        NameLoss::Removed,
        NameLoss::Replaced,
        NameLoss::Taken("/dev/pts/7".to_owned()),
    ] {
        let mut line = summary.clone();
        line["links"][0]["ends"][0]["name_lost"] = serde_json::to_value(&lost).unwrap();
        schema
            .check(&line)
            .unwrap_or_else(|error| panic!("{lost:?}: {error}"));
    }
    for kind in EventKind::ALL {
        let mut line = summary.clone();
        line["links"][0]["ends"][0]["events"] = serde_json::json!({});
        line["links"][0]["ends"][0]["events"]
            [serde_json::to_value(kind).unwrap().as_str().unwrap()] = 1.into();
        schema
            .check(&line)
            .unwrap_or_else(|error| panic!("{kind:?}: {error}"));
    }
}
