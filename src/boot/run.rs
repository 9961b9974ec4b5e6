//! One kernel, from qemu's start to its end.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use nix::unistd::Pid;

use crate::host::die_with;

use super::accel::Accel;
use super::channel::{Decoder, Message, Start};
use super::console::Tail;
use super::image::Image;
use super::kernel::Kernel;
use super::machine::{Machine, Places};
use super::outcome::{Answer, Booted, Fate};
use super::wires::{Wire, keep_across_exec};

/// How long what may take.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Until init speaks.
    pub to_init: Duration,
    /// From one word of init to the next.
    pub silence: Duration,
    /// The whole.
    pub whole: Duration,
    /// Until a kernel under a KVM that is not trusted shows its banner.
    pub kvm: Option<Duration>,
}

/// What happens meanwhile, for whoever wants to see it.
pub trait Watch {
    /// The guest's kernel said this.
    fn console(&mut self, bytes: &[u8]);
    /// Init has started.
    fn started(&mut self, start: &Start);
    /// Whether to stop.
    fn is_stopped(&self) -> bool;
}

/// Why a boot says nothing of its kernel.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The KVM here does not work with any guest.
    #[error("KVM does not work here: {0}")]
    Kvm(String),
    /// Something on our own side.
    #[error("cannot make the files in memory through which qemu is talked to")]
    Io(#[from] io::Error),
}

/// How long a panicking kernel may go on to explain itself.
const LAST_WORDS: Duration = Duration::from_secs(2);
/// How often it is looked what has come.
const SLICE: Duration = Duration::from_millis(10);
/// How much of what qemu says is kept.
const MOST_COMPLAINT: usize = 16 << 10;
/// What qemu says when KVM cannot go on with the guest, which it leaves
/// standing (accel/kvm/kvm-all.c).
const KVM_ERROR: &str = "KVM internal error";

/// Boots a kernel and waits for the end of the command in it.
///
/// # Errors
/// When it could not be tried.
pub fn boot(
    machine: &Machine,
    kernel: &Kernel,
    image: &Image,
    accel: Accel,
    limits: &Limits,
    watch: &mut dyn Watch,
) -> Result<Booted, Failure> {
    let began = Instant::now();
    let unstarted = |fate| Booted {
        accel,
        start: None,
        to_init: None,
        lasted: began.elapsed(),
        fate,
        console: Vec::new(),
    };
    if watch.is_stopped() {
        return Ok(unstarted(Fate::Interrupted));
    }
    let mut guest = match Guest::start(machine, kernel, image, accel)? {
        Ok(guest) => guest,
        Err(fate) => return Ok(unstarted(fate)),
    };
    let fate = loop {
        if let Some(fate) = guest.fate(began, limits, watch)? {
            break fate;
        }
        std::thread::sleep(SLICE);
        guest.listen(began, watch);
    };
    drop(guest.child);
    Ok(Booted {
        accel,
        start: guest.start,
        to_init: guest.to_init,
        lasted: began.elapsed(),
        fate,
        console: guest.tail.lines(),
    })
}

/// A process that does not outlive its owner.
struct Owned(Child);

impl Drop for Owned {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A running qemu and what has come from it.
struct Guest {
    child: Owned,
    console: Wire,
    /// The two ways of the result; a kernel uses one.
    ways: [(Wire, Decoder); 2],
    complaints: Wire,
    tail: Tail,
    complained: Vec<u8>,
    start: Option<Start>,
    to_init: Option<Duration>,
    heard: Instant,
    stdout: Vec<u8>,
    stderr: Vec<u8>,
    fate: Option<Fate>,
    /// When a panic was seen.
    panicked: Option<Instant>,
    /// How qemu ended.
    ended: Option<ExitStatus>,
}

impl Guest {
    fn start(
        machine: &Machine,
        kernel: &Kernel,
        image: &Image,
        accel: Accel,
    ) -> io::Result<Result<Self, Fate>> {
        let initrd = Wire::holding(&image.bytes)?;
        let [console, serial, port] = [Wire::new()?, Wire::new()?, Wire::new()?];
        let complaints = Wire::new()?;
        let places = Places {
            initrd: initrd.path(),
            console: console.path(),
            serial: serial.path(),
            port: port.path(),
        };
        let kept = [&initrd, &console, &serial, &port].map(Wire::number);
        let qemu = machine.qemu();
        let mut command = Command::new(&qemu);
        command
            .args(machine.arguments(kernel, accel, &places, &image.library_path))
            .stdin(Stdio::null())
            .stdout(complaints.file()?)
            .stderr(complaints.file()?);
        let parent = Pid::this();
        // SAFETY: prctl(2), getppid(2) and fcntl(2) are async-signal-safe, and nothing is
        // allocated.
        unsafe {
            command.pre_exec(move || {
                die_with(parent)?;
                kept.into_iter().try_for_each(keep_across_exec)
            });
        }
        let child = match command.spawn() {
            Ok(child) => child,
            Err(error) => {
                let why = crate::host::errno_text(&error);
                return Ok(Err(Fate::NoQemu { qemu, why }));
            }
        };
        Ok(Ok(Self {
            child: Owned(child),
            console,
            ways: [(serial, Decoder::default()), (port, Decoder::default())],
            complaints,
            tail: Tail::default(),
            complained: Vec::new(),
            start: None,
            to_init: None,
            heard: Instant::now(),
            stdout: Vec::new(),
            stderr: Vec::new(),
            fate: None,
            panicked: None,
            ended: None,
        }))
    }

    /// Takes in what has come.
    fn listen(&mut self, began: Instant, watch: &mut dyn Watch) {
        let said = self.console.read();
        if !said.is_empty() {
            watch.console(&said);
            self.tail.push(&said);
        }
        if self.tail.panic.is_some() {
            self.panicked.get_or_insert_with(Instant::now);
        }
        self.complained.extend(self.complaints.read());
        let too_much = self.complained.len().saturating_sub(MOST_COMPLAINT);
        self.complained.drain(..too_much);
        let ways = self.ways.iter_mut();
        let messages: Vec<_> = ways
            .flat_map(|(wire, decoder)| decoder.push(&wire.read()))
            .collect();
        for message in messages {
            self.take(message, began, watch);
        }
    }

    fn take(&mut self, message: Message, began: Instant, watch: &mut dyn Watch) {
        self.heard = Instant::now();
        match message {
            Message::Started(start) => {
                self.to_init.get_or_insert_with(|| began.elapsed());
                watch.started(&start);
                self.start = Some(start);
            }
            Message::Alive => {}
            Message::Output(bytes) => self.stdout.extend(bytes),
            Message::Complaint(bytes) => self.stderr.extend(bytes),
            Message::Refused(why) => self.fate = Some(Fate::Refused(why)),
            Message::Ended(end) => {
                let is_damaged = self.is_damaged();
                self.fate = Some(match (end.signal, &self.tail.out_of_memory) {
                    (Some(libc::SIGKILL), Some(line)) => Fate::OutOfMemory(line.clone()),
                    (Some(signal), _) => Fate::Killed(signal),
                    (None, _) if is_damaged => Fate::Damaged,
                    (None, _) => Fate::Ran(Answer {
                        stdout: std::mem::take(&mut self.stdout),
                        stderr: std::mem::take(&mut self.stderr),
                        end,
                    }),
                });
            }
        }
    }

    /// What became of it, if that is known by now.
    fn fate(
        &mut self,
        began: Instant,
        limits: &Limits,
        watch: &dyn Watch,
    ) -> Result<Option<Fate>, Failure> {
        if let Some(fate) = self.fate.take() {
            return Ok(Some(fate));
        }
        if watch.is_stopped() {
            return Ok(Some(Fate::Interrupted));
        }
        if let Some(patience) = limits.kvm
            && let Some(why) = self.failure_of_kvm(began, patience)
        {
            return Err(Failure::Kvm(why));
        }
        if let Some(status) = self.ended {
            return Ok(Some(self.last_fate(status)));
        }
        // Once more round the loop: what it wrote last is still to be read.
        self.ended = self.child.0.try_wait().ok().flatten();
        let has_explained = |since: Instant| since.elapsed() > LAST_WORDS;
        if self.panicked.is_some_and(has_explained) {
            let had_started = self.start.is_some();
            return Ok(Some(self.fate_by_console(Fate::WentOff { had_started })));
        }
        Ok(self.fate_by_time(began, limits))
    }

    /// What speaks against KVM, as long as no kernel has shown that it runs.
    fn failure_of_kvm(&self, began: Instant, patience: Duration) -> Option<String> {
        if self.tail.has_banner {
            return None;
        }
        let said = self.complaint();
        if said.contains(KVM_ERROR) {
            return Some(KVM_ERROR.to_owned());
        }
        if let Some(status) = self.ended.filter(|status| !status.success()) {
            let last = said.lines().rev().find(|line| !line.trim().is_empty());
            let last = last.map_or_else(|| status.to_string(), |line| line.trim().to_owned());
            return Some(format!("qemu ended: {last}"));
        }
        let is_late = began.elapsed() > patience;
        is_late.then(|| format!("no kernel came up within {} s", patience.as_secs()))
    }

    /// Whether something is missing of what came so far.
    fn is_damaged(&self) -> bool {
        self.ways.iter().any(|(_, decoder)| decoder.has_gap())
    }

    fn complaint(&self) -> String {
        String::from_utf8_lossy(&self.complained).trim().to_owned()
    }

    fn fate_by_time(&self, began: Instant, limits: &Limits) -> Option<Fate> {
        if began.elapsed() > limits.whole {
            return Some(Fate::TimedOut(limits.whole));
        }
        if self.start.is_none() && began.elapsed() > limits.to_init {
            return Some(self.fate_by_console(Fate::NeverStarted(limits.to_init)));
        }
        if self.start.is_some() && self.heard.elapsed() > limits.silence {
            return Some(self.fate_by_console(Fate::Hung(limits.silence)));
        }
        None
    }

    /// What became of it after qemu has ended without a result.
    fn last_fate(&self, status: ExitStatus) -> Fate {
        let had_started = self.start.is_some();
        let otherwise = if self.is_damaged() {
            Fate::Damaged
        } else if status.success() {
            Fate::WentOff { had_started }
        } else {
            let said = self.complaint();
            Fate::QemuDied { status, said }
        };
        self.fate_by_console(otherwise)
    }

    /// What the console says became of it.
    fn fate_by_console(&self, otherwise: Fate) -> Fate {
        let tail = &self.tail;
        match (&tail.init_said, &tail.out_of_memory, &tail.panic) {
            (Some(said), ..) => Fate::Refused(said.clone()),
            (_, Some(line), _) => Fate::OutOfMemory(line.clone()),
            (.., Some(line)) => Fate::Panicked(line.clone()),
            _ => otherwise,
        }
    }
}
