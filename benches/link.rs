//! The null modem beside a bare poll relay and socat, in one run.
//!
//! ```text
//! cargo bench --bench link                    # round trips and throughput
//! cargo bench --bench link -- rounds=15       # more of them
//! ```
//!
//! Each round visits all arms in an order of its own; what is shown are medians
//! of the rounds, and of the ratios within a round. Every arm is a process of its own, the two clients
//! are threads of this one.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use nix::libc;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::unistd::{read, write};
use ptyscope::link::{BUSY_POLL, Format, NullModem, Setup, Target};
use ptyscope::pty::{End, Mode, Pair};

/// Round trips in a visit, and visits in a round.
const TRIPS: usize = 500;
const VISITS: usize = 5;
const BULK: usize = 8 << 20;
const CHUNKS: [usize; 3] = [256, 4096, 65536];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.first().map(String::as_str) {
        Some("serve-bare") => serve_bare(),
        Some("serve-link") => serve_link(&arguments[1..]),
        _ => measure(&arguments),
    }
}

/// An arm: a process that serves two ttys.
struct Arm {
    name: &'static str,
    child: Child,
    paths: [PathBuf; 2],
    _directory: Option<tempfile::TempDir>,
}

impl Drop for Arm {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn ours(name: &'static str, arguments: &[&str]) -> Arm {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut path = || PathBuf::from(lines.next().unwrap().unwrap());
    let paths = [path(), path()];
    Arm {
        name,
        child,
        paths,
        _directory: None,
    }
}

fn socat() -> Option<Arm> {
    let directory = tempfile::tempdir().unwrap();
    let paths = ["a", "b"].map(|name| directory.path().join(name));
    let address = |path: &Path| format!("PTY,link={},raw,echo=0", path.display());
    let mut child = Command::new("socat")
        .args([address(&paths[0]), address(&paths[1])])
        .spawn()
        .ok()?;
    while !paths.iter().all(|path| path.exists()) {
        if let Ok(Some(status)) = child.try_wait() {
            println!("socat has ended by itself: {status}");
            return None;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    Some(Arm {
        name: "socat",
        child,
        paths,
        _directory: Some(directory),
    })
}

fn measure(arguments: &[String]) {
    let rounds = arguments
        .iter()
        .find_map(|argument| argument.strip_prefix("rounds=")?.parse().ok())
        .unwrap_or(9);
    let mut arms = vec![
        ours("bare relay", &["serve-bare"]),
        ours("ptyscope", &["serve-link"]),
        ours("ptyscope --busy-poll 0", &["serve-link", "busy=0"]),
        ours("ptyscope --dump", &["serve-link", "dump"]),
        ours("ptyscope --pairs 64", &["serve-link", "links=64"]),
    ];
    match socat() {
        Some(arm) => arms.push(arm),
        None => println!("without socat: its arm is left out"),
    }
    let mut found = Found::default();
    let mut shuffle = Shuffle(1);
    // Round trips in short visits: what the machine does beside changes more
    // slowly than they do.
    for _ in 0..rounds * VISITS {
        for arm in shuffle.order(&arms) {
            let times = round_trips(arm);
            found.put(arm.name, "p50 us", quantile(&times, 0.5));
            found.put(arm.name, "p99 us", quantile(&times, 0.99));
        }
    }
    for _ in 0..rounds {
        for chunk in CHUNKS {
            for arm in shuffle.order(&arms) {
                found.put(arm.name, &format!("MB/s at {chunk}"), bulk(arm, chunk));
            }
        }
    }
    for arm in &arms {
        println!("{}", arm.name);
        found.print(arm.name);
    }
}

/// Values by arm and measure, one a visit.
#[derive(Default)]
struct Found(BTreeMap<(String, String), Vec<f64>>);

impl Found {
    fn put(&mut self, arm: &str, what: &str, value: f64) {
        let key = (arm.to_owned(), what.to_owned());
        self.0.entry(key).or_default().push(value);
    }

    /// Medians, and medians of the ratios within a visit.
    fn print(&self, arm: &str) {
        for ((_, what), values) in self.0.iter().filter(|((name, _), _)| name == arm) {
            let versus = |other: &str| {
                let theirs = self.0.get(&(other.to_owned(), what.clone()))?;
                let ratios = values
                    .iter()
                    .zip(theirs)
                    .map(|(ours, theirs)| ours / theirs);
                let ratio = quantile(&ratios.collect::<Vec<_>>(), 0.5);
                Some(format!("{ratio:.2} x {other}"))
            };
            let ratios: Vec<_> = ["bare relay", "socat"]
                .into_iter()
                .filter_map(versus)
                .collect();
            let value = quantile(values, 0.5);
            println!("  {what:14} {value:8.1}   {}", ratios.join("   "));
        }
    }
}

struct Shuffle(u64);

impl Shuffle {
    fn order<'a>(&mut self, arms: &'a [Arm]) -> Vec<&'a Arm> {
        let mut order: Vec<_> = arms.iter().collect();
        for n in (1..order.len()).rev() {
            self.0 = self
                .0
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            order.swap(n, (self.0 >> 33) as usize % (n + 1));
        }
        order
    }
}

fn quantile(values: &[f64], q: f64) -> f64 {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    let last = values.len().saturating_sub(1);
    values
        .get((last as f64 * q) as usize)
        .copied()
        .unwrap_or(0.0)
}

fn open(path: &Path) -> File {
    let mut options = OpenOptions::new();
    options.read(true).write(true).custom_flags(libc::O_NOCTTY);
    let file = options.open(path).unwrap();
    Mode::RAW.apply(&file).unwrap();
    file
}

/// A byte there and a byte back, in microseconds.
fn round_trips(arm: &Arm) -> Vec<f64> {
    let [mut a, mut b] = [open(&arm.paths[0]), open(&arm.paths[1])];
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let mut byte = [0];
            for _ in 0..TRIPS {
                b.read_exact(&mut byte).unwrap();
                b.write_all(&byte).unwrap();
            }
        });
        let mut byte = [0];
        let trip = |_| {
            let began = Instant::now();
            a.write_all(b"x").unwrap();
            a.read_exact(&mut byte).unwrap();
            began.elapsed().as_secs_f64() * 1e6
        };
        (0..TRIPS).map(trip).collect()
    })
}

/// MB/s from A to B in writes of `chunk` bytes.
fn bulk(arm: &Arm, chunk: usize) -> f64 {
    let [mut a, mut b] = [open(&arm.paths[0]), open(&arm.paths[1])];
    let began = Instant::now();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let data = vec![b'x'; chunk];
            (0..BULK / chunk).for_each(|_| a.write_all(&data).unwrap());
        });
        let mut buffer = vec![0; 65536];
        let mut left = BULK / chunk * chunk;
        while left > 0 {
            left -= b.read(&mut buffer).unwrap();
        }
    });
    BULK as f64 / began.elapsed().as_secs_f64() / 1e6
}

fn until_stdin_closes() {
    let _ = std::io::stdin().read(&mut [0]);
}

fn serve_link(arguments: &[String]) {
    let links = arguments
        .iter()
        .find_map(|argument| argument.strip_prefix("links=")?.parse().ok())
        .unwrap_or(1);
    let directory = tempfile::tempdir().unwrap();
    let sleeps = arguments.iter().any(|argument| argument == "busy=0");
    let dump = arguments.iter().any(|argument| argument == "dump");
    let traces = dump.then(|| Target {
        format: Format::Text,
        path: directory.path().join("trace"),
        limit: Some(1 << 26),
        rotate: true,
    });
    let modem = NullModem::start(Setup {
        links,
        busy_poll: if sleeps { Duration::ZERO } else { BUSY_POLL },
        traces: traces.into_iter().collect(),
        ..Setup::default()
    })
    .unwrap();
    for path in modem.paths()[0] {
        println!("{}", path.display());
    }
    until_stdin_closes();
}

/// The floor: poll, read, write, and nothing else.
fn serve_bare() {
    let pairs = [(); 2].map(|()| Pair::open(Mode::RAW).unwrap());
    for pair in &pairs {
        println!("{}", pair.slave_path().display());
    }
    let masters = [&pairs[0], &pairs[1]].map(|pair| pair.fd(End::Master));
    std::thread::spawn(|| {
        until_stdin_closes();
        std::process::exit(0);
    });
    let mut buffer = vec![0; 16384];
    loop {
        let mut entries = masters.map(|fd| PollFd::new(fd, PollFlags::POLLIN));
        poll(&mut entries, PollTimeout::NONE).unwrap();
        let ready = entries.map(|entry| entry.any().unwrap_or(false));
        for end in 0..2 {
            if ready[end] {
                let n = read(masters[end].as_fd(), &mut buffer).unwrap();
                let mut left = &buffer[..n];
                while !left.is_empty() {
                    let n = write(masters[1 - end].as_fd(), left).unwrap();
                    left = &left[n..];
                }
            }
        }
    }
}
