//! Names that clients would look for, and that are a link's no more.

use std::path::Path;

use serde::{Deserialize, Serialize};

/// What has become of the name of an end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NameLoss {
    /// Nothing is there.
    Removed,
    /// A symlink is there that leads elsewhere.
    Taken(String),
    /// Something else than a symlink is there.
    Replaced,
}

impl NameLoss {
    /// What to tell a user: a clause about the name.
    pub fn text(&self) -> String {
        match self {
            Self::Removed => "was removed".to_owned(),
            Self::Taken(target) => format!("was taken over: it leads to {target}"),
            Self::Replaced => "was replaced by what is no symlink".to_owned(),
        }
    }

    /// What to tell at once of the end that is called `name`, whose slave is
    /// `slave`.
    pub fn notice(&self, name: &Path, slave: &Path) -> String {
        let (name, slave) = (name.display(), slave.display());
        format!(
            "the name {name} {}; who opens it does not reach this link, whose end is {slave}: to have it back, ln -sfn {slave} {name}",
            self.text()
        )
    }
}
