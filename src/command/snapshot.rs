//! `--snapshot`: the screen as a file, without a terminal.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;

use crate::cli::SnapshotArgs;
use crate::report::{Document, Format};
use crate::sample::{Event, Request, Source};
use crate::tui::{App, Drawing, Effect, draw_snapshot, feed};

use super::output::{print_exactly, say, unless_closed};
use super::sinks::Target;
use super::stop::Stop;
use super::{Usage, plain};

/// A snapshot that was asked for, and its file made ready.
#[derive(Debug)]
pub struct Snapshot {
    path: PathBuf,
    drawing: Drawing,
    /// None: standard output.
    target: Option<Target>,
    args: SnapshotArgs,
}

impl Snapshot {
    /// What `args` ask for, if anything.
    ///
    /// # Errors
    /// When the name does not tell what it is to be, or cannot be written to.
    pub fn open(args: &SnapshotArgs) -> anyhow::Result<Option<Self>> {
        let Some(path) = &args.snapshot else {
            return Ok(None);
        };
        let shown = path.display();
        let is_stdout = path.as_os_str() == "-";
        let drawing = match Drawing::of(path) {
            Some(drawing) => drawing,
            None if is_stdout => Drawing::Text,
            None => {
                let why = format!("{shown}: a snapshot's name ends in .svg, .ans or .txt");
                return Err(Usage(why).into());
            }
        };
        let open = |path: &Path| Target::open(path);
        let target = (!is_stdout).then(|| open(path)).transpose();
        Ok(Some(Self {
            path: path.clone(),
            drawing,
            target: target.with_context(|| format!("cannot write to {shown}"))?,
            args: args.clone(),
        }))
    }

    /// Draws `app`.
    ///
    /// # Errors
    /// When the view is none of it, or the file cannot be written.
    pub fn write(self, app: &mut App) -> anyhow::Result<()> {
        if let Some(name) = self.args.view {
            let view = name.view();
            app.show(view)
                .map_err(|why| Usage(format!("--view {}: {why}", view.name())))?;
        }
        let text = Drawn(draw_snapshot(app, self.args.size, self.drawing));
        let Some(target) = self.target else {
            return unless_closed(print_exactly(&text.0));
        };
        let written = target.write(&text, Format::Text);
        written.with_context(|| format!("cannot write to {}", self.path.display()))
    }
}

/// What was drawn, as a file's content.
struct Drawn(String);

impl Document for Drawn {
    fn write(&self, _: Format, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(self.0.as_bytes())
    }
}

/// Lets `source` run to its end without a screen, and draws what the screen
/// would have shown then.
///
/// # Errors
/// As [`Snapshot::write`].
pub fn run(
    snapshot: Snapshot,
    mut app: App,
    source: &Source,
    stop: &Stop,
) -> anyhow::Result<ExitCode> {
    let mut ending = None;
    for event in &source.events {
        if stop.is_asked() {
            // The source answers with Ended.
            let _ = source.requests.send(Request::Stop);
        }
        match event {
            Event::Ended(end) => ending = Some(end),
            event => {
                if let Event::Notice(notice) = &event {
                    say(notice.text());
                }
                for effect in feed(&mut app, event) {
                    if let Effect::Ask(request) = effect {
                        let _ = source.requests.send(request);
                    }
                }
            }
        }
    }
    let ending = ending.context("the sampling thread died")?;
    snapshot.write(&mut app)?;
    Ok(plain::conclude(&ending))
}
