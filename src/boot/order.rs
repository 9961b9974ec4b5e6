//! What init is to do in the guest.

use serde::{Deserialize, Serialize};

/// The order, which lies in the archive beside init.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Order {
    /// The arguments of the program that init runs: init's own file.
    pub words: Vec<String>,
    /// How devpts is mounted; `None` for the usual way of a distribution.
    pub devpts: Option<String>,
}

/// Where it lies.
pub const PLACE: &str = "order.json";
