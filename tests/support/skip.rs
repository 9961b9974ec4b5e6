//! Tests that need what a machine may lack.

use std::io::Write;

/// Says that a test was skipped and what would run it. With
/// `PTYSCOPE_REQUIRE_TOOLS=1` that is a failure.
pub fn skip(why: &str, needed: &str) {
    let text = format!("skipped: {why}; to run it: {needed}");
    let required = std::env::var_os("PTYSCOPE_REQUIRE_TOOLS").is_some_and(|value| value == "1");
    assert!(!required, "{text}");
    // Not eprintln!, which the test runner swallows when a test passes.
    let _ = writeln!(std::io::stderr(), "{text}");
}
