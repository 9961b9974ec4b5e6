//! Booting a kernel as the flags say, by KVM or by TCG.

use std::fs::File;
use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use anyhow::Context;

use crate::boot::channel::Start;
use crate::boot::{self, Accel, Booted, Image, Kernel, KvmTrial, Limits, Machine, Watch};
use crate::cli::{AccelName, BootArgs, Command};

use super::super::output::{describe, say};
use super::super::progress::Progress;
use super::super::stop::Stop;
use super::came::Subject;

/// How long a working KVM may take to a kernel's banner: far more than it does.
const KVM_PATIENCE: Duration = Duration::from_secs(5);
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
    console: Option<Mutex<File>>,
    verbose: bool,
    stop: Stop,
    progress: Mutex<Progress>,
}

impl Boots {
    /// Opens the console's file.
    ///
    /// # Errors
    /// When that cannot be.
    pub fn new(
        args: &BootArgs,
        machine: Machine,
        image: Image,
        stop: Stop,
    ) -> anyhow::Result<Self> {
        let console = args.console.as_ref().map(|path| {
            let file = File::create(path).map(Mutex::new);
            file.with_context(|| format!("cannot write to {}", path.display()))
        });
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
            console: console.transpose()?,
            verbose: args.verbose,
            stop,
            progress: Mutex::new(Progress::new()),
        })
    }

    /// Boots one kernel and makes what can be made of it.
    pub fn subject(&self, kernel: &Kernel, seed: Option<u64>, command: &Command) -> Subject {
        let machine = Machine {
            deterministic: seed,
            ..self.machine.clone()
        };
        match self.boot(kernel, &machine) {
            Ok(booted) => Subject::of(kernel, &machine, booted, command),
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
        let mut progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        progress.hide();
        say(text);
    }

    fn boot(&self, kernel: &Kernel, machine: &Machine) -> Result<Booted, boot::Failure> {
        if self.accel == AccelName::Kvm {
            return self.attempt(kernel, machine, Accel::Kvm, None);
        }
        // A clock that counts instructions is TCG's alone.
        if self.accel == AccelName::Auto
            && machine.deterministic.is_none()
            && self.kvm.is_worth_it().is_ok()
        {
            match self.attempt(kernel, machine, Accel::Kvm, Some(KVM_PATIENCE)) {
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
        self.attempt(kernel, machine, Accel::Tcg, None)
    }

    fn attempt(
        &self,
        kernel: &Kernel,
        machine: &Machine,
        accel: Accel,
        kvm: Option<Duration>,
    ) -> Result<Booted, boot::Failure> {
        self.show(&format!("{}: booting ({accel})", kernel.name()));
        let limits = Limits { kvm, ..self.limits };
        let mut watcher = Watcher(self);
        boot::boot(machine, kernel, &self.image, accel, &limits, &mut watcher)
    }
}

/// Shows what a guest does, as far as was asked.
struct Watcher<'a>(&'a Boots);

impl Watch for Watcher<'_> {
    fn console(&mut self, bytes: &[u8]) {
        if let Some(file) = &self.0.console {
            let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
            if let Err(error) = file.write_all(bytes) {
                let error = anyhow::Error::from(error).context("cannot write the console's file");
                self.0.say(&describe(&error));
            }
        }
        if self.0.verbose {
            let _ = io::stderr().write_all(bytes);
        }
    }

    fn started(&mut self, start: &Start) {
        let release = &start.release;
        for lack in &start.lacks {
            self.0.say(&format!("{release}: {lack}"));
        }
        self.0.show(&format!("{release}: running"));
    }

    fn is_stopped(&self) -> bool {
        self.0.stop.is_asked()
    }
}
