//! Runs in poor surroundings: without /proc, without devpts, as an ordinary
//! user, with few descriptors, with signals ignored, under a seccomp filter.

use std::os::unix::process::CommandExt;

use ptyscope::check::checkup::Checkup;

use super::run::{checkup, ptyscope};
use super::*;

/// Runs the first tier after `prepare` in the new process, expecting no
/// failure, whatever cannot be checked.
fn survives(what: &str, prepare: fn() -> std::io::Result<()>) -> Option<Checkup> {
    let mut command = ptyscope();
    command.args(["--format", "json"]);
    // SAFETY: each function passed in makes a few system calls and allocates nothing.
    unsafe { command.pre_exec(prepare) };
    let run = match command.output() {
        Ok(run) => run,
        Err(error) => {
            skip(
                &format!("{what}: {error}"),
                "root, where namespaces and mounts are allowed",
            );
            return None;
        }
    };
    let report = checkup(&run.stdout).unwrap_or_else(|error| {
        panic!("{what}: {error}: {}", String::from_utf8_lossy(&run.stderr))
    });
    let failed: Vec<_> = report
        .findings()
        .filter(|finding| matches!(finding.outcome.class, Class::Fail | Class::Hang))
        .collect();
    assert!(failed.is_empty(), "{what}: {failed:#?}");
    Some(report)
}

fn private_mounts() -> std::io::Result<()> {
    use nix::mount::{MsFlags, mount};
    nix::sched::unshare(nix::sched::CloneFlags::CLONE_NEWNS)?;
    mount(
        None::<&str>,
        "/",
        None::<&str>,
        MsFlags::MS_REC | MsFlags::MS_PRIVATE,
        None::<&str>,
    )?;
    Ok(())
}

fn cover(path: &str) -> std::io::Result<()> {
    use nix::mount::{MsFlags, mount};
    private_mounts()?;
    mount(
        Some("none"),
        path,
        Some("tmpfs"),
        MsFlags::empty(),
        None::<&str>,
    )?;
    Ok(())
}

#[test]
fn without_proc_what_needs_it_is_skipped() {
    if let Some(report) = survives("no /proc", || cover("/proc")) {
        assert!(report.counts.pass > 40, "{:?}", report.counts);
    }
}

#[test]
fn without_devpts_all_is_the_environments() {
    if let Some(report) = survives("no devpts", || cover("/dev/pts")) {
        assert!(report.counts.env > 40, "{:?}", report.counts);
    }
}

#[test]
fn an_ordinary_user_runs_what_needs_no_root() {
    let as_nobody = || {
        let nobody = nix::unistd::Uid::from_raw(65534);
        nix::unistd::setresuid(nobody, nobody, nobody)?;
        Ok(())
    };
    if let Some(report) = survives("as nobody", as_nobody) {
        assert!(report.counts.pass > 40, "{:?}", report.counts);
        let sti = report
            .checks
            .iter()
            .find(|check| check.finding.id == "vhangup")
            .unwrap();
        assert!(
            sti.finding
                .outcome
                .got
                .as_deref()
                .unwrap_or_default()
                .contains("root's half")
        );
    }
}

#[test]
fn few_descriptors_are_enough() {
    use nix::sys::resource::{Resource, setrlimit};
    let few = || Ok(setrlimit(Resource::RLIMIT_NOFILE, 24, 24)?);
    if let Some(report) = survives("24 descriptors", few) {
        assert!(report.counts.pass > 50, "{:?}", report.counts);
    }
}

#[test]
fn ignored_and_blocked_signals_of_the_caller_do_not_matter() {
    use nix::sys::signal::{SigHandler, SigSet, SigmaskHow, Signal, signal, sigprocmask};
    let numb = || {
        for ignored in [
            Signal::SIGHUP,
            Signal::SIGINT,
            Signal::SIGTTIN,
            Signal::SIGTTOU,
            Signal::SIGWINCH,
        ] {
            // SAFETY: ignoring a signal runs no code.
            unsafe { signal(ignored, SigHandler::SigIgn) }?;
        }
        Ok(sigprocmask(
            SigmaskHow::SIG_BLOCK,
            Some(&SigSet::all()),
            None,
        )?)
    };
    if let Some(report) = survives("signals ignored", numb) {
        assert!(report.counts.pass > 50, "{:?}", report.counts);
    }
}

/// A filter that refuses one ioctl with EPERM, as container runtimes do.
#[test]
fn what_a_seccomp_filter_refuses_is_the_environments() {
    let filter = || {
        use nix::libc::*;
        let load = |offset| sock_filter {
            code: (BPF_LD | BPF_W | BPF_ABS) as u16,
            jt: 0,
            jf: 0,
            k: offset,
        };
        let equal = |k, jf| sock_filter {
            code: (BPF_JMP | BPF_JEQ | BPF_K) as u16,
            jt: 0,
            jf,
            k,
        };
        let answer = |k| sock_filter {
            code: (BPF_RET | BPF_K) as u16,
            jt: 0,
            jf: 0,
            k,
        };
        let mut program = [
            load(0),
            equal(SYS_ioctl as u32, 3),
            // The low half of the second argument.
            load(if cfg!(target_endian = "little") {
                24
            } else {
                28
            }),
            equal(TIOCSTI as u32, 1),
            answer(SECCOMP_RET_ERRNO | EPERM as u32),
            answer(SECCOMP_RET_ALLOW),
        ];
        let program = sock_fprog {
            len: program.len() as u16,
            filter: program.as_mut_ptr(),
        };
        // SAFETY: prctl reads the program, which is alive.
        let done = unsafe {
            prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
            prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &raw const program)
        };
        nix::errno::Errno::result(done)?;
        Ok(())
    };
    if let Some(report) = survives("TIOCSTI filtered", filter) {
        let sti = report
            .checks
            .iter()
            .find(|check| check.finding.id == "sti")
            .unwrap();
        assert_eq!(sti.finding.outcome.class, Class::Env, "{sti:?}");
    }
}
