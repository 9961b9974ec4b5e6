//! The Kernel Test Anything Protocol, version 1
//! (Documentation/dev-tools/ktap.rst), a subtest for each group.

use std::fmt::Write;

use crate::check::checkup::{Checkup, Described};
use crate::check::{Class, Group};

/// The findings in KTAP.
pub fn ktap(checkup: &Checkup) -> String {
    let strict_env = checkup.terms.strict_env;
    let groups: Vec<(Group, Vec<&Described>)> = Group::ALL
        .into_iter()
        .map(|group| {
            let of = checkup
                .checks
                .iter()
                .filter(|check| check.finding.group == group);
            (group, of.collect::<Vec<_>>())
        })
        .filter(|(_, checks)| !checks.is_empty())
        .collect();
    let mut out = format!("KTAP version 1\n1..{}\n", groups.len());
    for (number, (group, checks)) in (1..).zip(&groups) {
        let _ = writeln!(
            out,
            "  KTAP version 1\n  # Subtest: {}\n  1..{}",
            group.name(),
            checks.len()
        );
        for (number, check) in (1..).zip(checks) {
            write_check(&mut out, number, check, strict_env);
        }
        let classes = || checks.iter().map(|check| check.finding.outcome.class);
        let ok = word(classes().all(|class| passes(class, strict_env)));
        let skipped = classes().all(|class| skips(class, strict_env));
        let directive = if skipped {
            " # SKIP nothing of it could be checked"
        } else {
            ""
        };
        let _ = writeln!(out, "{ok} {number} {}{directive}", group.name());
    }
    out
}

fn passes(class: Class, strict_env: bool) -> bool {
    match class {
        Class::Fail | Class::Hang => false,
        Class::Env => !strict_env,
        Class::Pass | Class::Known | Class::Skip => true,
    }
}

fn skips(class: Class, strict_env: bool) -> bool {
    class == Class::Skip || (class == Class::Env && !strict_env)
}

fn word(ok: bool) -> &'static str {
    if ok { "ok" } else { "not ok" }
}

fn write_check(out: &mut String, number: usize, check: &Described, strict_env: bool) {
    let outcome = &check.finding.outcome;
    let got = outcome.got.as_deref().map(one_line).unwrap_or_default();
    for (name, text) in [
        ("expected", &outcome.expected),
        ("got", &outcome.got),
        ("known", &outcome.known),
    ] {
        if let Some(text) = text {
            let _ = writeln!(out, "  # {}: {name}: {}", check.finding.id, one_line(text));
        }
    }
    let directive = match outcome.class {
        Class::Skip => format!(" # SKIP {got}"),
        Class::Env if !strict_env => format!(" # SKIP environment: {got}"),
        Class::Known => " # XFAIL documented behaviour of this kernel".to_owned(),
        Class::Hang => " # TIMEOUT".to_owned(),
        Class::Pass | Class::Fail | Class::Env => String::new(),
    };
    let ok = word(passes(outcome.class, strict_env));
    let _ = writeln!(out, "  {ok} {number} {}{directive}", check.finding.id);
}

/// A reason must not end its line, nor begin a directive.
fn one_line(text: &str) -> String {
    text.replace(['\n', '\r'], " ").replace('#', "no.")
}
