//! Booting kernels as the flags say, by KVM or by TCG.

use std::fs::File;
use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use anyhow::Context;

use crate::boot::channel::Start;
use crate::boot::{self, Accel, Booted, Image, Kernel, KvmTrial, Limits, Machine, Watch};
use crate::cli::{AccelName, BootArgs};

use super::super::output::{describe, say};
use super::super::progress::Progress;
use super::super::stop::Stop;

/// How long a working KVM may take to a kernel's banner: far more than it does.
const KVM_PATIENCE: Duration = Duration::from_secs(5);
/// How long init may be silent, which speaks every 5 s.
const SILENCE: Duration = Duration::from_secs(60);

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
        Ok(Self {
            machine,
            image,
            accel: args.machine.accel,
            limits: Limits {
                to_init: args.boot_timeout,
                silence: SILENCE,
                whole: args.timeout,
                kvm: None,
            },
            kvm: KvmTrial::default(),
            console: console.transpose()?,
            verbose: args.verbose,
            stop,
        })
    }

    /// Boots one kernel.
    ///
    /// # Errors
    /// When it could not be tried.
    pub fn boot(&self, kernel: &Kernel) -> anyhow::Result<Booted> {
        let mut watch = Watcher {
            boots: self,
            progress: Progress::new(),
            name: kernel.name(),
        };
        if self.accel == AccelName::Kvm {
            return Ok(self.attempt(kernel, Accel::Kvm, None, &mut watch)?);
        }
        // An instruction-count clock is TCG's alone.
        if self.accel == AccelName::Auto
            && self.machine.deterministic.is_none()
            && self.kvm.is_worth_it().is_ok()
        {
            match self.attempt(kernel, Accel::Kvm, Some(KVM_PATIENCE), &mut watch) {
                Err(boot::Failure::Kvm(why)) => {
                    if self.kvm.failed(&why) {
                        watch.progress.hide();
                        say(format!("KVM does not work here ({why}); going on with TCG"));
                    }
                }
                other => return Ok(other?),
            }
        }
        Ok(self.attempt(kernel, Accel::Tcg, None, &mut watch)?)
    }

    fn attempt(
        &self,
        kernel: &Kernel,
        accel: Accel,
        kvm: Option<Duration>,
        watch: &mut Watcher<'_>,
    ) -> Result<Booted, boot::Failure> {
        watch
            .progress
            .show(|| format!("{}: booting ({accel})", watch.name));
        let limits = Limits { kvm, ..self.limits };
        boot::boot(&self.machine, kernel, &self.image, accel, &limits, watch)
    }
}

/// Shows what a guest does, as far as was asked.
struct Watcher<'a> {
    boots: &'a Boots,
    progress: Progress,
    name: String,
}

impl Watch for Watcher<'_> {
    fn console(&mut self, bytes: &[u8]) {
        if let Some(file) = &self.boots.console {
            let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
            if let Err(error) = file.write_all(bytes) {
                say(describe(
                    &anyhow::Error::from(error).context("the console's file"),
                ));
            }
        }
        if self.boots.verbose {
            let _ = io::stderr().write_all(bytes);
        }
    }

    fn started(&mut self, start: &Start) {
        let release = &start.release;
        for lack in &start.lacks {
            self.progress.hide();
            say(format!("{release}: {lack}"));
        }
        self.progress.show(|| format!("{release}: running"));
    }

    fn is_stopped(&self) -> bool {
        self.boots.stop.is_asked()
    }
}
