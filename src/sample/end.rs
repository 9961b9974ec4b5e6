use std::fmt;

use serde::{Deserialize, Serialize};

use crate::pty::End;

/// What writes into a flow: an end of one pty, or a client of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum FlowEnd {
    /// The master of a pty.
    #[serde(rename = "master")]
    Master,
    /// The slave of a pty.
    #[serde(rename = "slave")]
    Slave,
    /// Who has a link's first name open.
    A,
    /// Who has a link's second name open.
    B,
}

impl FlowEnd {
    /// The end that the flow goes to.
    pub fn peer(self) -> Self {
        match self {
            Self::Master => Self::Slave,
            Self::Slave => Self::Master,
            Self::A => Self::B,
            Self::B => Self::A,
        }
    }

    /// The end of a pty that it is; None for a link's.
    pub fn pty_end(self) -> Option<End> {
        match self {
            Self::Master => Some(End::Master),
            Self::Slave => Some(End::Slave),
            Self::A | Self::B => None,
        }
    }
}

impl From<End> for FlowEnd {
    fn from(end: End) -> Self {
        match end {
            End::Master => Self::Master,
            End::Slave => Self::Slave,
        }
    }
}

impl PartialEq<End> for FlowEnd {
    fn eq(&self, end: &End) -> bool {
        *self == Self::from(*end)
    }
}

impl fmt::Display for FlowEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Master => "master",
            Self::Slave => "slave",
            Self::A => "A",
            Self::B => "B",
        })
    }
}
