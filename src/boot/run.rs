//! One kernel, from qemu's start to its end.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::memfd::{MFdFlags, memfd_create};
use nix::sys::prctl::set_pdeathsig;
use nix::sys::signal::Signal;

use super::accel::Accel;
use super::channel::{Decoder, Message, Start};
use super::console::Tail;
use super::image::Image;
use super::kernel::Kernel;
use super::machine::{Machine, Places};
use super::outcome::{Answer, Booted, Fate};
use super::wires::{Came, Wire, inherited, keep_across_exec, wire};

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
    #[error("{0}")]
    Kvm(String),
    /// Something on our own side.
    #[error("cannot prepare the machine")]
    Io(#[from] io::Error),
}

/// How long a dying machine's last words are waited for.
const LAST_WORDS: Duration = Duration::from_secs(2);
/// How often it is looked whether to stop.
const SLICE: Duration = Duration::from_millis(50);
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
    let mut guest = match Guest::start(machine, kernel, image, accel)? {
        Ok(guest) => guest,
        Err(fate) => {
            return Ok(Booted {
                accel,
                start: None,
                to_init: None,
                lasted: began.elapsed(),
                fate,
                console: Vec::new(),
            });
        }
    };
    let fate = loop {
        if let Some(fate) = guest.fate(began, limits, watch)? {
            break fate;
        }
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
    accel: Accel,
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
    /// How and when qemu ended.
    ended: Option<(ExitStatus, Instant)>,
}

impl Guest {
    fn start(
        machine: &Machine,
        kernel: &Kernel,
        image: &Image,
        accel: Accel,
    ) -> io::Result<Result<Self, Fate>> {
        let initrd = in_memory(&image.bytes)?;
        let (console, console_plug) = wire()?;
        let (serial, serial_plug) = wire()?;
        let (port, port_plug) = wire()?;
        let (complaints, complaints_plug) = wire()?;
        let places = Places {
            initrd: inherited(&initrd),
            console: console_plug.path(),
            serial: serial_plug.path(),
            port: port_plug.path(),
        };
        let kept = [
            initrd.as_raw_fd(),
            console_plug.number(),
            serial_plug.number(),
            port_plug.number(),
        ];
        let complaints_plug = complaints_plug.into_fd();
        let qemu = machine.qemu();
        let mut command = Command::new(&qemu);
        command
            .args(machine.arguments(kernel, accel, &places, &image.library_path))
            .stdin(Stdio::null())
            .stdout(complaints_plug.try_clone()?)
            .stderr(complaints_plug);
        // SAFETY: prctl(2) and fcntl(2) are async-signal-safe, and nothing is
        // allocated.
        unsafe {
            command.pre_exec(move || {
                set_pdeathsig(Signal::SIGKILL)?;
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
            accel,
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

    /// Takes in what comes within a slice of time.
    fn listen(&mut self, began: Instant, watch: &mut dyn Watch) {
        let [(serial, _), (port, _)] = &self.ways;
        let wires = [&self.console, serial, port, &self.complaints];
        let mut fds: Vec<PollFd<'_>> = wires
            .iter()
            .filter_map(|wire| Some(PollFd::new(wire.fd()?, PollFlags::POLLIN)))
            .collect();
        let slice = PollTimeout::try_from(SLICE).unwrap_or(PollTimeout::ZERO);
        let _ = poll(&mut fds, slice);
        if let Came::Bytes(bytes) = self.console.read() {
            watch.console(&bytes);
            self.tail.push(&bytes);
        }
        if self.tail.panic.is_some() {
            self.panicked.get_or_insert_with(Instant::now);
        }
        if let Came::Bytes(bytes) = self.complaints.read() {
            self.complained.extend(bytes);
        }
        let mut messages = Vec::new();
        for (wire, decoder) in &mut self.ways {
            match wire.read() {
                Came::Bytes(bytes) => messages.extend(decoder.push(&bytes)),
                Came::Nothing => {}
                Came::End => messages.extend(decoder.finish()),
            }
        }
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
                let is_damaged = self.ways.iter().any(|(_, decoder)| decoder.has_gap());
                self.fate = Some(match (&self.tail.out_of_memory, is_damaged) {
                    (Some(line), _) if end.signal == Some(libc::SIGKILL) => {
                        Fate::OutOfMemory(line.clone())
                    }
                    (_, true) => Fate::Damaged,
                    (_, false) => Fate::Ran(Answer {
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
        let said = String::from_utf8_lossy(&self.complained).into_owned();
        let is_untrusted = self.accel == Accel::Kvm && !self.tail.has_banner;
        if let Some(patience) = limits.kvm
            && is_untrusted
        {
            if said.contains(KVM_ERROR) {
                return Err(Failure::Kvm(KVM_ERROR.to_owned()));
            }
            if began.elapsed() > patience {
                let text = format!("no kernel came up within {} s", patience.as_secs());
                return Err(Failure::Kvm(text));
            }
        }
        if self.ended.is_none()
            && let Ok(Some(status)) = self.child.0.try_wait()
        {
            self.ended = Some((status, Instant::now()));
        }
        if let Some((status, since)) = self.ended {
            let is_drained = self.is_drained() || since.elapsed() > LAST_WORDS;
            if !is_drained {
                return Ok(None);
            }
            if limits.kvm.is_some() && is_untrusted && !status.success() {
                return Err(Failure::Kvm(format!(
                    "qemu ended: {}",
                    last_line(&said, status)
                )));
            }
            return Ok(Some(self.last_fate(status, &said)));
        }
        if self
            .panicked
            .is_some_and(|since| since.elapsed() > LAST_WORDS)
        {
            return Ok(Some(
                self.fate_by_console(Fate::WentOff { had_started: true }),
            ));
        }
        Ok(self.fate_by_time(began, limits))
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
    fn last_fate(&self, status: ExitStatus, said: &str) -> Fate {
        let had_started = self.start.is_some();
        let otherwise = if status.success() {
            Fate::WentOff { had_started }
        } else {
            let said = said.trim().to_owned();
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

    fn is_drained(&self) -> bool {
        let [(serial, _), (port, _)] = &self.ways;
        [&self.console, serial, port, &self.complaints]
            .iter()
            .all(|wire| wire.fd().is_none())
    }
}

fn last_line(said: &str, status: ExitStatus) -> String {
    let last = said.lines().rev().find(|line| !line.trim().is_empty());
    last.map_or_else(|| status.to_string(), |line| line.trim().to_owned())
}

/// A file without a name, which is gone with its last user.
fn in_memory(bytes: &[u8]) -> io::Result<OwnedFd> {
    let fd = memfd_create(c"ptyscope-initramfs", MFdFlags::MFD_CLOEXEC)?;
    let mut file = File::from(fd);
    file.write_all(bytes)?;
    Ok(file.into())
}
