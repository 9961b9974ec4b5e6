//! The screen as its user sees it, on a source without a pty and a clock that
//! the test owns.

mod actions;
mod appearance;
mod big;
mod checks;
mod looks;
mod prompt;
mod random;
mod replays;
mod samples;
mod snapshots;
mod synthetic;
mod toured;
mod tours;
mod walk;

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::host::{CpuFacts, HostFacts, KernelFacts, Mount, PtyFacts, Surroundings};
use crate::sample::Event;
use crate::workload::Settings;

use super::action::Action;
use super::state::{App, Facts, Weight};
use super::theme::Theme;
use super::update::{Effect, Typed, feed, type_in, update};
use super::view;
use synthetic::Synthetic;

/// The state and its source, joined as the loop of the screen joins them.
struct Desk {
    app: App,
    source: Synthetic,
}

impl Desk {
    fn new() -> Self {
        Self::with(Settings::default(), 1)
    }

    fn with(settings: Settings, seed: u64) -> Self {
        let mut app = App::new(facts(), settings.clone(), Theme::Dark, false);
        app.weight = Weight {
            bytes_per_second: 5_432.0,
            cpu: 0.0061,
        };
        Self {
            app,
            source: Synthetic::new(settings, seed),
        }
    }

    /// Does an action; gives what is left for the loop to do.
    fn press(&mut self, action: Action) -> Vec<Effect> {
        let effects = update(&mut self.app, action);
        self.carry_out(effects)
    }

    /// Types `text` into the prompt and then Enter.
    fn enter(&mut self, text: &str) {
        for c in text.chars() {
            assert!(type_in(&mut self.app, Typed::Char(c)).is_empty());
        }
        let effects = type_in(&mut self.app, Typed::Enter);
        self.carry_out(effects);
    }

    fn carry_out(&mut self, effects: Vec<Effect>) -> Vec<Effect> {
        let mut others = Vec::new();
        for effect in effects {
            match effect {
                Effect::Ask(request) => {
                    if let Some(event) = self.source.answer(request) {
                        self.tell(event);
                    }
                }
                other => others.push(other),
            }
        }
        others
    }

    fn tell(&mut self, event: Event) {
        let effects = feed(&mut self.app, event);
        assert!(self.carry_out(effects).is_empty());
    }

    /// Lets so many intervals pass.
    fn run(&mut self, samples: usize) {
        for _ in 0..samples {
            let sample = self.source.sample();
            self.tell(Event::Sample(Arc::new(sample)));
        }
    }

    fn draw(&self, width: u16, height: u16) -> Buffer {
        let area = Rect::new(0, 0, width, height);
        let mut buffer = Buffer::empty(area);
        view::draw(&self.app, area, &mut buffer);
        buffer
    }

    fn picture(&self, width: u16, height: u16) -> String {
        text(&self.draw(width, height))
    }

    fn message(&self) -> &str {
        self.app.message.as_ref().map_or("", |m| m.text.as_str())
    }
}

/// A screen before its first sample.
pub fn empty() -> App {
    Desk::new().app
}

/// The rows of a picture, without the blanks at their ends.
fn text(buffer: &Buffer) -> String {
    let area = buffer.area;
    let row = |y| -> String {
        let row: String = (area.left()..area.right())
            .map(|x| buffer[(x, y)].symbol())
            .collect();
        row.trim_end().to_owned()
    };
    let rows: Vec<String> = (area.top()..area.bottom()).map(row).collect();
    rows.join("\n")
}

fn facts() -> Facts {
    let text = |text: &str| Some(text.to_owned());
    let host = HostFacts {
        kernel: KernelFacts {
            release: text("6.12.9-amd64"),
            version: "6.12.9-amd64".parse().ok(),
            build: text("#1 SMP PREEMPT_DYNAMIC Debian 6.12.9-1 (2025-01-10)"),
            arch: text("x86_64"),
            boot_options: Some(vec!["mitigations=off".to_owned()]),
            hz: Some(250),
            unbound_workqueue_cpus: text("ff"),
        },
        cpu: CpuFacts {
            model: text("AMD Ryzen 7 7840U w/ Radeon 780M Graphics"),
            online: Some(16),
            governor: text("powersave"),
        },
        pty: PtyFacts {
            max: Some(4096),
            nr: Some(7),
            reserve: Some(1024),
            devpts: Some(vec![Mount {
                mount_point: "/dev/pts".into(),
                mount_options: "rw,nosuid,noexec,relatime".to_owned(),
                options: "rw,gid=5,mode=620,ptmxmode=000".to_owned(),
            }]),
        },
        surroundings: Surroundings {
            hypervisor: text("KVMKVMKVM"),
            ..Surroundings::default()
        },
        page_size: Some(4096),
        memory: Some(32 << 30),
    };
    Facts {
        host: Arc::new(host),
        clock_ns: 24.0,
        no_kmallocs: None,
    }
}
