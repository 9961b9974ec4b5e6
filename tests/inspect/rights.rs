//! As a user who may not see everything.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use ptyscope::pty::{KernelVersion, Mode};
use serde_json::Value;

use super::looked::{Pty, finding, report_of};
use super::skip::skip;

/// A copy of the program that everybody may run, or None where that is no
/// matter, as this user sees no more than others.
fn for_everybody() -> Option<(tempfile::TempDir, std::path::PathBuf)> {
    if !nix::unistd::geteuid().is_root() {
        skip("only root can become another user", "run it as root");
        return None;
    }
    let directory = tempfile::tempdir().unwrap();
    let program = directory.path().join("ptyscope");
    fs::copy(env!("CARGO_BIN_EXE_ptyscope"), &program).unwrap();
    fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o755)).unwrap();
    Some((directory, program))
}

fn pty_of(inspection: &Value) -> &Value {
    &inspection["ptys"][0]
}

#[test]
fn another_user_is_told_what_cannot_be_seen() {
    let Some((directory, program)) = for_everybody() else {
        return;
    };
    let pty = Pty::new(Mode::COOKED);
    let as_nobody = |arguments: &[&str]| {
        let mut command = Command::new(&program);
        command.arg("inspect").args(arguments).stdin(Stdio::null());
        command.uid(65534).gid(65534).current_dir(directory.path());
        command
    };
    let seen = report_of(as_nobody(&[&pty.index, "--json"]));
    assert!(
        seen["unseen"]["processes"].as_u64().unwrap() >= 1,
        "{seen:#}"
    );
    let found = pty_of(&seen);
    assert!(
        finding(found, "master-holder-unseen").is_some(),
        "{found:#}"
    );
    assert!(finding(found, "slave-holder-unseen").is_some(), "{found:#}");
    assert!(finding(found, "nothing").is_none(), "{found:#}");
    assert!(found["slave"]["not-asked"].is_string());
    let text = as_nobody(&[&pty.index]).output().unwrap();
    let text = String::from_utf8(text.stdout).unwrap();
    let words = "could not be looked at: run as root";
    assert!(text.replace("\n  ", " ").contains(words), "{text}");
    let own = std::process::id().to_string();
    let refused = as_nobody(&["--pid", &own]).output().unwrap();
    assert_eq!(refused.status.code(), Some(1));
    let told = String::from_utf8_lossy(&refused.stderr);
    assert!(told.contains("run as root"), "{told}");
}

#[test]
fn hidepid_is_told() {
    let Some((_directory, program)) = for_everybody() else {
        return;
    };
    // Before, the option is one of the whole PID namespace (fa10fed30f25, 5.8).
    if KernelVersion::running().is_none_or(|kernel| kernel < KernelVersion::new(5, 8, 0)) {
        return skip("hidepid would reach other programs", "Linux 5.8 or later");
    }
    let pty = Pty::new(Mode::COOKED);
    let script = "mount -t proc -o hidepid=2 proc /proc && \
                  exec setpriv --reuid 65534 --regid 65534 --clear-groups \"$0\" inspect \"$1\" --json";
    let mut command = Command::new("unshare");
    command.args(["--mount", "sh", "-c", script]);
    command.arg(&program).arg(&pty.index).stdin(Stdio::null());
    match command.output() {
        Ok(output) if output.status.success() => {}
        Ok(output) => {
            let errors = String::from_utf8_lossy(&output.stderr).into_owned();
            return skip(&errors, "the right to mount, and setpriv");
        }
        Err(error) => return skip(&error.to_string(), "unshare of util-linux"),
    }
    let seen = report_of(command);
    let hidden = seen["unseen"]["hidepid"].as_str().unwrap();
    assert!(["2", "invisible"].contains(&hidden), "{hidden}");
    let found = pty_of(&seen);
    assert!(
        finding(found, "master-holder-unseen").is_some(),
        "{found:#}"
    );
    assert!(finding(found, "slave-never-opened").is_none(), "{found:#}");
}
