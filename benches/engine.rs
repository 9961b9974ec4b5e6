//! The engine against a bare loop of write(2) and read(2) that counts nothing,
//! in this binary, in turn; what is shown is the ratio of their times.
//!
//! `cargo bench` runs it. With the name of a program that takes a chunk and a
//! number of bytes (`PTYSCOPE_BASELINE=./bench_pty_buf`), that program as a
//! whole is a further arm.

use std::os::fd::AsFd;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use nix::unistd::{read, write};
use ptyscope::analysis::{Ratio, SplitMix64, paired_ratio};
use ptyscope::engine::{Engine, Options, PEER_ARGUMENT, peer_main};
use ptyscope::pty::{End, Mode, Pair};
use ptyscope::workload::{Payload, Peers, Settings};

const CHUNKS: [usize; 5] = [64, 255, 257, 1024, 4096];
const ROUNDS: usize = 12;
/// The first argument that makes this program the bare loop's reader.
const BARE_READER: &str = "__bare-reader";

/// Bytes of one run: some tenths of a second each.
fn amount(chunk: usize) -> u64 {
    match chunk {
        0..=128 => 8_000_000,
        129..=512 => 24_000_000,
        _ => 80_000_000,
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    match arguments.get(1).map(String::as_str) {
        Some(PEER_ARGUMENT) => peer_main(&arguments[2]).unwrap(),
        Some(BARE_READER) => {
            let number = |at: usize| arguments[at].parse().unwrap();
            read_all(std::io::stdin().as_fd(), number(2) as usize, number(3));
        }
        _ => compare_all(),
    }
}

fn compare_all() {
    println!("time of the engine over that of a bare loop: median ratio [95 % interval]");
    println!(
        "{:>6}  {:<28} {:<28} constant, processes",
        "chunk", "threads, verified", "threads, not verified"
    );
    for chunk in CHUNKS {
        let settings = |peers, payload, verify| Settings {
            chunk,
            peers,
            payload,
            verify,
            ..Settings::default()
        };
        let verified = compare(
            || bare_threads(chunk),
            || engine(settings(Peers::Threads, None, true)),
        );
        let counted = compare(
            || bare_threads(chunk),
            || engine(settings(Peers::Threads, None, false)),
        );
        let processes = compare(
            || bare_processes(chunk),
            || engine(settings(Peers::Processes, Some(Payload::Constant), true)),
        );
        println!(
            "{chunk:>6}  {:<28} {:<28} {}",
            show(verified),
            show(counted),
            show(processes)
        );
        if let Ok(program) = std::env::var("PTYSCOPE_BASELINE") {
            let whole = compare(
                || baseline(&program, chunk),
                || engine(settings(Peers::Threads, None, true)),
            );
            let like = compare(
                || baseline(&program, chunk),
                || engine(settings(Peers::Processes, Some(Payload::Constant), true)),
            );
            println!(
                "        against {program}: {} by default, {} constant in processes",
                show(whole),
                show(like)
            );
        }
    }
}

/// Runs both arms in turn, in an order that is drawn anew each round.
fn compare(bare: impl Fn() -> Duration, engine: impl Fn() -> Duration) -> Option<Ratio> {
    let mut random = SplitMix64::new(1);
    let mut pairs = Vec::new();
    for _ in 0..ROUNDS {
        let mut order = [0, 1];
        random.shuffle(&mut order);
        let mut times = [0.0; 2];
        for arm in order {
            let time = if arm == 0 { bare() } else { engine() };
            times[arm] = time.as_secs_f64();
        }
        pairs.push((times[0], times[1]));
    }
    paired_ratio(&pairs, 0.95)
}

fn show(ratio: Option<Ratio>) -> String {
    ratio.map_or("-".to_owned(), |r| {
        format!("{:.3} [{:.3}, {:.3}]", r.estimate, r.low, r.high)
    })
}

fn engine(settings: Settings) -> Duration {
    let limit = Some(amount(settings.chunk));
    let start = Instant::now();
    let engine = Engine::start(
        settings,
        Options {
            limit,
            ..Options::default()
        },
    )
    .unwrap();
    while !engine.wait(Duration::from_secs(60)) {}
    let time = start.elapsed();
    engine.stop();
    time
}

fn bare_threads(chunk: usize) -> Duration {
    let pair = Pair::open(Mode::RAW).unwrap();
    let start = Instant::now();
    std::thread::scope(|scope| {
        scope.spawn(|| read_all(pair.fd(End::Master), chunk, amount(chunk)));
        write_all(&pair, chunk);
    });
    start.elapsed()
}

fn bare_processes(chunk: usize) -> Duration {
    let pair = Pair::open(Mode::RAW).unwrap();
    let start = Instant::now();
    let master = pair.fd(End::Master).try_clone_to_owned().unwrap();
    let mut reader = Command::new(std::env::current_exe().unwrap())
        .args([BARE_READER, &chunk.to_string(), &amount(chunk).to_string()])
        .stdin(Stdio::from(master))
        .spawn()
        .unwrap();
    write_all(&pair, chunk);
    reader.wait().unwrap();
    start.elapsed()
}

fn baseline(program: &str, chunk: usize) -> Duration {
    let start = Instant::now();
    let status = Command::new(program)
        .args([chunk.to_string(), amount(chunk).to_string()])
        .stdout(Stdio::null())
        .status()
        .unwrap();
    assert!(status.success(), "{program} failed: {status}");
    start.elapsed()
}

fn write_all(pair: &Pair, chunk: usize) {
    let bytes = vec![b'1'; chunk];
    let mut left = amount(chunk);
    while left > 0 {
        let n = chunk.min(left as usize);
        left -= write(pair.fd(End::Slave), &bytes[..n]).unwrap() as u64;
    }
}

fn read_all(fd: impl AsFd, chunk: usize, total: u64) {
    let mut buffer = vec![0; chunk];
    let mut left = total;
    while left > 0 {
        left -= read(fd.as_fd(), &mut buffer).unwrap() as u64;
    }
}
