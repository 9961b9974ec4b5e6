//! Booting a kernel as the flags say, by KVM or by TCG.

use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use anyhow::Context;

use crate::boot::channel::Start;
use crate::boot::{self, Accel, Booted, Image, Kernel, KvmTrial, Limits, Machine, Watch};
use crate::cli::{AccelName, BootArgs};
use crate::host::errno_text;

use super::super::output::{describe, pass_on, say};
use super::super::progress::Progress;
use super::super::stop::Stop;
use super::came::Subject;

/// How long a working KVM may take to a kernel's banner, which it shows within
/// a fraction of a second, where TCG is the other way.
const KVM_PATIENCE: Duration = Duration::from_secs(3);
/// The same where there is no other way.
const ONLY_KVM_PATIENCE: Duration = Duration::from_secs(30);
/// How long init may be silent, which speaks every 5 s.
const SILENCE: Duration = Duration::from_secs(60);
/// The same where 5 s of the guest's take longer than 5 s of ours.
const SLOW_SILENCE: Duration = Duration::from_secs(600);

/// All that the boots of one command share.
pub struct Boots {
    machine: Machine,
    image: Image,
    accel: AccelName,
    limits: Limits,
    kvm: KvmTrial,
    /// One for each boot, if they are wanted.
    consoles: Vec<Console>,
    verbose: bool,
    stop: Stop,
    progress: Mutex<Progress>,
}

impl Boots {
    /// Opens the consoles' files.
    ///
    /// # Errors
    /// When one cannot be opened.
    pub fn new(
        args: &BootArgs,
        machine: Machine,
        image: Image,
        stop: Stop,
    ) -> anyhow::Result<Self> {
        let silence = match machine.deterministic {
            Some(_) => SLOW_SILENCE,
            None => SILENCE,
        };
        Ok(Self {
            machine,
            image,
            accel: args.machine.accel,
            limits: Limits {
                to_init: args.boot_timeout,
                silence,
                whole: args.timeout,
                kvm: None,
            },
            kvm: KvmTrial::default(),
            consoles: consoles(args)?,
            verbose: args.verbose,
            stop,
            progress: Mutex::new(Progress::new()),
        })
    }

    /// Boots one kernel, as the `number`th boot from 0, and makes what can be
    /// made of it.
    pub fn subject(&self, number: usize, kernel: &Kernel, seed: Option<u64>) -> Subject {
        let machine = Machine {
            deterministic: seed,
            ..self.machine.clone()
        };
        let mut watcher = Watcher {
            boots: self,
            console: self.consoles.get(number),
        };
        match self.boot(kernel, &machine, &mut watcher) {
            Ok(booted) => Subject::of(kernel, &machine, booted),
            Err(error) => {
                let text = describe(&anyhow::Error::from(error));
                Subject::troubled(kernel.name(), "not tried", text)
            }
        }
    }

    /// Shows how far it has come.
    pub fn show(&self, text: &str) {
        let mut progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        progress.show(|| text.to_owned());
    }

    /// Says something that stays.
    fn say(&self, text: &str) {
        self.hide();
        say(text);
    }

    /// Takes away how far it has come.
    fn hide(&self) {
        let mut progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        progress.hide();
    }

    fn boot(
        &self,
        kernel: &Kernel,
        machine: &Machine,
        watcher: &mut Watcher<'_>,
    ) -> Result<Booted, boot::Failure> {
        if self.accel == AccelName::Kvm {
            return self.attempt(
                kernel,
                machine,
                Accel::Kvm,
                Some(ONLY_KVM_PATIENCE),
                watcher,
            );
        }
        // A clock that counts instructions is TCG's alone.
        if self.accel == AccelName::Auto
            && machine.deterministic.is_none()
            && self.kvm.is_worth_it().is_ok()
        {
            match self.attempt(kernel, machine, Accel::Kvm, Some(KVM_PATIENCE), watcher) {
                Err(boot::Failure::Kvm(why)) => {
                    if self.kvm.failed(&why) {
                        self.say(&format!(
                            "KVM does not work here ({why}); going on with TCG"
                        ));
                    }
                }
                other => return other,
            }
        }
        self.attempt(kernel, machine, Accel::Tcg, None, watcher)
    }

    fn attempt(
        &self,
        kernel: &Kernel,
        machine: &Machine,
        accel: Accel,
        kvm: Option<Duration>,
        watcher: &mut Watcher<'_>,
    ) -> Result<Booted, boot::Failure> {
        self.show(&format!("{}: booting ({accel})", kernel.name()));
        let limits = Limits { kvm, ..self.limits };
        boot::boot(machine, kernel, &self.image, accel, &limits, watcher)
    }
}

/// A file that a guest's console is written to.
struct Console {
    path: PathBuf,
    file: File,
}

/// The files of the consoles: the one that was named, or one for each boot.
fn consoles(args: &BootArgs) -> anyhow::Result<Vec<Console>> {
    let Some(path) = &args.console else {
        return Ok(Vec::new());
    };
    let count = args.kernels.len() * args.machine.all_seeds().len();
    let open = |number: usize| {
        let mut name = path.clone().into_os_string();
        if count > 1 {
            name.push(format!(".{}", number + 1));
        }
        let file = File::create(&name);
        let file = file.with_context(|| format!("cannot write to {}", name.to_string_lossy()))?;
        let path = name.into();
        Ok(Console { path, file })
    };
    (0..count).map(open).collect()
}

/// Shows what a guest does, as far as was asked.
struct Watcher<'a> {
    boots: &'a Boots,
    console: Option<&'a Console>,
}

impl Watch for Watcher<'_> {
    fn console(&mut self, bytes: &[u8]) {
        if let Some(console) = self.console
            && let Err(error) = (&console.file).write_all(bytes)
        {
            // Once is enough.
            self.console = None;
            let (path, why) = (console.path.display(), errno_text(&error));
            self.boots
                .say(&format!("cannot write the console to {path}: {why}"));
        }
        if self.boots.verbose {
            self.boots.hide();
            // A serial console ends its lines with CR NL.
            pass_on(&String::from_utf8_lossy(bytes).replace('\r', ""));
        }
    }

    fn started(&mut self, start: &Start) {
        let release = &start.release;
        for lack in &start.lacks {
            self.boots.say(&format!("{release}: {lack}"));
        }
        self.boots.show(&format!("{release}: running"));
    }

    fn is_stopped(&self) -> bool {
        self.boots.stop.is_asked()
    }
}
