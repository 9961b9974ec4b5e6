//! What happens outside: who opens a slave, and who takes a name away.

use std::os::fd::AsFd;

use nix::errno::Errno;

use crate::sample::{EventKind, LinkEvent};

use super::super::ledger::Ledger;
use super::super::names;
use super::Relay;
use super::wait::{self, Interest, Rung};

impl Relay {
    /// Whether somebody may open a slave and nothing would tell of it.
    pub(super) fn listens_in_vain(&self) -> bool {
        self.doorbell.is_deaf() && self.closed.contains(&true)
    }

    /// Somebody rang.
    pub(super) fn look_outside(
        &mut self,
        rung: Rung,
        ledger: &mut Ledger,
        now: u64,
    ) -> Result<(), Errno> {
        if rung.names {
            self.look_at_names(ledger, now);
        }
        self.answer_door(rung.opened, ledger, now)
    }

    /// Somebody may have taken a name away, or given it back.
    fn look_at_names(&self, ledger: &mut Ledger, now: u64) {
        for (end, name) in self.names.iter().enumerate() {
            let Some(name) = name else { continue };
            // First, so that no change after the look is missed.
            self.doorbell.watch_name(name);
            let lost = names::loss(name, self.ports[end].slave());
            if lost == ledger.standing.names_lost[end] {
                continue;
            }
            if lost.is_some() {
                ledger.event(LinkEvent {
                    unanswered: 0,
                    ..self.event(end, EventKind::NameLost, now)
                });
            }
            ledger.standing.names_lost[end] = lost;
            self.nudge.nudge();
        }
    }

    /// Somebody may have opened these slaves.
    fn answer_door(
        &mut self,
        opened: [bool; 2],
        ledger: &mut Ledger,
        now: u64,
    ) -> Result<(), Errno> {
        for (end, opened) in opened.into_iter().enumerate() {
            if !self.closed[end] || !opened {
                continue;
            }
            let mut entry = [wait::entry(
                self.ports[end].as_fd(),
                Some(Interest::default()),
            )];
            wait::wait(&mut entry, Some(0))?;
            // Who came and went at once may have left something.
            self.left_over[end] = true;
            if !wait::ready(&entry[0]).hung_up {
                self.closed[end] = false;
                ledger.event(self.event(end, EventKind::Open, now));
                self.explain_block(1 - end, ledger, now);
            }
        }
        Ok(())
    }
}
