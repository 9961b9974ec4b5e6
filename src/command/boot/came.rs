//! What came of the command in one kernel: its report, or why there is none.

use anyhow::Context;

use crate::analysis::BoundaryTest;
use crate::boot::{Answer, Booted, Fate, Kernel, Machine};
use crate::cli::Command;
use crate::host::HostFacts;
use crate::pty::capacity::Geometry;
use crate::report::{
    Bytes, Came, Guest, Nanoseconds, Outcome, Report, Sweep, SweepRun, SweepVisit, Trouble,
};
use crate::sample::{Integrity, Verdict};

use super::super::GATE;

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
    pub fn of(kernel: &Kernel, machine: &Machine, booted: Booted) -> Self {
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
        let came = match came(&answer) {
            Ok(mut report) => {
                report.guest = Some(guest);
                Came::Report(report)
            }
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
    /// Of other commands, and where one boot has no sweep, the worst result
    /// stands for all.
    pub fn together(mut subjects: Vec<Self>, command: &Command) -> Option<Self> {
        let seeds: Vec<u64> = subjects.iter().flat_map(Self::seeds).collect();
        let sweeps: Vec<&Sweep> = subjects.iter().filter_map(Self::sweep).collect();
        let is_complete = sweeps.len() == subjects.len() && sweeps.len() > 1;
        let merged = match subjects.first().map(|first| &first.came) {
            Some(Came::Report(report)) if is_complete => merged(&sweeps, &report.host),
            _ => None,
        };
        subjects.sort_by_key(|subject| !matches!(subject.code, 1 | 124));
        let mut first = subjects.into_iter().next()?;
        if let Came::Report(report) = &mut first.came {
            if let Some(guest) = report.guest.as_mut().filter(|guest| guest.seeds.is_some()) {
                guest.seeds = Some(seeds);
            }
            if let Some(sweep) = merged {
                if matches!(command, Command::Sweep(args) if args.fail_on_step)
                    && first.code == 0
                    && sweep.has_step()
                {
                    first.code = GATE;
                }
                report.warnings.extend(sweep.warnings());
                report.result = Outcome::Sweep(sweep);
            }
        }
        Some(first)
    }

    fn sweep(&self) -> Option<&Sweep> {
        match &self.came {
            Came::Report(report) => match &report.result {
                Outcome::Sweep(sweep) => Some(sweep),
                _ => None,
            },
            _ => None,
        }
    }

    fn seeds(&self) -> Vec<u64> {
        match &self.came {
            Came::Report(report) => {
                let guest = report.guest.as_ref();
                guest
                    .and_then(|guest| guest.seeds.clone())
                    .unwrap_or_default()
            }
            _ => Vec::new(),
        }
    }
}

/// One sweep whose blocks are those of all, renumbered.
fn merged(sweeps: &[&Sweep], host: &HostFacts) -> Option<Sweep> {
    let page_size = host.page_size.unwrap_or(4096);
    let version = host.kernel.version;
    let geometry = version.and_then(|version| Geometry::of(version, page_size));
    let first = *sweeps.first()?;
    let mut run = SweepRun {
        settings: first.settings.clone(),
        plan: first.plan.clone(),
        overhead: sweeps.iter().map(|sweep| sweep.overhead).sum::<f64>() / sweeps.len() as f64,
        integrity: Integrity::default(),
        verdict: Verdict::Sound,
        visits: Vec::new(),
    };
    let mut blocks = 0;
    for sweep in sweeps {
        let warm_up = sweep.plan.warm_up_blocks;
        let counted = sweep.visits.iter().filter(|visit| visit.block >= warm_up);
        run.visits.extend(counted.map(|visit| SweepVisit {
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
pub fn came(answer: &Answer) -> anyhow::Result<Box<Report>> {
    let mut report = Report::parse(&answer.stdout).with_context(|| complaint(&answer.stderr))?;
    report.command = super::super::command_line();
    Ok(Box::new(report))
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
