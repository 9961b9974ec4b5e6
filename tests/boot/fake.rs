//! A stand-in for qemu, a shell script, and what the program does with it.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use ptyscope::boot::channel::{End, Message, Start};
use tempfile::TempDir;

/// Finds the files behind qemu's arguments, and says which process it is.
const PREAMBLE: &str = r#"#!/bin/sh
echo $$ >>"${0%/*}/pids"
for word; do
    case $word in
    file,id=console,path=*) console=${word##*path=} ;;
    file,id=serial,path=*) serial=${word##*path=} ;;
    kvm | tcg) accel=$word ;;
    esac
done
here=${0%/*}
"#;

/// A folder with a kernel by its header and a qemu by its name.
pub struct Fake {
    folder: TempDir,
}

impl Fake {
    /// Its qemu does what `script` says, which finds in `$console`, `$serial`,
    /// `$accel` and `$here` what the names say.
    pub fn new(script: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let fake = Self { folder };
        fake.write("qemu", format!("{PREAMBLE}{script}\n").as_bytes());
        let executable = fs::Permissions::from_mode(0o755);
        fs::set_permissions(fake.path("qemu"), executable).unwrap();
        fake.write("kernel", &bz_image("6.99.0-fake (x@y) #1"));
        fake
    }

    /// One whose guest sends these messages and falls silent.
    pub fn sending(messages: &[Message]) -> Self {
        let fake = Self::new(r#"cat "$here/line" >"$serial"; exec sleep 1000"#);
        fake.write("line", &line(messages));
        fake
    }

    /// A file in the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes one.
    pub fn write(&self, name: &str, bytes: &[u8]) {
        fs::write(self.path(name), bytes).unwrap();
    }

    /// `ptyscope boot` with this qemu, by TCG.
    pub fn command(&self) -> Command {
        let mut command = self.command_by("tcg");
        command.arg(self.path("kernel"));
        command
    }

    /// The same by another accelerator and without a kernel.
    pub fn command_by(&self, accel: &str) -> Command {
        let mut command = boot();
        command
            .args(["--accel", accel, "--qemu"])
            .arg(self.path("qemu"));
        command
    }

    /// Runs it with more arguments, split at spaces.
    pub fn run(&self, arguments: &str) -> Output {
        let output = self.command().args(arguments.split(' ')).output().unwrap();
        self.assert_nothing_runs();
        output
    }

    /// The processes of its qemu so far.
    pub fn pids(&self) -> Vec<String> {
        let text = fs::read_to_string(self.path("pids")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// Checks that none of them is left.
    pub fn assert_nothing_runs(&self) {
        for pid in self.pids() {
            assert!(!is_running(&pid), "{pid} still runs");
        }
    }
}

/// Whether it is there, other than as one that waits to be reaped.
pub fn is_running(pid: &str) -> bool {
    let stat = fs::read_to_string(Path::new("/proc").join(pid).join("stat"));
    stat.is_ok_and(|stat| !stat.contains(") Z "))
}

/// `ptyscope boot`, without a terminal.
pub fn boot() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ptyscope"));
    command.arg("boot").stdin(Stdio::null());
    command
}

/// What it wrote to standard error.
pub fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The least that has the header of a bzImage (Documentation/arch/x86/boot.rst
/// of the kernel) or, on arm64, of an Image, which names no release.
pub fn bz_image(release: &str) -> Vec<u8> {
    let mut image = vec![0; 2048];
    if cfg!(target_arch = "aarch64") {
        image[56..60].copy_from_slice(b"ARM\x64");
        return image;
    }
    image[0x1f1] = 1;
    image[0x202..0x206].copy_from_slice(b"HdrS");
    image[0x20e..0x210].copy_from_slice(&0x100_u16.to_le_bytes());
    image[0x300..0x300 + release.len()].copy_from_slice(release.as_bytes());
    image
}

/// What init says first.
pub fn started() -> Message {
    Message::Started(Start {
        release: "6.99.0-fake".to_owned(),
        at_ns: 1,
        lacks: Vec::new(),
    })
}

/// What it says last.
pub fn ended(code: u8) -> Message {
    Message::Ended(End {
        code: Some(code),
        signal: None,
        took_ns: 1_000_000,
    })
}

/// The frames of messages, with what a kernel might write between them.
pub fn line(messages: &[Message]) -> Vec<u8> {
    let mut line = b"[    0.1] printk: console [ttyS1]\r\n".to_vec();
    for (number, message) in messages.iter().enumerate() {
        line.extend(message.frame(number as u32));
        line.extend(b"\xf5PTY[    0.2] dirt\r\n");
    }
    line
}

/// The messages of a guest whose command wrote that and ended so.
pub fn answer(stdout: &[u8], code: u8) -> Vec<Message> {
    let parts = stdout
        .chunks(5000)
        .map(|part| Message::Output(part.to_vec()));
    [started(), Message::Alive]
        .into_iter()
        .chain(parts)
        .chain([ended(code)])
        .collect()
}

/// What a command writes in a guest, here.
pub fn inside(terms: &str, words: &str) -> Vec<u8> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ptyscope"));
    command.args(["__inside", terms]).args(words.split(' '));
    let output = command.stdin(Stdio::null()).output().unwrap();
    assert!(!output.stdout.is_empty(), "{}", errors(&output));
    output.stdout
}
