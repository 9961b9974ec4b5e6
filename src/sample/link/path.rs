//! Paths in lines of JSON: what is no UTF-8 in them is written as U+FFFD.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

fn text(path: &Path) -> String {
    path.display().to_string()
}

pub fn serialize<S: Serializer>(path: &Path, to: S) -> Result<S::Ok, S::Error> {
    text(path).serialize(to)
}

pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<PathBuf, D::Error> {
    PathBuf::deserialize(from)
}

/// The same of one that may be missing.
pub mod option {
    use super::{Deserialize, Deserializer, PathBuf, Serialize, Serializer, text};

    pub fn serialize<S: Serializer>(path: &Option<PathBuf>, to: S) -> Result<S::Ok, S::Error> {
        path.as_deref().map(text).serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<PathBuf>, D::Error> {
        Option::deserialize(from)
    }
}
