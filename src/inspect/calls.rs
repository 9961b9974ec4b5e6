//! What a thread does: its system call and where it sleeps in the kernel.

use std::fs::File;
use std::io::Read;

use crate::host::ProcessStat;

use super::Way;

/// A thread at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThreadLook {
    /// The thread.
    pub tid: u32,
    /// /proc/PID/stat of it.
    pub stat: ProcessStat,
    /// Its system call: the number and the first argument. None while it runs,
    /// or where it is not ours to see.
    pub call: Option<(i64, u64)>,
    /// Where it sleeps in the kernel (proc_pid_wchan(5)).
    pub wchan: Option<String>,
    /// How often it has left the CPU: the same number twice is one sleep.
    pub switches: Option<u64>,
}

/// A process at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessLook {
    /// Its threads.
    pub threads: Vec<ThreadLook>,
    /// Whether their calls are ours to see.
    pub calls_seen: bool,
    /// Bytes that it has written in its life, to whatever (`wchar` of
    /// proc_pid_io(5)); a write counts when it returns.
    pub written: Option<u64>,
}

/// Looks at a process.
///
/// /proc/PID/syscall takes the right to trace it (ptrace(2),
/// PTRACE_MODE_ATTACH), and its numbers mean what they mean here only in a
/// program of this program's word size.
pub fn look_at(pid: u32) -> ProcessLook {
    let tasks = std::fs::read_dir(format!("/proc/{pid}/task"));
    let tids = tasks
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    let mut seen = is_of_our_size(pid);
    let mut threads = Vec::new();
    for tid in tids {
        let of = |name| read(&format!("/proc/{pid}/task/{tid}/{name}"));
        let Some(stat) = ProcessStat::of_thread(pid, tid) else {
            continue;
        };
        let line = of("syscall");
        seen &= line.is_some();
        threads.push(ThreadLook {
            tid,
            stat,
            call: line.filter(|_| seen).and_then(|line| parse_call(&line)),
            wchan: of("wchan").filter(|name| name != "0"),
            switches: of("status").map(|text| switches(&text)),
        });
    }
    ProcessLook {
        threads,
        calls_seen: seen,
        written: read(&format!("/proc/{pid}/io")).and_then(|text| written(&text)),
    }
}

fn written(io: &str) -> Option<u64> {
    let line = io.lines().find_map(|line| line.strip_prefix("wchar: "))?;
    line.parse().ok()
}

impl ThreadLook {
    /// The read or write that it is in, with the descriptor.
    pub fn transfer(&self) -> Option<(&'static str, Way, i32)> {
        let (number, fd) = self.call?;
        let &(_, name, way) = TRANSFERS.iter().find(|(known, ..)| *known == number)?;
        // The register holds more than the int that the call looks at.
        Some((name, way, fd as u32 as i32))
    }

    /// What it does, as a clause.
    pub fn doing(&self) -> String {
        match self.stat.state {
            'T' => "is stopped by a signal".to_owned(),
            't' => "is stopped by a debugger".to_owned(),
            'Z' | 'X' => "has ended".to_owned(),
            'R' => "runs".to_owned(),
            state => {
                let how = if state == 'D' {
                    ", and no signal wakes it"
                } else {
                    ""
                };
                format!("sleeps{}{how}", self.place())
            }
        }
    }

    fn place(&self) -> String {
        if let Some((name, _, fd)) = self.transfer() {
            return format!(" in {name} of descriptor {fd}");
        }
        let known = self.call.map(|(number, _)| {
            let name = SLEEPS.iter().find(|(known, _)| *known == number);
            name.map_or(format!("system call {number}"), |(_, name)| {
                (*name).to_owned()
            })
        });
        match known.or_else(|| self.wchan.clone()) {
            Some(place) => format!(" in {place}"),
            None => String::new(),
        }
    }

    /// Whether `before` is the same sleep in the same call.
    pub fn is_since(&self, before: &Self) -> bool {
        self.call.is_some()
            && self.tid == before.tid
            && self.call == before.call
            && self.switches.is_some()
            && self.switches == before.switches
    }
}

/// Calls that move bytes through their first argument.
const TRANSFERS: [(i64, &str, Way); 4] = [
    (libc::SYS_read, "read", Way::Read),
    (libc::SYS_readv, "readv", Way::Read),
    (libc::SYS_write, "write", Way::Write),
    (libc::SYS_writev, "writev", Way::Write),
];

/// Calls that programs sleep in, by name.
const SLEEPS: &[(i64, &str)] = &[
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_poll, "poll"),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_select, "select"),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_epoll_wait, "epoll_wait"),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_pause, "pause"),
    (libc::SYS_ppoll, "ppoll"),
    (libc::SYS_pselect6, "pselect6"),
    (libc::SYS_epoll_pwait, "epoll_pwait"),
    (libc::SYS_futex, "futex"),
    (libc::SYS_nanosleep, "nanosleep"),
    (libc::SYS_clock_nanosleep, "clock_nanosleep"),
    (libc::SYS_wait4, "wait4"),
    (libc::SYS_waitid, "waitid"),
    (libc::SYS_rt_sigsuspend, "rt_sigsuspend"),
    (libc::SYS_rt_sigtimedwait, "rt_sigtimedwait"),
    (libc::SYS_recvmsg, "recvmsg"),
    (libc::SYS_recvfrom, "recvfrom"),
    (libc::SYS_sendmsg, "sendmsg"),
    (libc::SYS_sendto, "sendto"),
    (libc::SYS_accept, "accept"),
    (libc::SYS_accept4, "accept4"),
    (libc::SYS_connect, "connect"),
    (libc::SYS_flock, "flock"),
    (libc::SYS_fsync, "fsync"),
    (libc::SYS_io_uring_enter, "io_uring_enter"),
    (libc::SYS_restart_syscall, "a sleep that a signal broke off"),
];

fn read(path: &str) -> Option<String> {
    Some(std::fs::read_to_string(path).ok()?.trim_end().to_owned())
}

/// `1 0x4 0x…`: the number and the arguments; `running`; `-1 …` outside of a
/// call.
fn parse_call(line: &str) -> Option<(i64, u64)> {
    let mut words = line.split(' ');
    let number = words.next()?.parse().ok().filter(|&number| number >= 0)?;
    let first = words.next()?.strip_prefix("0x")?;
    Some((number, u64::from_str_radix(first, 16).ok()?))
}

fn switches(status: &str) -> u64 {
    let fields = status.lines().filter_map(|line| line.split_once(':'));
    fields
        .filter(|(name, _)| name.ends_with("voluntary_ctxt_switches"))
        .filter_map(|(_, number)| number.trim().parse::<u64>().ok())
        .sum()
}

/// Whether a process runs a program of this program's word size, by the class
/// in its ELF header (elf(5)).
fn is_of_our_size(pid: u32) -> bool {
    let class = |path: String| {
        let mut header = [0; 5];
        File::open(path).ok()?.read_exact(&mut header).ok()?;
        Some(header[4])
    };
    let ours = if size_of::<usize>() == 8 { 2 } else { 1 };
    class(format!("/proc/{pid}/exe")) == Some(ours)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_read_as_the_kernel_writes_them() {
        assert_eq!(parse_call("1 0x4 0x5600 0x3e8"), Some((1, 4)));
        for line in ["running", "-1 0x7ffc 0x7f7f", "", "1"] {
            assert_eq!(parse_call(line), None, "{line}");
        }
    }

    #[test]
    fn what_was_written_is_a_line_of_its_own() {
        assert_eq!(written("rchar: 1\nwchar: 23\nsyscr: 4\n"), Some(23));
        assert_eq!(written("rchar: 1\n"), None);
    }

    #[test]
    fn switches_of_both_kinds_count() {
        let status = "Name:\tx\nvoluntary_ctxt_switches:\t3\nnonvoluntary_ctxt_switches:\t4\n";
        assert_eq!(switches(status), 7);
    }

    #[test]
    fn the_calls_of_this_process_are_its_own_to_see() {
        let look = look_at(std::process::id());
        assert!(look.calls_seen && !look.threads.is_empty());
        assert!(look.threads.iter().all(|thread| thread.switches.is_some()));
    }
}
