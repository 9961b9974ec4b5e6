//! Checks as they describe themselves, without a run.

use std::fmt::Write;

use crate::check::{Check, Group, Tier, all};

/// A line for each check: id, tier, root needed, title, first source.
pub fn list<'a>(checks: impl IntoIterator<Item = &'a Check>) -> String {
    let mut out = String::new();
    let mut group = None;
    for check in checks {
        if group != Some(check.group) {
            group = Some(check.group);
            let _ = writeln!(out, "{}: {}", check.group.name(), check.group.title());
        }
        let _ = writeln!(
            out,
            "  {:<18} {:<6} root: {:<14} {} [{}]",
            check.id,
            tier(check.tier),
            check.needs.text(),
            check.title,
            check.sources.join("; ")
        );
    }
    out
}

fn tier(tier: Tier) -> &'static str {
    match tier {
        Tier::First => "first",
        Tier::Second => "second",
    }
}

/// All that a check says of itself.
pub fn explain(check: &Check) -> String {
    let mut out = format!("{}: {}\n", check.id, check.title);
    for (name, text) in rows(check) {
        let _ = writeln!(out, "  {name:<9} {text}");
    }
    out
}

/// What a check says of itself beside its title, each with its name.
pub fn rows(check: &Check) -> Vec<(&'static str, String)> {
    let mut rows = vec![
        ("group", check.group.title().to_owned()),
        ("tier", tier(check.tier).to_owned()),
        ("root", check.needs.text().to_owned()),
        ("does", check.does.to_owned()),
        ("expects", check.expects.to_owned()),
        ("since", check.since.to_owned()),
    ];
    let all = |name, texts: &[&str]| -> Vec<_> {
        texts
            .iter()
            .map(|text| (name, (*text).to_owned()))
            .collect()
    };
    rows.extend(check.eras.iter().map(|era| ("else", era.to_string())));
    let risk = |era| format!("runs there only with --risky: {era}");
    rows.extend(check.risky.iter().map(|era| ("risk", risk(era))));
    rows.extend(all("source", check.sources));
    rows.push(("means", check.means.to_owned()));
    rows.extend(all("report", check.reports));
    rows.retain(|(_, text)| !text.is_empty());
    rows
}

/// The table of all checks for the documentation, in Markdown.
pub fn table() -> String {
    let mut out = String::from(
        "# The checks\n\n\
         Written by the program from the checks' own descriptions; a test keeps it in step.\n\
         `ptyscope check --explain ID` says more of each. Tier 2 runs with `--all`.\n",
    );
    for group in Group::ALL {
        let _ = write!(
            out,
            "\n## {}\n\n| check | tier | root | does | expects | since | source |\n\
             |---|---|---|---|---|---|---|\n",
            group.title()
        );
        for check in all().filter(|check| check.group == group) {
            let tier = match check.tier {
                Tier::First => 1,
                Tier::Second => 2,
            };
            let mut since = check.since.to_owned();
            for era in check.eras {
                let _ = write!(since, "; {era}");
            }
            let cells = [check.does, check.expects, &since, &check.sources.join("; ")]
                .map(|cell| cell.replace('|', "\\|"));
            let _ = writeln!(
                out,
                "| `{}` | {tier} | {} | {} |",
                check.id,
                check.needs.text(),
                cells.join(" | ")
            );
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What people ask who met a pty at its limits.
    #[test]
    fn what_explains_a_report_says_what_its_figures_do_not_prove() {
        for (id, words) in [
            (
                "close.drain",
                &["TIOCOUTQ", "FIONREAD", "flip buffers", "SIGCHLD"][..],
            ),
            ("lim.capacity", &["wait for each other"]),
            ("tio.modem", &["1b8b20868a6d", "before 5.13", "measured"]),
        ] {
            let text = explain(crate::check::find(id).unwrap());
            for word in words {
                assert!(text.contains(word), "{word} in {text}");
            }
        }
    }
}
