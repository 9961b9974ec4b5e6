//! It changes nothing.

use std::fs;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::linux::fs::MetadataExt;
use std::os::unix::process::CommandExt;

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::sys::termios::tcgetattr;
use nix::unistd::{read, write};
use ptyscope::pty::{Mode, queued_input, unlock_slave, window_size};
use serde_json::Value;

use super::looked::{Pty, command, finding, look, open, report_of};
use super::wait::wait_for;

/// Keeps `command` from copying descriptors of others, as Yama, a sandbox or an
/// old kernel does: pidfd_getfd(2) says EPERM.
fn without_copies(command: &mut std::process::Command) {
    let number = u32::try_from(libc::SYS_pidfd_getfd).unwrap();
    let statement = |code: u32, jt, jf, k| libc::sock_filter {
        code: code as u16,
        jt,
        jf,
        k,
    };
    let filter = [
        // The number of the system call is the first word of seccomp_data.
        statement(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, 0),
        statement(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, 0, 1, number),
        statement(
            libc::BPF_RET | libc::BPF_K,
            0,
            0,
            libc::SECCOMP_RET_ERRNO | libc::EPERM as u32,
        ),
        statement(libc::BPF_RET | libc::BPF_K, 0, 0, libc::SECCOMP_RET_ALLOW),
    ];
    // SAFETY: prctl is async-signal-safe; the filter lives in the closure, and
    // the kernel copies it.
    unsafe {
        command.pre_exec(move || {
            let program = libc::sock_fprog {
                len: filter.len() as u16,
                filter: filter.as_ptr().cast_mut(),
            };
            Errno::result(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))?;
            let mode = libc::SECCOMP_MODE_FILTER;
            Errno::result(libc::prctl(libc::PR_SET_SECCOMP, mode, &program))?;
            Ok(())
        });
    }
}

fn look_without_copies(index: &str) -> Value {
    let mut command = command(&[index, "--json"]);
    without_copies(&mut command);
    report_of(command)["ptys"][0].clone()
}

/// Everything of a pty that can be asked here.
fn state(pty: &Pty) -> String {
    let node = fs::metadata(pty.path()).unwrap();
    let flags = |fd| fcntl(fd, FcntlArg::F_GETFL).unwrap();
    format!(
        "{:?} {:?} {:?} {:?} {:?} {:?}",
        tcgetattr(pty.slave()).unwrap(),
        window_size(pty.slave()).unwrap(),
        (
            queued_input(pty.slave()).unwrap(),
            queued_input(&pty.master).unwrap()
        ),
        (flags(pty.slave()), flags(&pty.master)),
        (
            node.st_atime(),
            node.st_atime_nsec(),
            node.st_mtime(),
            node.st_mtime_nsec()
        ),
        (node.st_mode(), node.st_uid(), node.st_gid()),
    )
}

#[test]
fn a_pty_in_use_is_left_as_it_is() {
    for look in [look, look_without_copies] {
        let mut pty = Pty::new(Mode::RAW);
        write(&pty.master, b"typed").unwrap();
        write(pty.slave(), b"printed").unwrap();
        wait_for(
            "both queues",
            || {
                (queued_input(pty.slave()) == Ok(5) && queued_input(&pty.master) == Ok(7))
                    .then_some(())
            },
            || state(&pty),
        );
        let before = state(&pty);
        let seen = look(&pty.index);
        assert_eq!(state(&pty), before);
        let said = seen["slave"]["copied"].as_object();
        let said = said.or(seen["slave"]["opened"].as_object()).unwrap();
        assert_eq!((&said["queued"], &said["mode"]), (&5.into(), &"raw".into()));
        // No open of its own is left: ours is the last close.
        pty.slave = None;
        let mut buffer = [0; 16];
        assert_eq!(read(&pty.master, &mut buffer), Ok(7));
        assert_eq!(read(&pty.master, &mut buffer), Err(Errno::EIO));
    }
}

#[test]
fn without_the_right_to_copy_it_opens_what_is_held() {
    let pty = Pty::new(Mode::COOKED);
    let seen = look_without_copies(&pty.index);
    assert_eq!(seen["slave"]["opened"]["mode"], "cooked");
    let why = seen["master"]["not-asked"].as_str().unwrap();
    assert!(why.contains("EPERM"), "{why}");
    // Without the master's word it does not say more than it knows.
    assert!(finding(&seen, "stopped").is_none());
    write(&pty.master, b"\x13").unwrap();
    let seen = wait_for(
        "the stop to show",
        || {
            let seen = look_without_copies(&pty.index);
            finding(&seen, "output-blocked").is_some().then_some(seen)
        },
        || pty.index.clone(),
    );
    let told = finding(&seen, "output-blocked").unwrap().to_string();
    assert!(told.contains("cannot be seen"), "{told}");
}

/// A slave that was never opened: the first open and close of it would end the
/// master's reads, and show as EIO.
#[test]
fn a_slave_that_nobody_holds_is_not_opened() {
    for look in [look, look_without_copies] {
        // SAFETY: posix_openpt takes flags and gives a descriptor that is ours.
        let master = unsafe {
            let fd = libc::posix_openpt(libc::O_RDWR | libc::O_NOCTTY | libc::O_CLOEXEC);
            OwnedFd::from_raw_fd(Errno::result(fd).unwrap())
        };
        unlock_slave(&master).unwrap();
        fcntl(&master, FcntlArg::F_SETFL(OFlag::O_NONBLOCK)).unwrap();
        let index = ptyscope::pty::index(&master).unwrap().to_string();
        let seen = look(&index);
        assert!(seen["slave"]["not-asked"].is_string(), "{seen:#}");
        assert_eq!(read(&master, &mut [0; 8]), Err(Errno::EAGAIN));
        // So would one open and close.
        drop(open(&format!("/dev/pts/{index}")));
        assert_eq!(read(&master, &mut [0; 8]), Err(Errno::EIO));
        let seen = self::look(&index);
        assert!(finding(&seen, "slave-closed").is_some(), "{seen:#}");
        assert!(master.as_raw_fd() > 2);
    }
}
