//! Named baselines, kept under the user's data directory.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use crate::report::{Format, Report};

use super::compare;
use super::sinks::Target;

/// Reads the baseline of that name.
///
/// # Errors
/// When there is none, with the names that there are; or when it is damaged.
pub fn load(name: &str) -> anyhow::Result<Report> {
    let folder = folder()?;
    let path = file(&folder, name);
    if !path.exists() {
        bail!(
            "no baseline {name} in {}; there are: {}",
            folder.display(),
            names(&folder)
        );
    }
    compare::read(&path)
}

/// A place to save a baseline in, made before the run.
///
/// # Errors
/// When nothing can be written there.
pub fn place(name: &str) -> anyhow::Result<(PathBuf, Target)> {
    let folder = folder()?;
    let path = file(&folder, name);
    let target = fs::create_dir_all(&folder)
        .and_then(|()| Target::open(&path))
        .with_context(|| format!("cannot save the baseline {}", path.display()))?;
    Ok((path, target))
}

/// Saves a report there.
///
/// # Errors
/// When it cannot be written.
pub fn save((path, target): (PathBuf, Target), report: &Report) -> anyhow::Result<()> {
    let saved = target.write(report, Format::Json);
    saved.with_context(|| format!("cannot save the baseline {}", path.display()))
}

fn file(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}.json"))
}

/// `$XDG_DATA_HOME/ptyscope/baselines`, by the XDG base directory
/// specification, which has relative paths ignored.
fn folder() -> anyhow::Result<PathBuf> {
    let absolute = |name: &str| {
        let path = PathBuf::from(std::env::var_os(name)?);
        path.is_absolute().then_some(path)
    };
    let data = absolute("XDG_DATA_HOME")
        .or_else(|| absolute("HOME").map(|home| home.join(".local/share")))
        .context("no place for baselines: neither XDG_DATA_HOME nor HOME is an absolute path")?;
    Ok(data.join("ptyscope/baselines"))
}

fn names(folder: &Path) -> String {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let name = |entry: fs::DirEntry| {
        let path = entry.path();
        let visible = !entry.file_name().to_string_lossy().starts_with('.');
        let is_report = visible
            && path
                .extension()
                .is_some_and(|extension| extension == "json");
        is_report.then(|| {
            path.file_stem()
                .map(|stem| stem.to_string_lossy().into_owned())
        })?
    };
    let mut names: Vec<String> = entries.filter_map(name).collect();
    names.sort_unstable();
    if names.is_empty() {
        return "none".to_owned();
    }
    names.join(", ")
}
