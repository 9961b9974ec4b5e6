//! Running it, and what it said.

use std::ffi::OsStr;
use std::fs::File;
use std::os::fd::OwnedFd;
use std::process::{Child, Command, Output, Stdio};

use ptyscope::pty::{Mode, Pair};
use serde_json::Value;

use super::schema::Schema;
use super::wait::wait_for;

/// A program that is killed when the test ends.
pub struct Program(pub Child);

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Program {
    pub fn pid(&self) -> u64 {
        u64::from(self.0.id())
    }
}

/// A pty whose slave may be given away.
pub struct Pty {
    pub master: OwnedFd,
    pub slave: Option<OwnedFd>,
    pub index: String,
}

impl Pty {
    pub fn new(mode: Mode) -> Self {
        let pair = Pair::open(mode).unwrap();
        let index = pair.index().to_string();
        let (master, slave) = pair.into_fds();
        Self {
            master,
            slave: Some(slave),
            index,
        }
    }

    pub fn slave(&self) -> &OwnedFd {
        self.slave.as_ref().unwrap()
    }

    pub fn path(&self) -> String {
        format!("/dev/pts/{}", self.index)
    }
}

/// `yes`, which writes into `into` for ever.
pub fn writer(into: &OwnedFd) -> Program {
    let mut command = Command::new("yes");
    command.stdin(Stdio::null()).stderr(Stdio::null());
    Program(command.stdout(into.try_clone().unwrap()).spawn().unwrap())
}

/// `sleep`, with `fd` as its standard input.
pub fn sleeper(fd: &OwnedFd) -> Command {
    let mut command = Command::new("sleep");
    command.arg("1000").stdin(fd.try_clone().unwrap());
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command
}

pub fn command<S: AsRef<OsStr>>(arguments: &[S]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ptyscope"));
    command.arg("inspect").args(arguments).stdin(Stdio::null());
    command
}

pub fn run(arguments: &[&str]) -> Output {
    command(arguments).output().unwrap()
}

/// The report that `command` writes as JSON, held to the schema.
pub fn report_of(mut command: Command) -> Value {
    let output = command.output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{errors}");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let schema = Schema::load("report.schema.json");
    schema
        .check(&report)
        .unwrap_or_else(|error| panic!("{report:#}: {error}"));
    report["result"]["inspect"].clone()
}

/// What it says of one pty.
pub fn look(index: &str) -> Value {
    let inspection = report_of(command(&[index, "--json"]));
    assert_eq!(inspection["is_survey"], false);
    inspection["ptys"][0].clone()
}

/// The finding of that kind, if there is one.
pub fn finding<'a>(pty: &'a Value, kind: &str) -> Option<&'a Value> {
    let findings = pty["findings"].as_array().unwrap();
    findings.iter().find(|finding| finding["kind"] == kind)
}

/// Looks until there is a finding of that kind which `accept` takes.
pub fn wait_for_finding(
    index: &str,
    kind: &str,
    accept: impl Fn(&Value) -> bool,
) -> (Value, String) {
    let mut last = Value::Null;
    wait_for(
        kind,
        || {
            last = look(index);
            let found = finding(&last, kind)?.clone();
            accept(&last).then_some((last.clone(), found.to_string()))
        },
        || index.to_owned(),
    )
}

/// The holder `pid` of an end: `slave_holders` or `master_holders`.
pub fn holder<'a>(pty: &'a Value, end: &str, pid: u64) -> &'a Value {
    let holders = pty[end].as_array().unwrap();
    let found = holders.iter().find(|holder| holder["pid"] == pid);
    found.unwrap_or_else(|| panic!("{pid} is none of {end}: {pty:#}"))
}

/// Whether `pid` sleeps in a call that did not move from look to look.
pub fn is_stuck(pty: &Value, end: &str, pid: u64) -> bool {
    let holders = pty[end].as_array().unwrap();
    let holder = holders.iter().find(|holder| holder["pid"] == pid);
    holder.is_some_and(|holder| holder["calls"][0]["is_stuck"] == true)
}

/// The own copy of a slave.
pub fn open(path: &str) -> File {
    File::options().read(true).write(true).open(path).unwrap()
}
