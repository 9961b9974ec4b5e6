//! What init is to do in the guest.

use serde::{Deserialize, Serialize};

/// The order, which lies in the archive beside init.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Order {
    /// The arguments of the program that init runs: init's own file.
    pub words: Vec<String>,
    /// Whether to wait first until the kernel has come to rest: what is
    /// measured before is not what it will be.
    pub settle: bool,
    /// How devpts is mounted; `None` for the usual way of a distribution.
    pub devpts: Option<String>,
}

/// Where it lies.
pub const PLACE: &str = "order.json";
