//! Whether the bytes came as they were sent, and whether that can be said:
//! somebody else may set the slave's termios (stty -F).

use crate::sample::{Integrity, Notice};
use crate::workload::Settings;

use super::super::rig::Rig;
use super::{Engine, Error};

impl Engine {
    /// What the comparison of bytes found since the start.
    ///
    /// The modes are looked at after the bytes: of what came wrong under
    /// another mode, that mode is then seen as well.
    pub(super) fn look_at_bytes(&mut self) -> Integrity {
        let found = self.found();
        self.see_foreign_mode();
        let mut all = self.past;
        if self.foreign_mode.is_none() {
            all.add(&found);
        }
        all
    }

    /// What the workers that are there have found.
    fn found(&self) -> Integrity {
        let mut found = Integrity::default();
        for member in self.rig.crew().members() {
            found.add(&member.slot().status.integrity());
        }
        found
    }

    /// One that was seen counts for good, be it gone again: bytes that it
    /// changed may still be under way.
    fn see_foreign_mode(&mut self) {
        let mut pairs = self.rig.pairs().iter();
        let own = self.settings.mode;
        let foreign = || {
            // After a hangup there is none; the workers tell of that.
            pairs.find_map(|ends| ends.mode()?.ok().filter(|mode| *mode != own))
        };
        self.foreign_mode = self.foreign_mode.or_else(foreign);
    }

    /// Begins anew under the mode that somebody else has set.
    pub(super) fn adopt_foreign_mode(&mut self) -> Result<Option<Notice>, Error> {
        let Some(mode) = self.foreign_mode else {
            return Ok(None);
        };
        let text = format!(
            "termios changed from outside: {} to {mode}",
            self.settings.mode
        );
        let settings = Settings {
            mode,
            payload: None,
            ..(*self.settings).clone()
        };
        if let Err(why) = settings.check() {
            return Err(Error::Worker(format!("{text}; {why}")));
        }
        let next = Rig::set_up(&settings, &self.options)?;
        self.begin_anew(next, settings);
        Ok(Some(Notice::Changed(text)))
    }

    /// Ends the rig's workers and adds what they found to the past. Bytes that
    /// never came are lost even where no later byte showed the gap.
    pub(super) fn settle(&mut self) {
        // Under another mode they may wait in vain.
        self.see_foreign_mode();
        if self.foreign_mode.is_some() {
            return;
        }
        let missing: u64 = self.rig.finish().into_iter().map(|(_, n)| n).sum();
        let mut found = self.found();
        let seen = found.lost.saturating_sub(found.doubled);
        found.lost += missing.saturating_sub(seen);
        self.see_foreign_mode();
        if self.foreign_mode.is_none() {
            self.past.add(&found);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use crate::pty::{End, Flag, Mode};
    use crate::sample::{Notice, Verdict};
    use crate::workload::Settings;

    use super::super::super::rig::Options;
    use super::Engine;

    fn foreign() -> Mode {
        Mode::RAW.with(Flag::Opost)
    }

    fn start(pairs: u32) -> Engine {
        let settings = Settings {
            pairs,
            ..Settings::default()
        };
        Engine::start(settings, Options::default()).unwrap()
    }

    fn set_mode(engine: &Engine, pair: usize) {
        let slave = engine.rig.pairs()[pair].fd(End::Slave);
        foreign().apply(slave).unwrap();
    }

    fn wait_for(what: &str, is_there: impl Fn() -> bool) {
        let until = Instant::now() + Duration::from_secs(60);
        while !is_there() {
            assert!(Instant::now() < until, "waited in vain for {what}");
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn what_another_mode_did_is_no_alarm() {
        for pairs in [1, 3] {
            let mut engine = start(pairs);
            assert!(engine.sample().integrity.is_sound());
            // Between the sample and the watch, on the last pty.
            set_mode(&engine, pairs as usize - 1);
            wait_for("wrong bytes", || !engine.found().is_sound());
            match engine.watch() {
                Ok(Some(Notice::Changed(text))) => assert!(text.contains("OPOST"), "{text}"),
                other => panic!("{other:?}"),
            }
            assert_eq!(engine.settings().mode, foreign());
            assert!(engine.sample().integrity.is_sound());
        }
    }

    #[test]
    fn nor_is_it_damage_at_the_end() {
        let engine = start(2);
        set_mode(&engine, 1);
        wait_for("wrong bytes", || !engine.found().is_sound());
        let (last, verdict) = engine.stop();
        assert!(last.integrity.is_sound(), "{}", last.integrity);
        assert_eq!(verdict, Verdict::Counted);
    }
}
