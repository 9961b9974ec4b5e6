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
    let mut row = |name: &str, text: &str| {
        if !text.is_empty() {
            let _ = writeln!(out, "  {name:<9} {text}");
        }
    };
    row("group", check.group.title());
    row("tier", tier(check.tier));
    row("root", check.needs.text());
    row("does", check.does);
    row("expects", check.expects);
    row("since", check.since);
    for era in check.eras {
        row("else", &era.to_string());
    }
    if let Some(era) = &check.risky {
        row("risk", &format!("runs there only with --risky: {era}"));
    }
    for source in check.sources {
        row("source", source);
    }
    row("means", check.means);
    for report in check.reports {
        row("report", report);
    }
    out
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
