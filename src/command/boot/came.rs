//! What came of the command in one kernel: its report, or why there is none.

use anyhow::Context;

use crate::analysis::BoundaryTest;
use crate::boot::{Answer, Booted, Fate, Kernel, Machine};
use crate::cli::Command;
use crate::pty::capacity::Geometry;
use crate::report::{
    Bytes, Came, Guest, Nanoseconds, Outcome, Report, Sweep, SweepRun, Trouble, XmodemReport,
};
use crate::sample::Verdict;

/// A kernel and what came of the command in it.
#[derive(Debug)]
pub struct Subject {
    /// What to call it.
    pub name: String,
    /// The exit code that says it.
    pub code: u8,
    /// What the command wrote to standard error.
    pub stderr: Vec<u8>,
    /// The result.
    pub came: Came,
}

impl Subject {
    /// One that could not be tried.
    pub fn troubled(name: String, word: &str, text: String) -> Self {
        Self {
            name,
            code: 1,
            stderr: Vec::new(),
            came: Came::Trouble(Trouble {
                word: word.to_owned(),
                text,
                console: Vec::new(),
            }),
        }
    }

    /// What came of one boot.
    pub fn of(kernel: &Kernel, machine: &Machine, booted: Booted, command: &Command) -> Self {
        let started = booted.start.as_ref().map(|start| start.release.clone());
        let name = started.unwrap_or_else(|| kernel.name());
        let code = booted.fate.exit_code();
        let guest = guest(kernel, machine, &booted);
        let answer = match booted.fate {
            Fate::Ran(answer) => answer,
            fate => {
                let tells = fate.is_of_the_kernel();
                let trouble = Trouble {
                    word: fate.word().to_owned(),
                    text: explain(&fate, machine),
                    console: if tells { booted.console } else { Vec::new() },
                };
                return Self {
                    name,
                    code,
                    stderr: Vec::new(),
                    came: Came::Trouble(trouble),
                };
            }
        };
        let came = match came(&answer, command) {
            Ok(Came::Report(mut report)) => {
                report.guest = Some(guest);
                Came::Report(report)
            }
            Ok(other) => other,
            Err(error) => {
                let text = format!("{error:#} (exit code {code})");
                return Self {
                    code: code.max(1),
                    stderr: answer.stderr,
                    ..Self::troubled(name, "no report", text)
                };
            }
        };
        Self {
            name,
            code,
            stderr: answer.stderr,
            came,
        }
    }

    /// Several boots of one kernel taken together: each one's sweep is a block.
    /// Of other commands the first boot's result stands for all.
    pub fn together(mut subjects: Vec<Self>) -> Option<Self> {
        subjects.sort_by_key(|subject| subject.code != 1 && subject.code != 124);
        let rest = subjects.split_off(1.min(subjects.len()));
        let mut first = subjects.pop()?;
        let Came::Report(report) = &mut first.came else {
            return Some(first);
        };
        let mut sweeps = Vec::new();
        for subject in &rest {
            if let Came::Report(other) = &subject.came {
                if let Outcome::Sweep(sweep) = &other.result {
                    sweeps.push(sweep);
                }
                let seeds = other.guest.as_ref().and_then(|guest| guest.seeds.as_ref());
                let ours = report.guest.as_mut().and_then(|guest| guest.seeds.as_mut());
                if let (Some(ours), Some(seeds)) = (ours, seeds) {
                    ours.extend(seeds);
                }
            }
        }
        if let Outcome::Sweep(sweep) = &report.result {
            sweeps.insert(0, sweep);
            let geometry = report.host.kernel.version.zip(report.host.page_size);
            let geometry = geometry.and_then(|(version, page)| Geometry::of(version, page));
            let page_size = report.host.page_size.unwrap_or(4096);
            let merged = merged(&sweeps, page_size, geometry);
            report
                .warnings
                .extend(merged.as_ref().map_or(Vec::new(), Sweep::warnings));
            if let Some(merged) = merged {
                report.result = Outcome::Sweep(merged);
            }
        }
        Some(first)
    }
}

/// One sweep whose blocks are those of all, renumbered.
fn merged(sweeps: &[&Sweep], page_size: usize, geometry: Option<Geometry>) -> Option<Sweep> {
    let first = *sweeps.first()?;
    let mut run = SweepRun {
        settings: first.settings.clone(),
        plan: first.plan.clone(),
        overhead: sweeps.iter().map(|sweep| sweep.overhead).sum::<f64>() / sweeps.len() as f64,
        integrity: crate::sample::Integrity::default(),
        verdict: Verdict::Sound,
        visits: Vec::new(),
    };
    let mut blocks = 0;
    for sweep in sweeps {
        let warm_up = sweep.plan.warm_up_blocks;
        let counted = sweep.visits.iter().filter(|visit| visit.block >= warm_up);
        run.visits
            .extend(counted.map(|visit| crate::report::SweepVisit {
                block: blocks + visit.block - warm_up,
                ..*visit
            }));
        blocks += sweep.blocks;
        run.integrity.add(&sweep.integrity);
        if sweep.verdict != Verdict::Sound && run.verdict != Verdict::Damaged {
            run.verdict = sweep.verdict;
        }
    }
    run.plan.warm_up_blocks = 0;
    run.plan.looks = vec![blocks];
    let test = BoundaryTest {
        looks: 1,
        ..first.test
    };
    Some(run.analyse(test, page_size, geometry))
}

/// The report that the command wrote.
///
/// # Errors
/// When it wrote none.
pub fn came(answer: &Answer, command: &Command) -> anyhow::Result<Came> {
    if matches!(command, Command::Xmodem(_)) {
        let report: XmodemReport =
            serde_json::from_slice(&answer.stdout).with_context(|| complaint(&answer.stderr))?;
        return Ok(Came::Xmodem(Box::new(report)));
    }
    let mut report = Report::parse(&answer.stdout).with_context(|| complaint(&answer.stderr))?;
    report.command = super::super::command_line();
    Ok(Came::Report(Box::new(report)))
}

/// Less than this may be too little for a distribution's kernel to unpack
/// itself, of which it says nothing.
const LITTLE_MEMORY: u64 = 128 << 20;

fn explain(fate: &Fate, machine: &Machine) -> String {
    let mut text = fate.explain();
    let is_mute = matches!(
        fate,
        Fate::NeverStarted(_) | Fate::WentOff { had_started: false }
    );
    if is_mute && machine.memory < LITTLE_MEMORY {
        let mebibytes = machine.memory >> 20;
        text.push_str(&format!(
            "; {mebibytes} MiB of memory may be too little, --memory gives it more"
        ));
    }
    text
}

/// What the command said, or that it said nothing.
fn complaint(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    match text.lines().last() {
        Some(line) => format!("the command has no report; it says \"{line}\""),
        None => "the command has no report".to_owned(),
    }
}

fn guest(kernel: &Kernel, machine: &Machine, booted: &Booted) -> Guest {
    let took_ns = match &booted.fate {
        Fate::Ran(answer) => answer.end.took_ns,
        _ => 0,
    };
    Guest {
        image: kernel.path.display().to_string(),
        accel: booted.accel,
        cpus: machine.cpus,
        memory: Bytes(machine.memory),
        append: machine.append.clone(),
        seeds: machine.deterministic.map(|seed| vec![seed]),
        lacks: booted
            .start
            .as_ref()
            .map_or(Vec::new(), |start| start.lacks.clone()),
        to_init: booted.to_init.unwrap_or_default().into(),
        command: Nanoseconds::from(took_ns),
        whole: booted.lasted.into(),
    }
}
