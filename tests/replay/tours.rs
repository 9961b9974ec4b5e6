//! A tour of a recording, recorded by playing it.

use std::fs;
use std::path::Path;

use super::terminal::Terminal;
use super::{EASY, ok, ptyscope, text};

/// The built-in tour of that name, with short waits, as a file.
fn short(at: &Path, name: &str) {
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/tours");
    let tour = fs::read_to_string(assets.join(format!("{name}.toml"))).unwrap();
    let lines = tour.lines().map(|line| match line.starts_with("wait = ") {
        true => "wait = \"900ms\"\n".to_owned(),
        false => format!("{line}\n"),
    });
    fs::write(at.join(format!("{name}.toml")), lines.collect::<String>()).unwrap();
}

fn told_of<'a>(lines: &'a str, beginning: &str) -> Vec<&'a str> {
    let told = lines.lines().filter(|line| line.starts_with(beginning));
    told.collect()
}

#[test]
fn a_tour_plays_on_its_own_recording() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    short(at, "seed1");
    let arguments = "--plain --tour seed1.toml -d 8500ms --record a.rec.gz";
    let live = ok(at, arguments);
    let replayed = ok(at, "replay a.rec.gz --tour seed1.toml");
    for beginning in ["tour: ", "settings: "] {
        let told = told_of(&replayed, beginning);
        assert!(told.len() >= 4, "{replayed}");
        assert_eq!(told, told_of(&live, beginning), "{replayed}");
    }
    assert!(replayed.starts_with("recording: 2"), "{replayed}");
    assert!(!told_of(&replayed, "at ").is_empty(), "{replayed}");
    assert_eq!(told_of(&replayed, "caption: "), [""; 0]);
    // The built-in one has the same steps with longer waits.
    let built_in = ok(at, "replay a.rec.gz --tour seed1");
    assert_eq!(
        told_of(&built_in, "tour: seed1 "),
        told_of(&replayed, "tour: seed1 ")
    );
    on_a_screen(at);
}

fn on_a_screen(at: &Path) {
    let mut terminal = Terminal::start("replay a.rec.gz --tour seed1", |command| {
        command.current_dir(at)
    });
    terminal.wait_for_text(" TOUR 1/6 ");
    terminal.wait_for_text("writes 255 bytes a call");
    terminal.wait_for_text("chunk 255");
    // Any key takes over, T goes on.
    terminal.type_keys(" ");
    terminal.wait_for_text(" TOUR WAITS ");
    terminal.wait_for_text(" PAUSED ");
    terminal.type_keys("T");
    terminal.wait_for_text(" REPLAY ");
    terminal.wait_for_text(" TOUR 1/6 ");
    terminal.type_keys("++++++");
    terminal.wait_for_text(" REPLAY x64 ");
    terminal.type_keys("T");
    terminal.wait_for_text("And back to 256");
    terminal.wait_for_text(" TOUR OVER ");
    terminal.type_keys("q");
    assert_eq!(terminal.end().code(), Some(0));
}

#[test]
fn a_tour_of_what_was_not_recorded_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    fs::write(
        at.join("own.toml"),
        "format = 1\ntitle = \"t\"\n\
         [[step]]\nset = { chunk = 256 }\ncaption = \"a\"\nwait = \"1s\"\n\
         [[step]]\nset = { chunk = 257 }\ncaption = \"b\"\nwait = \"1s\"\n",
    )
    .unwrap();
    ok(at, &format!("bench {EASY} -d 300ms -q --record a.rec"));
    ok(at, "link -d 300ms --json --record link.rec");
    let told = "step 2 of tour own wants chunk 257, of which a.rec has nothing";
    let mut terminal = Terminal::start("replay a.rec --tour own.toml", |command| {
        command.current_dir(at)
    });
    assert_eq!(terminal.wait_for_end().code(), Some(2));
    terminal.wait_for_text("of which a.rec has");
    assert!(!terminal.output().bytes.contains(&0x1b));
    for (arguments, told) in [
        ("a.rec --tour own.toml", told),
        (
            "a.rec --tour seed2",
            "tour seed2 is of a link, a.rec of a driven pty",
        ),
        (
            "link.rec --tour own.toml",
            "tour own is of a driven pty, link.rec of a link",
        ),
        (
            "link.rec --tour seed2",
            "step 3 of tour seed2 wants latency 4.00 ms",
        ),
        ("a.rec --tour own.toml --at 1s", "no --at beside it"),
        (
            "a.rec --tour own.toml --format json",
            "no --format beside it",
        ),
        (
            "a.rec --tour own.toml --snapshot a.svg",
            "no --snapshot beside it",
        ),
    ] {
        let output = ptyscope(at, &format!("replay {arguments}"));
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(told), "{arguments}: {said}");
        assert_eq!(text(&output.stdout), "");
    }
    assert!(!at.join("a.svg").exists());
}
