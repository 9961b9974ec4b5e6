//! What carries out the guest's instructions.

use std::fmt;
use std::fs::OpenOptions;
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

/// An accelerator of qemu.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Accel {
    /// The processor itself.
    Kvm,
    /// qemu's translator.
    Tcg,
}

impl fmt::Display for Accel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Kvm => "kvm",
            Self::Tcg => "tcg",
        })
    }
}

/// What is known of this machine's KVM, shared by all boots: a KVM that is
/// there may still abort or hang with any guest.
#[derive(Debug, Default)]
pub struct KvmTrial(Mutex<Option<String>>);

impl KvmTrial {
    /// What to try next.
    ///
    /// # Errors
    /// Says why KVM is out of the question.
    pub fn is_worth_it(&self) -> Result<(), String> {
        if let Some(why) = &*self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            return Err(why.clone());
        }
        let opened = OpenOptions::new().read(true).write(true).open("/dev/kvm");
        opened.map(drop).map_err(|error| {
            let why = format!("/dev/kvm: {}", crate::host::errno_text(&error));
            self.failed(&why);
            why
        })
    }

    /// Notes that it failed; whether that is news.
    pub fn failed(&self, why: &str) -> bool {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_news = known.is_none();
        known.get_or_insert_with(|| why.to_owned());
        is_news
    }
}
