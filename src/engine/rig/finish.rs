//! The end of a workload, in which every byte under way is read.

use std::time::Duration;

use crate::pty::End;
use crate::workload::Pace;

use super::super::crew::{Member, PATIENCE};
use super::super::orders::{Command, Order};
use super::super::worker::Role;
use super::Rig;

/// How long the readers may go without a byte before what is missing counts
/// as lost. Far above the latest a kworker was seen (40 ms on a busy box).
const NO_PROGRESS: Duration = Duration::from_secs(3);

impl Rig {
    /// Ends all work: writers first, then the readers once they have read what
    /// is left; gives, for each reader, how many bytes never came.
    ///
    /// Workers that the kernel does not let go within [`PATIENCE`] are left to
    /// the drop.
    pub fn finish(&self) -> Vec<(End, u64)> {
        self.end_traffic();
        self.drain();
        let missing = self
            .crew
            .members()
            .iter()
            .filter(|m| !matches!(m.assignment.role, Role::Writer | Role::Drain))
            .map(|m| {
                let read = m.slot().read.bytes();
                (m.assignment.end.peer(), self.due(m).saturating_sub(read))
            })
            .collect();
        self.command(
            |_| true,
            |order| Order {
                command: Command::Abort,
                ..order
            },
        );
        self.crew.end(PATIENCE, |_| true);
        missing
    }

    /// Ends those with whom the traffic begins; `false` when one did not end
    /// in [`PATIENCE`].
    ///
    /// Who asks in a ping-pong ends with an answer, so who answers is let go
    /// first, be it held, stopped or slow. Other readers are not: their
    /// writers end without them, and would only write more.
    fn end_traffic(&self) -> bool {
        self.command(
            |m| m.assignment.role == Role::Responder,
            |order| Order {
                command: Command::Run,
                ..at_once(order)
            },
        );
        self.command(
            |m| m.assignment.role.starts_traffic(),
            |order| Order {
                command: Command::Finish,
                ..order
            },
        );
        self.crew
            .end(PATIENCE, |m| m.assignment.role.starts_traffic())
    }

    /// Lets the readers have what is left, and end; `false` when nothing came
    /// any more for so long that nothing will.
    fn drain(&self) -> bool {
        for member in self.crew.members() {
            if !member.assignment.role.starts_traffic() {
                member.give(&Order {
                    command: Command::Finish,
                    limit: self.due(member),
                    ..at_once(member.slot().orders.take())
                });
            }
        }
        let readers = || {
            let members = self.crew.members().iter();
            members.filter(|m| m.assignment.role.is_served_last())
        };
        let progress = || -> u64 { readers().map(|m| m.slot().read.bytes()).sum() };
        loop {
            let before = progress();
            if self
                .crew
                .end(NO_PROGRESS, |m| m.assignment.role.is_served_last())
            {
                return true;
            }
            if progress() == before {
                return false;
            }
        }
    }

    fn command(&self, which: impl Fn(&Member) -> bool, change: impl Fn(Order) -> Order) {
        for member in self.crew.members().iter().filter(|m| which(m)) {
            member.give(&change(member.slot().orders.take()));
        }
    }
}

/// The order without what makes it slow.
fn at_once(order: Order) -> Order {
    Order {
        pace: Pace::None,
        read_size: order.read_size.max(65536),
        ..order
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use crate::pty::End;
    use crate::sample::Call;
    use crate::workload::{Direction, Pace, Settings};

    use super::super::super::orders::Command;
    use super::super::{Options, Rig};

    /// A ping-pong that was let run until `is_there`.
    fn run(settings: &Settings, is_there: impl Fn(&Rig) -> bool) -> Rig {
        let rig = Rig::set_up(settings, &Options::default()).unwrap();
        rig.order(settings, &Options::default(), 1, Command::Run);
        let until = Instant::now() + Duration::from_secs(60);
        while !is_there(&rig) {
            assert!(Instant::now() < until, "it never got there");
            std::thread::sleep(Duration::from_millis(1));
        }
        rig
    }

    fn assert_ends_whole(rig: &Rig) {
        assert!(rig.end_traffic(), "who asks waited in vain");
        assert!(rig.drain(), "who answers waited in vain");
        assert!(rig.finish().iter().all(|&(_, missing)| missing == 0));
        let [asker, answerer] = [End::Master, End::Slave].map(|end| {
            let mut members = rig.crew().members().iter();
            members.find(|m| m.assignment.end == end).unwrap().slot()
        });
        let trips: u64 = asker.trips.copy().iter().sum();
        let counts = [&asker.write, &answerer.read, &answerer.write, &asker.read];
        assert_eq!(counts.map(|calls| calls.bytes() % 1000), [0; 4]);
        assert_eq!(counts.map(|calls| calls.bytes() / 1000), [trips; 4]);
    }

    #[test]
    fn a_held_ping_pong_needs_no_patience() {
        let settings = Settings {
            direction: Direction::Echo,
            chunk: 1000,
            ..Settings::default()
        };
        // Held wherever it happens to be: half of the time a message is under
        // way.
        for turn in 1..=10 {
            let rig = run(&settings, |rig| {
                let members = rig.crew().members().iter();
                members.map(|m| m.slot().write.bytes()).sum::<u64>() > turn * 1000
            });
            rig.order(&settings, &Options::default(), 2, Command::Hold);
            assert_ends_whole(&rig);
        }
    }

    #[test]
    fn nor_does_one_whose_answers_are_stopped_or_slow() {
        for reader_pace in [
            Pace::Stopped,
            Pace::Delay(Duration::from_secs(3600)),
            Pace::Rate(1),
        ] {
            let settings = Settings {
                direction: Direction::Echo,
                chunk: 1000,
                reader_pace,
                ..Settings::default()
            };
            let rig = run(&settings, |rig| {
                let mut members = rig.crew().members().iter();
                let asker = members.find(|m| m.assignment.end == End::Master).unwrap();
                let waits = asker.slot().status.under_way(Call::Read).is_some();
                waits && asker.slot().write.bytes() > 0
            });
            assert_ends_whole(&rig);
        }
    }
}
