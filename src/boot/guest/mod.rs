//! Init in the guest: sets up what a pty needs, runs the command, tells the
//! host how it ended, and powers off.

pub(super) mod entropy;
mod line;
mod nodes;
mod run;
mod settle;

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use nix::errno::Errno;
use nix::mount::{MsFlags, mount};
use nix::sys::reboot::{RebootMode, reboot};

use super::CONSOLE_PREFIX;
use super::channel::{Message, Start};
use super::order::{Order, PLACE};
use crate::host::{errno_text, monotonic_ns};

use line::Line;

/// The argument that makes the program be init. Kernels hand words that they
/// do not know to init (Documentation/admin-guide/kernel-parameters.rst).
pub(super) const ARGUMENT: &str = "__init";

/// Whether the program was started as init of a guest. The argument can stand
/// behind others, words that were meant for a kernel with more options.
pub fn is_init() -> bool {
    std::process::id() == 1 && std::env::args_os().any(|word| word == ARGUMENT)
}

/// What a distribution's initial root does, newest first: kernels before 3.4
/// (and 2.6.29) refuse options that they do not know.
const DEVPTS: [&str; 3] = ["gid=5,mode=620,ptmxmode=666", "gid=5,mode=620", ""];

/// Is init until the machine is off.
pub fn main() -> ! {
    let at_ns = monotonic_ns();
    let mut lacks = Vec::new();
    let order = order();
    let is_set_up = set_up(order.as_ref().ok(), &mut lacks);
    match Line::open() {
        Ok(line) => {
            let start = Start {
                release: release(),
                at_ns,
                lacks,
            };
            line.tell(&Message::Started(start));
            match (order, is_set_up) {
                (Ok(order), Ok(())) => {
                    entropy::seed();
                    if order.settle {
                        settle::settle();
                    }
                    run::run(&order, &line);
                }
                (Err(why), _) | (_, Err(why)) => line.tell(&Message::Refused(why)),
            }
            line.drain();
        }
        // On the console: there is no other way.
        Err(why) => drop(writeln!(io::stderr(), "{CONSOLE_PREFIX}{why}")),
    }
    power_off()
}

fn order() -> Result<Order, String> {
    let place = Path::new("/").join(PLACE);
    let about = |why: &str| format!("cannot read the order {}: {why}", place.display());
    let text = fs::read(&place).map_err(|error| about(&errno_text(&error)))?;
    serde_json::from_slice(&text).map_err(|error| about(&error.to_string()))
}

fn release() -> String {
    let name = nix::sys::utsname::uname();
    name.map_or_else(
        |_| "unknown".to_owned(),
        |name| name.release().to_string_lossy().into_owned(),
    )
}

/// Mounts what there is and notes what this kernel lacks.
fn set_up(order: Option<&Order>, lacks: &mut Vec<String>) -> Result<(), String> {
    let _ = fs::create_dir("/dev");
    if attach("devtmpfs", "/dev", "mode=755").is_err() {
        lacks.push("no devtmpfs (CONFIG_DEVTMPFS): the nodes in /dev were made by init".to_owned());
        nodes::make();
    }
    for (kind, place, option) in [
        ("proc", "/proc", "CONFIG_PROC_FS"),
        ("sysfs", "/sys", "CONFIG_SYSFS"),
    ] {
        if let Err(error) = attach(kind, place, "") {
            lacks.push(format!("no {kind} ({option}): {}", error.desc()));
        }
    }
    // For the counts of kmalloc calls; few test kernels have it.
    let _ = attach("tracefs", "/sys/kernel/tracing", "");
    let _ = fs::create_dir("/dev/pts");
    let asked = order.and_then(|order| order.devpts.as_deref());
    let ways: Vec<&str> = asked.map_or(DEVPTS.to_vec(), |options| vec![options]);
    let mut result = Ok(());
    for options in ways {
        result = attach("devpts", "/dev/pts", options);
        if result.is_ok() {
            break;
        }
    }
    match (result, asked) {
        (Ok(()), _) => Ok(()),
        (Err(Errno::ENODEV), _) => {
            lacks.push("no devpts (CONFIG_UNIX98_PTYS): it has no ptys".to_owned());
            Ok(())
        }
        (Err(error), Some(options)) => Err(format!(
            "this kernel does not mount devpts with {options}: {}",
            error.desc()
        )),
        (Err(error), None) => {
            lacks.push(format!("devpts cannot be mounted: {}", error.desc()));
            Ok(())
        }
    }
}

fn attach(kind: &str, place: &str, options: &str) -> nix::Result<()> {
    let flags = MsFlags::MS_NOSUID | MsFlags::MS_NOEXEC;
    mount(Some(kind), place, Some(kind), flags, Some(options))
}

/// Ends the machine. Without a way to power it off a reset ends it as well:
/// qemu was told not to reboot.
fn power_off() -> ! {
    let _ = reboot(RebootMode::RB_POWER_OFF);
    let _ = reboot(RebootMode::RB_AUTOBOOT);
    loop {
        std::thread::park();
    }
}
