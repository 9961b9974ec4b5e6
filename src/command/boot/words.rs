//! What of a command line the guest needs to know.

use clap::{Arg, CommandFactory};

use crate::cli::{Cli, Command};

/// The command line without where its report goes, how it looks and what it is
/// called: all that is done outside. A guest whose clock counts instructions
/// counts those that read its arguments too, so that the name of a file would
/// change the result.
pub fn for_guest(words: &[String]) -> Vec<String> {
    let cli = Cli::command();
    let Some(command) = words.first().and_then(|name| cli.find_subcommand(name)) else {
        return words.to_vec();
    };
    let find = |is_it: &dyn Fn(&Arg) -> bool| command.get_arguments().find(|arg| is_it(arg));
    let mut kept = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if let Some(long) = word.strip_prefix("--") {
            let (name, value) = long.split_once('=').unzip();
            let arg = find(&|arg| arg.get_long() == Some(name.unwrap_or(long)));
            let has_next = value.is_none() && arg.is_some_and(takes_value);
            let next = has_next.then(|| words.next()).flatten();
            if !arg.is_some_and(is_done_outside) {
                kept.push(word.clone());
                kept.extend(next.cloned());
            }
        } else if let Some(shorts) = word.strip_prefix('-') {
            let mut left = String::from("-");
            let mut next = None;
            for (at, short) in shorts.char_indices() {
                let arg = find(&|arg| arg.get_short() == Some(short));
                let is_kept = !arg.is_some_and(is_done_outside);
                if arg.is_some_and(takes_value) {
                    let rest = shorts.get(at..).unwrap_or_default();
                    let is_alone = rest.chars().nth(1).is_none();
                    next = is_alone.then(|| words.next()).flatten();
                    left.push_str(if is_kept { rest } else { "" });
                    next = next.filter(|_| is_kept);
                    break;
                }
                left.extend(is_kept.then_some(short));
            }
            kept.extend((left.len() > 1 || shorts.is_empty()).then_some(left));
            kept.extend(next.cloned());
        } else {
            kept.push(word.clone());
        }
    }
    kept
}

/// What the command's report is to be called.
pub fn label(command: &Command) -> Option<&str> {
    let label = match command {
        Command::Bench(args) => &args.label.label,
        Command::Sweep(args) => &args.label.label,
        Command::Capacity(args) => &args.label.label,
        Command::Xmodem(args) => &args.label.label,
        Command::Check(args) => &args.label,
        _ => &None,
    };
    label.as_deref()
}

fn takes_value(arg: &Arg) -> bool {
    arg.get_action().takes_values()
}

fn is_done_outside(arg: &Arg) -> bool {
    arg.get_help_heading() == Some("Report") || matches!(arg.get_id().as_str(), "save" | "against")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_a_report_goes_is_not_the_guests_business() {
        for (line, want) in [
            ("sweep 255..257 --json", "sweep 255..257"),
            (
                "sweep -o a.json --output=b.svg -q -r 9 --theme dark",
                "sweep -r 9",
            ),
            ("sweep -qr9 -oc.csv --label x 64", "sweep -r9 64"),
            ("sweep -qo c.csv --fail-on-step", "sweep --fail-on-step"),
            ("check -q --format ktap --only -o", "check --only -o"),
            (
                "bench 256 --save a --against b --fail-on-worse 5%",
                "bench 256 --fail-on-worse 5%",
            ),
            ("xmodem -n 1K --label=x --crc -", "xmodem -n 1K --crc -"),
            ("capacity --from slave -o-", "capacity --from slave"),
            ("no-such -q", "no-such -q"),
            ("", ""),
        ] {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            assert_eq!(for_guest(&words).join(" "), want, "{line}");
        }
    }
}
