//! What /proc/PID/stat tells of a process (proc_pid_stat(5)).

use super::files;

/// A process, or a thread, at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessStat {
    /// Its name, at most 15 bytes (proc_pid_comm(5)); it may hold any character.
    pub comm: String,
    /// R running, S asleep, D asleep and not to be woken by a signal, T stopped,
    /// t stopped by a debugger, Z ended and not waited for.
    pub state: char,
    /// Its process group.
    pub group: i32,
    /// Its session.
    pub session: i32,
    /// Its controlling terminal as `major << 8 | minor`, with the minor's bits
    /// above the eighth from bit 20 on; 0 for none.
    terminal: u32,
    /// The foreground process group of that terminal; -1 for none.
    pub foreground: i32,
    flags: u32,
    /// The CPU that it last ran on.
    pub cpu: u32,
}

impl ProcessStat {
    /// Of a process; None when it has ended, or is not ours to see.
    pub fn of(pid: u32) -> Option<Self> {
        Self::parse(&files::text(format!("/proc/{pid}/stat"))?)
    }

    /// Of a thread.
    pub fn of_thread(pid: u32, tid: u32) -> Option<Self> {
        Self::parse(&files::text(format!("/proc/{pid}/task/{tid}/stat"))?)
    }

    fn parse(text: &str) -> Option<Self> {
        let (before, after) = text.rsplit_once(") ")?;
        let fields: Vec<&str> = after.split_ascii_whitespace().collect();
        // Field 3 of proc_pid_stat(5) is the first after the name.
        let field = |number: usize| fields.get(number - 3).copied();
        Some(Self {
            comm: before.split_once('(')?.1.to_owned(),
            state: field(3)?.chars().next()?,
            group: field(5)?.parse().ok()?,
            session: field(6)?.parse().ok()?,
            // It is printed as a signed number.
            terminal: field(7)?.parse::<i32>().ok()?.cast_unsigned(),
            foreground: field(8)?.parse().ok()?,
            flags: field(9)?.parse().ok()?,
            cpu: field(39)?.parse().ok()?,
        })
    }

    /// N, if its controlling terminal is the slave of pty N of some devpts.
    pub fn terminal_index(&self) -> Option<u32> {
        let major = self.terminal >> 8 & 0xfff;
        let minor = self.terminal & 0xff | self.terminal >> 12 & 0xf_ff00;
        (major == 136).then_some(minor)
    }

    /// Whether it is a thread of the kernel (PF_KTHREAD).
    pub fn is_kernel_thread(&self) -> bool {
        self.flags & 0x0020_0000 != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAT: &str = "77 (a) S 9 (b) S 1 77 76 34823 78 4194560 0 0 0 0 0 0 0 0 20 0 1 0 5 0 0 \
                        0 0 0 0 0 0 0 0 0 0 0 0 0 17 3 0 0";

    #[test]
    fn fields_are_found_behind_any_name() {
        let stat = ProcessStat::parse(STAT).unwrap();
        assert_eq!(stat.comm, "a) S 9 (b");
        assert_eq!((stat.state, stat.group, stat.session), ('S', 77, 76));
        assert_eq!(stat.terminal_index(), Some(7));
        assert_eq!((stat.foreground, stat.cpu), (78, 3));
        assert!(!stat.is_kernel_thread());
        assert_eq!(ProcessStat::parse("1 (x"), None);
    }

    #[test]
    fn a_terminal_of_a_high_number_is_read_whole() {
        // 136:300, as new_encode_dev of linux/kdev_t.h writes it.
        let number = (300 & 0xff) | (136 << 8) | ((300 & !0xff) << 12);
        let text = STAT.replace(" 34823 ", &format!(" {number} "));
        let stat = ProcessStat::parse(&text).unwrap();
        assert_eq!(stat.terminal_index(), Some(300));
    }

    #[test]
    fn this_process_is_no_kernel_thread_and_the_kernels_are() {
        let own = ProcessStat::of(std::process::id()).unwrap();
        assert!(!own.is_kernel_thread());
        assert_eq!(ProcessStat::of(0), None);
    }
}
