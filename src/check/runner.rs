//! Runs checks, each in a process and a session of its own, under a limit.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::host::{errno_text, this_program};

use super::entry::{ARGUMENT, Gates, Order};
use super::sys::Fault;
use super::{Check, Class, Group, Outcome, Tier, running};

mod process;

/// How checks are run.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The program that carries out one check when started with
    /// [`ARGUMENT`]: [`this_program`].
    pub program: PathBuf,
    /// The longest that one wait in a check may take.
    pub deadline: Duration,
    /// How many checks run at once; at least 1.
    pub jobs: usize,
    /// How often each check runs; at least 1.
    pub repeat: u32,
    /// Where pseudo-random numbers start.
    pub seed: u64,
    /// Also run checks where they can hang the running kernel.
    pub risky: bool,
    /// Speeds below or beyond which a check fails.
    pub gates: Gates,
    /// How the kernel's answers are altered; none but in tests.
    pub faults: Vec<Fault>,
}

impl Settings {
    /// The limit of a whole check: several waits may each nearly reach their
    /// deadline on a machine that is very busy.
    pub fn limit(&self) -> Duration {
        self.deadline * 4 + Duration::from_secs(4)
    }
}

/// How checks are run where nothing is asked for: as many at once as there are
/// CPUs, by this program.
impl Default for Settings {
    fn default() -> Self {
        Self {
            program: this_program(),
            deadline: Duration::from_secs(5),
            jobs: std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get),
            repeat: 1,
            seed: 1,
            risky: false,
            gates: Gates::default(),
            faults: Vec::new(),
        }
    }
}

/// Ends a run early, from any thread.
#[derive(Debug, Clone, Default)]
pub struct Halt(Arc<AtomicBool>);

impl From<Arc<AtomicBool>> for Halt {
    /// Halts once it is true.
    fn from(flag: Arc<AtomicBool>) -> Self {
        Self(flag)
    }
}

impl Halt {
    /// Starts no more checks and kills those that run.
    pub fn halt(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    fn is_asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// How one check ended, over all its runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// The check.
    pub id: String,
    /// Its group.
    pub group: Group,
    /// Its tier.
    pub tier: Tier,
    /// The worst outcome of its runs.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// How often it ran.
    pub runs: u32,
    /// How many of the runs ended as the outcome says.
    pub alike: u32,
    /// Wall time of all runs, in milliseconds.
    pub ms: u64,
}

/// What happens during a run.
#[derive(Debug, Clone, Copy)]
pub enum Event<'a> {
    /// A check begins.
    Started(&'a Check),
    /// A check has ended.
    Finished(&'a Check, &'a Finding),
}

/// Runs `checks` and tells `watch` of each as it begins and ends. The findings
/// come in the order of the checks.
///
/// Checks that measure time or count the machine's ptys run by themselves
/// after the others.
pub fn run(checks: &[&Check], settings: &Settings, watch: impl FnMut(Event<'_>)) -> Vec<Finding> {
    run_until(checks, settings, &Halt::default(), watch)
}

/// The same, until somebody halts it: of a check that had not ended then there
/// is no finding.
pub fn run_until(
    checks: &[&Check],
    settings: &Settings,
    halt: &Halt,
    mut watch: impl FnMut(Event<'_>),
) -> Vec<Finding> {
    let mut findings: Vec<Option<Finding>> = vec![None; checks.len()];
    let (alone, together): (Vec<_>, Vec<_>) =
        (0..checks.len()).partition(|&at| checks.get(at).is_some_and(|check| check.alone));
    for (which, jobs) in [(together, settings.jobs.max(1)), (alone, 1)] {
        pool(checks, &which, jobs, (settings, halt), &mut |at, event| {
            if let (Event::Finished(_, finding), Some(slot)) = (event, findings.get_mut(at)) {
                *slot = Some(finding.clone());
            }
            watch(event);
        });
    }
    findings.into_iter().flatten().collect()
}

fn pool(
    checks: &[&Check],
    which: &[usize],
    jobs: usize,
    (settings, halt): (&Settings, &Halt),
    watch: &mut dyn FnMut(usize, Event<'_>),
) {
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel::<(usize, Option<Finding>)>();
    std::thread::scope(|scope| {
        for _ in 0..jobs.min(which.len()) {
            let (sender, next) = (sender.clone(), &next);
            scope.spawn(move || {
                while let Some(&at) = which.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let Some(check) = checks.get(at) else {
                        continue;
                    };
                    if halt.is_asked() {
                        return;
                    }
                    let _ = sender.send((at, None));
                    let Some(finding) = repeated(check, settings, halt) else {
                        return;
                    };
                    let _ = sender.send((at, Some(finding)));
                }
            });
        }
        drop(sender);
        for (at, finding) in receiver {
            let Some(check) = checks.get(at) else {
                continue;
            };
            match &finding {
                None => watch(at, Event::Started(check)),
                Some(finding) => watch(at, Event::Finished(check, finding)),
            }
        }
    });
}

/// None when it was halted.
fn repeated(check: &Check, settings: &Settings, halt: &Halt) -> Option<Finding> {
    let start = Instant::now();
    let mut worst: Option<(Outcome, u32)> = None;
    let mut runs = 0;
    for turn in 0..settings.repeat.max(1) {
        if halt.is_asked() {
            return None;
        }
        let seed = settings.seed.wrapping_add(turn.into());
        let outcome = once(check, settings, seed, halt)?;
        runs += 1;
        let over = matches!(outcome.class, Class::Skip | Class::Hang);
        worst = Some(match worst {
            Some((kept, alike)) if kept.class == outcome.class => (kept, alike + 1),
            Some(kept) if rank(kept.0.class) >= rank(outcome.class) => kept,
            _ => (outcome, 1),
        });
        if over {
            break;
        }
    }
    let (outcome, alike) = worst.unwrap_or_else(|| (Outcome::told(Class::Skip, "not run"), 0));
    Some(Finding {
        id: check.id.to_owned(),
        group: check.group,
        tier: check.tier,
        outcome,
        runs,
        alike,
        ms: u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX),
    })
}

/// Which of two outcomes of the same check is told.
fn rank(class: Class) -> u8 {
    match class {
        Class::Pass => 0,
        Class::Skip => 1,
        Class::Known => 2,
        Class::Env => 3,
        Class::Fail => 4,
        Class::Hang => 5,
    }
}

fn once(check: &Check, settings: &Settings, seed: u64, halt: &Halt) -> Option<Outcome> {
    let skip = |why: String| Some(Outcome::told(Class::Skip, why));
    if let Some(era) = check.risky
        && era.covers(running())
        && !settings.risky
    {
        return skip(format!("can hang this kernel ({era}); --risky runs it"));
    }
    let order = Order {
        runner: Some(nix::unistd::Pid::this().as_raw()),
        id: check.id.to_owned(),
        deadline_ms: u64::try_from(settings.deadline.as_millis()).unwrap_or(u64::MAX),
        seed,
        gates: settings.gates,
        faults: settings.faults.clone(),
    };
    let Ok(order) = serde_json::to_string(&order) else {
        return skip("its order cannot be written".to_owned());
    };
    let spawned = Command::new(&settings.program)
        .args([ARGUMENT, &order])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    match spawned {
        Ok(child) => process::outcome(child, settings.limit(), halt),
        Err(error) => skip(format!(
            "cannot start {}: {}",
            settings.program.display(),
            errno_text(&error)
        )),
    }
}

/// The exit code of a run: 0 nothing failed, 1 something failed or hangs, 4
/// nothing could be checked (as kselftest has it): where there is no pty at all,
/// a machine that is set up well does not make up for it.
pub fn exit_code(findings: &[Finding], strict_env: bool) -> u8 {
    let any = |wanted: &[Class]| findings.iter().any(|f| wanted.contains(&f.outcome.class));
    let is_of_set_up = |finding: &&Finding| finding.id.starts_with("env.");
    let is_all_set_up = findings.iter().all(|finding| is_of_set_up(&finding));
    let mut counted = findings
        .iter()
        .filter(|finding| is_all_set_up || !is_of_set_up(finding));
    if any(&[Class::Fail, Class::Hang]) || (strict_env && any(&[Class::Env])) {
        1
    } else if counted.any(|f| matches!(f.outcome.class, Class::Pass | Class::Known)) {
        0
    } else {
        4
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(class: Class) -> Finding {
        Finding {
            id: "open.ptmx".to_owned(),
            group: Group::Open,
            tier: Tier::First,
            outcome: Outcome::told(class, ""),
            runs: 1,
            alike: 1,
            ms: 0,
        }
    }

    fn code(classes: &[Class], strict: bool) -> u8 {
        let findings: Vec<_> = classes.iter().copied().map(finding).collect();
        exit_code(&findings, strict)
    }

    #[test]
    fn all_skipped_never_reads_as_passed() {
        assert_eq!(code(&[], false), 4);
        assert_eq!(code(&[Class::Skip, Class::Skip], false), 4);
        assert_eq!(code(&[Class::Skip, Class::Env], false), 4);
        assert_eq!(code(&[Class::Skip, Class::Pass], false), 0);
        assert_eq!(code(&[Class::Known], false), 0);
    }

    #[test]
    fn a_good_set_up_without_a_pty_is_nothing_checked() {
        let mounts = Finding {
            id: "env.mounts".to_owned(),
            ..finding(Class::Pass)
        };
        let [alone, beside] = [vec![], vec![finding(Class::Env)]].map(|mut others| {
            others.push(mounts.clone());
            exit_code(&others, false)
        });
        assert_eq!((alone, beside), (0, 4));
    }

    #[test]
    fn failures_and_hangs_fail_and_so_do_env_findings_when_asked() {
        assert_eq!(code(&[Class::Pass, Class::Fail], false), 1);
        assert_eq!(code(&[Class::Pass, Class::Hang], false), 1);
        assert_eq!(code(&[Class::Pass, Class::Env], false), 0);
        assert_eq!(code(&[Class::Pass, Class::Env], true), 1);
    }
}
