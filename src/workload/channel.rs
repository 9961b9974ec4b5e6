//! What carries the bytes.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::pty::Mode;

use super::settings::Contradiction;
use super::{Direction, Settings};

/// A pty, or something that could do its work without a line discipline: a
/// yardstick.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Channel {
    /// A pseudo-terminal.
    #[default]
    Pty,
    /// pipe(2): one way only.
    Pipe,
    /// socketpair(2) of AF_UNIX, SOCK_STREAM.
    Socketpair,
}

impl Channel {
    /// The same work for this channel: the same bytes in the same calls, raw
    /// where there is no line discipline.
    ///
    /// # Errors
    /// When it cannot do that work.
    pub fn same_work(self, settings: &Settings) -> Result<Settings, Contradiction> {
        self.check(settings.direction)?;
        Ok(match self {
            Self::Pty => settings.clone(),
            Self::Pipe | Self::Socketpair => Settings {
                mode: Mode::RAW,
                payload: Some(settings.effective_payload()),
                ..settings.clone()
            },
        })
    }

    /// Whether it can carry bytes in that direction.
    ///
    /// # Errors
    /// When it cannot.
    pub fn check(self, direction: Direction) -> Result<(), Contradiction> {
        if self == Self::Pipe && direction.writers().len() > 1 {
            return Err(Contradiction::new(format!(
                "a pipe with direction {direction}: it goes one way only; use socketpair"
            )));
        }
        Ok(())
    }
}

impl fmt::Display for Channel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Pty => "pty",
            Self::Pipe => "pipe",
            Self::Socketpair => "socketpair",
        })
    }
}
