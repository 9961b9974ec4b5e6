//! Several boots at once, as many as do not disturb each other.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::boot::Kernel;
use crate::cli::Command;
use crate::words::counted;

use super::boots::Boots;
use super::came::Subject;

/// One boot to be done: a kernel, and the seed if the machine has one.
#[derive(Debug, Clone, Copy)]
struct Job<'a> {
    of: usize,
    kernel: &'a Kernel,
    seed: Option<u64>,
}

/// Boots all kernels with all seeds, so many at once; what came of each kernel,
/// in their order.
pub fn boot_all(
    kernels: &[&Kernel],
    seeds: &[Option<u64>],
    at_once: usize,
    boots: &Boots,
    command: &Command,
) -> Vec<Subject> {
    let jobs: Vec<Job<'_>> = kernels
        .iter()
        .enumerate()
        .flat_map(|(of, kernel)| seeds.iter().map(move |&seed| Job { of, kernel, seed }))
        .collect();
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(Job<'_>, Subject)>> = Mutex::default();
    std::thread::scope(|scope| {
        for _ in 0..at_once.clamp(1, jobs.len().max(1)) {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(&job) = jobs.get(number) else {
                        return;
                    };
                    let subject = boots.subject(number, job.kernel, job.seed);
                    let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
                    done.push((job, subject));
                    boots.show(&format!(
                        "{} of {} done",
                        done.len(),
                        counted(jobs.len(), "boot")
                    ));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    // By seed, so that the order in which they ended shows nowhere.
    done.sort_by_key(|(job, _)| job.seed);
    let mut groups: Vec<Vec<Subject>> = kernels.iter().map(|_| Vec::new()).collect();
    for (job, subject) in done {
        if let Some(group) = groups.get_mut(job.of) {
            group.push(subject);
        }
    }
    groups
        .into_iter()
        .filter_map(|group| Subject::together(group, command))
        .collect()
}
