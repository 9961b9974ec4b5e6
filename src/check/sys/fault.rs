//! Wrong answers of the kernel, as data.
//!
//! A check that has never been seen to fail proves nothing. A fault names a
//! call and what shall become of its answer; the process that runs the check
//! is given a list of them, and the check has to notice.

use serde::{Deserialize, Serialize};

use super::Role;

/// One alteration of the kernel's answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// The call: `read`, `poll`, the name of an ioctl request; `data` is what a
    /// read brought.
    pub call: String,
    /// Only on descriptors of this role.
    #[serde(default)]
    pub on: Option<Role>,
    /// How many such calls pass unaltered first.
    #[serde(default)]
    pub skip: u32,
    /// How many are then altered; 0 means all.
    #[serde(default)]
    pub times: u32,
    /// What becomes of the answer.
    pub effect: Effect,
}

impl Fault {
    /// Alters every call named `call` on every descriptor.
    pub fn new(call: &str, effect: Effect) -> Self {
        Self {
            call: call.to_owned(),
            on: None,
            skip: 0,
            times: 0,
            effect,
        }
    }

    /// The same on descriptors of `role` alone.
    pub fn on(self, role: Role) -> Self {
        Self {
            on: Some(role),
            ..self
        }
    }

    /// The same on `times` calls after the first `skip`.
    pub fn at(self, skip: u32, times: u32) -> Self {
        Self {
            skip,
            times,
            ..self
        }
    }
}

/// What becomes of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Effect {
    /// The call is not made and fails with this errno.
    Errno(i32),
    /// The call is not made and returns this.
    Return(i64),
    /// The call is made and its result replaced by this.
    Value(i64),
    /// The call is made and this added to its result.
    Add(i64),
    /// The first byte of the data is lost.
    Drop,
    /// The last byte of the data is lost.
    DropLast,
    /// The first byte of the data is changed.
    Flip,
    /// The first byte of the data comes twice.
    Double,
    /// These bytes come instead of the data, or of an error.
    Bytes(Vec<u8>),
    /// This text comes instead of the file's.
    Text(String),
    /// Bits are set and cleared in the answer's field of that name.
    Bits {
        /// `revents`, `iflag`, `oflag`, `cflag`, `lflag`, `mode`, `cc4`, …
        field: String,
        /// Bits that are set.
        set: u64,
        /// Bits that are cleared.
        clear: u64,
    },
    /// A delivered signal is reported once more.
    Again,
    /// The call never returns.
    Hang,
    /// The process dies.
    Die,
}

/// A fault and how often its call was seen.
#[derive(Debug)]
pub(super) struct Armed {
    pub(super) fault: Fault,
    pub(super) seen: u32,
}

impl Armed {
    /// The effect on this call, if the fault is about it.
    pub(super) fn strike(&mut self, call: &str, role: Role) -> Option<Effect> {
        let fault = &self.fault;
        if fault.call != call || fault.on.is_some_and(|on| on != role) {
            return None;
        }
        let nth = self.seen;
        self.seen = nth.saturating_add(1);
        let last = fault.skip.saturating_add(fault.times);
        (nth >= fault.skip && (fault.times == 0 || nth < last)).then(|| fault.effect.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_strikes_its_call_on_its_end_at_its_turn() {
        let fault = Fault::new("read", Effect::Drop).on(Role::Master).at(1, 2);
        let mut armed = Armed { fault, seen: 0 };
        assert_eq!(armed.strike("write", Role::Master), None);
        assert_eq!(armed.strike("read", Role::Slave), None);
        let strikes: Vec<_> = (0..4)
            .map(|_| armed.strike("read", Role::Master).is_some())
            .collect();
        assert_eq!(strikes, [false, true, true, false]);
    }

    #[test]
    fn faults_travel_as_text() {
        let fault = Fault::new("TIOCGPTN", Effect::Errno(5))
            .on(Role::Slave)
            .at(3, 0);
        let text = serde_json::to_string(&fault).unwrap();
        assert_eq!(serde_json::from_str::<Fault>(&text).unwrap(), fault);
    }
}
