//! `compare`: reports beside each other.

use std::path::Path;
use std::process::ExitCode;

use anyhow::bail;

use crate::cli::{CompareArgs, GateArgs};
use crate::report::{Comparison, ReadError, Report};

use super::GATE;
use super::sinks::Sinks;

/// Compares all reports with the first and writes what differs.
pub fn run(args: &CompareArgs) -> anyhow::Result<ExitCode> {
    let sinks = Sinks::open(&args.output)?;
    let names: Vec<String> = args
        .reports
        .iter()
        .map(|file| file.display().to_string())
        .collect();
    let reports = args
        .reports
        .iter()
        .map(|file| read(file))
        .collect::<anyhow::Result<Vec<_>>>()?;
    let mut named = names.iter().map(String::as_str).zip(&reports);
    let Some(base) = named.next() else {
        bail!("nothing to compare");
    };
    let others: Vec<_> = named.collect();
    let comparison = Comparison::of(base, &others, args.gate.min_effect());
    ensure_possible(&comparison, base, &others)?;
    sinks.write(&comparison)?;
    Ok(ExitCode::from(exit_code(&comparison, &args.gate)))
}

/// Reads a report from a file, or from standard input.
///
/// # Errors
/// Says which and why.
pub fn read(path: &Path) -> anyhow::Result<Report> {
    let report = if path.as_os_str() == "-" {
        Report::read_from(std::io::stdin().lock())
    } else {
        Report::read(path)
    };
    let error = match report {
        Ok(report) => return Ok(report),
        // So that the kernel's word is named as everywhere.
        Err(ReadError::Io(error)) => anyhow::Error::from(error),
        Err(error) => anyhow::Error::from(error),
    };
    let name = match path.to_str() {
        Some("-") => "standard input".into(),
        _ => path.to_string_lossy(),
    };
    Err(error.context(format!("cannot read {name}")))
}

/// A comparison of nothing is no success.
///
/// # Errors
/// When the reports have nothing in common.
pub fn ensure_possible(
    comparison: &Comparison,
    base: (&str, &Report),
    others: &[(&str, &Report)],
) -> anyhow::Result<()> {
    if !comparison.is_possible(base.1, others) {
        let names: Vec<&str> = others.iter().map(|(name, _)| *name).collect();
        bail!(
            "nothing to compare: {} and {} have neither a chunk nor a kind of result in common",
            base.0,
            names.join(", ")
        );
    }
    Ok(())
}

/// The gate's exit code if something that it looks at is worse.
pub fn exit_code(comparison: &Comparison, gate: &GateArgs) -> u8 {
    let is_worse = gate.gated().any(|metric| comparison.is_worse(metric));
    if is_worse { GATE } else { 0 }
}
