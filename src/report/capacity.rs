//! The result of `capacity`.

use serde::{Deserialize, Serialize};

use crate::pty::capacity::{Era, Explanation, Flow, Geometry, Prediction};
use crate::pty::{Measured, Stop};
use crate::words::counted;

use super::Warning;

/// How many bytes this kernel's ptys take with nobody reading.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CapacityReport {
    /// The model of the running kernel; None where no era is known.
    pub geometry: Option<Geometry>,
    /// What was measured.
    pub cases: Vec<CapacityCase>,
}

/// One way to fill a pty.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CapacityCase {
    /// What was written, what was taken, and what came out.
    pub measured: Measured,
    /// What the model says.
    pub expected: Option<Prediction>,
    /// Where the bytes lie, by the model.
    pub explanation: Option<Explanation>,
    /// Whether the two agree.
    pub agreement: Agreement,
    /// Eras of other kernels whose model agrees, where the running kernel's
    /// does not.
    pub other_eras: Vec<Era>,
    /// What earlier measurements of this case accepted, in bytes, which the
    /// model does not allow: the worker may run in the middle of a write, which
    /// the model leaves out.
    #[serde(default)]
    pub outside: Vec<u64>,
}

/// What a measurement says of the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Agreement {
    /// What was expected was seen.
    AsExpected,
    /// This kernel behaves as those of another era.
    AsAnotherEra,
    /// No known kernel behaves so.
    GeometryChanged,
    /// There is no model of this case.
    NoModel,
    /// Things still moved at the deadline: nothing was measured.
    Undetermined,
}

/// All eras, to see which of them a kernel resembles.
const ERAS: [Era; 5] = [
    Era::Early,
    Era::Counted,
    Era::Lockless,
    Era::Doubled,
    Era::Limited,
];

impl CapacityCase {
    /// Measurements of a case before its difference from the model is believed.
    pub const TRIES: usize = 5;

    /// Puts what was measured beside the model of the running kernel.
    pub fn new(measured: Measured, geometry: Option<Geometry>) -> Self {
        let flow = measured.flow;
        let expected = geometry.and_then(|geometry| geometry.expected(flow));
        let fits = expected.is_some_and(|expected| agrees(&measured, expected));
        let other_eras = match (geometry, fits) {
            (Some(geometry), false) => resembled(&measured, geometry),
            _ => Vec::new(),
        };
        Self {
            agreement: match (measured.filled.stop, expected) {
                (Stop::Deadline, _) => Agreement::Undetermined,
                (_, None) => Agreement::NoModel,
                _ if fits => Agreement::AsExpected,
                _ if !other_eras.is_empty() => Agreement::AsAnotherEra,
                _ => Agreement::GeometryChanged,
            },
            explanation: geometry.and_then(|geometry| geometry.explain(flow)),
            measured,
            expected,
            other_eras,
            outside: Vec::new(),
        }
    }

    /// Measures by `again` until the model of the running kernel is met,
    /// [`Self::TRIES`] times at most: a difference that comes once is the machine's, one
    /// that comes always is the kernel's.
    ///
    /// # Errors
    /// What `again` says.
    pub fn settle<E>(
        geometry: Option<Geometry>,
        mut again: impl FnMut() -> Result<Measured, E>,
    ) -> Result<Self, E> {
        let mut outside = Vec::new();
        loop {
            let case = Self::new(again()?, geometry);
            let differs = matches!(
                case.agreement,
                Agreement::AsAnotherEra | Agreement::GeometryChanged
            );
            if !differs || !case.is_intact() || outside.len() + 1 == Self::TRIES {
                return Ok(Self { outside, ..case });
            }
            outside.push(case.measured.filled.accepted);
        }
    }

    /// Whether exactly the bytes that went in came out.
    pub fn is_intact(&self) -> bool {
        self.measured.drained.is_none_or(|drained| drained.intact())
    }

    /// What was written.
    pub fn flow(&self) -> Flow {
        self.measured.flow
    }
}

fn agrees(measured: &Measured, expected: Prediction) -> bool {
    let filled = &measured.filled;
    match expected {
        Prediction::NeverFull => filled.stop == Stop::MaxBytes,
        Prediction::Full(capacity) => {
            let accepted = usize::try_from(filled.accepted).unwrap_or(usize::MAX);
            filled.stop == Stop::Full && capacity.accepted().contains(&accepted)
        }
    }
}

fn resembled(measured: &Measured, geometry: Geometry) -> Vec<Era> {
    let fits = |era: &Era| {
        let other = Geometry {
            era: *era,
            ..geometry
        };
        other
            .expected(measured.flow)
            .is_some_and(|expected| agrees(measured, expected))
    };
    ERAS.into_iter().filter(fits).collect()
}

impl CapacityReport {
    /// What is doubtful about it.
    pub fn warnings(&self) -> Vec<Warning> {
        let count = |wanted| {
            self.cases
                .iter()
                .filter(|case| case.agreement == wanted)
                .count()
        };
        let mut warnings = Vec::new();
        let changed = count(Agreement::GeometryChanged);
        if changed > 0 {
            warnings.push(Warning::new(
                "geometry-changed",
                format!(
                    "geometry changed: in {changed} of {} this kernel takes what no known one does (the numbers are in the table): the flip buffers or the line discipline work otherwise here; gauges of what is in flight do not hold",
                    counted(self.cases.len(), "case")
                ),
            ));
        }
        let other = count(Agreement::AsAnotherEra);
        if other > 0 {
            warnings.push(Warning::new(
                "another-era",
                format!(
                    "in {other} of {} this kernel behaves as those of another era: a backport, or a release number that does not tell the truth",
                    counted(self.cases.len(), "case")
                ),
            ));
        }
        let undetermined = count(Agreement::Undetermined);
        if undetermined > 0 {
            warnings.push(Warning::new(
                "undetermined",
                format!(
                    "still moving after 5 s: {undetermined} of {}: the machine is too busy; run again",
                    counted(self.cases.len(), "direction")
                ),
            ));
        }
        warnings
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use super::*;
    use crate::pty::capacity::Geometry;
    use crate::pty::{Drained, End, Filled};

    fn measured(accepted: u64, stop: Stop) -> Measured {
        Measured {
            flow: Flow::raw(End::Slave, NonZeroUsize::new(257).unwrap()),
            filled: Filled {
                accepted,
                writes: 1,
                queued: 4095,
                stop,
            },
            drained: Some(Drained {
                expected: accepted,
                got: accepted,
                first_wrong: None,
            }),
        }
    }

    fn agreement(accepted: u64, stop: Stop, era: Option<Era>) -> (Agreement, Vec<Era>) {
        let geometry = era.map(|era| Geometry { era, split: 1792 });
        let case = CapacityCase::new(measured(accepted, stop), geometry);
        (case.agreement, case.other_eras)
    }

    #[test]
    fn numbers_are_told_apart_by_era() {
        let limited = Some(Era::Limited);
        let none = vec![];
        for (accepted, stop, era, want) in [
            (
                17215,
                Stop::Full,
                limited,
                (Agreement::AsExpected, none.clone()),
            ),
            (
                37006,
                Stop::Full,
                limited,
                (Agreement::AsAnotherEra, vec![Era::Early, Era::Counted]),
            ),
            (
                12345,
                Stop::Full,
                limited,
                (Agreement::GeometryChanged, none.clone()),
            ),
            (12345, Stop::Full, None, (Agreement::NoModel, none.clone())),
            (
                12345,
                Stop::Deadline,
                limited,
                (Agreement::Undetermined, none.clone()),
            ),
            (
                1 << 20,
                Stop::MaxBytes,
                limited,
                (Agreement::GeometryChanged, none.clone()),
            ),
        ] {
            assert_eq!(agreement(accepted, stop, era), want, "{accepted} {stop:?}");
        }
    }

    #[test]
    fn a_difference_is_believed_when_it_comes_again_and_again() {
        let geometry = Some(Geometry {
            era: Era::Limited,
            split: 1792,
        });
        let settle = |amounts: &[u64]| {
            let mut left = amounts.iter();
            let mut next = || left.next().map(|&bytes| measured(bytes, Stop::Full));
            let case = CapacityCase::settle(geometry, || next().ok_or(())).unwrap();
            assert_eq!(left.len(), 0, "{amounts:?}");
            (case.agreement, case.outside)
        };
        assert_eq!(settle(&[17215]), (Agreement::AsExpected, vec![]));
        assert_eq!(
            settle(&[17000, 37006, 17215]),
            (Agreement::AsExpected, vec![17000, 37006])
        );
        assert_eq!(
            settle(&[1, 2, 3, 4, 5]),
            (Agreement::GeometryChanged, vec![1, 2, 3, 4])
        );
        assert!(CapacityCase::settle(geometry, || Err::<Measured, _>("EIO")).is_err());
    }

    #[test]
    fn bytes_that_came_wrong_are_not_measured_away() {
        let mut wrong = measured(5, Stop::Full);
        wrong.drained = Some(Drained {
            expected: 5,
            got: 4,
            first_wrong: None,
        });
        let geometry = Geometry::running();
        let case = CapacityCase::settle(geometry, || Ok::<_, ()>(wrong)).unwrap();
        assert!(!case.is_intact() && case.outside.is_empty());
    }

    #[test]
    fn a_change_is_warned_of() {
        let geometry = Some(Geometry {
            era: Era::Limited,
            split: 1792,
        });
        let case = |accepted| CapacityCase::new(measured(accepted, Stop::Full), geometry);
        let report = |cases| CapacityReport { geometry, cases };
        assert_eq!(report(vec![case(17215)]).warnings(), []);
        let warnings = report(vec![case(17215), case(5)]).warnings();
        assert_eq!(warnings.len(), 1);
        assert_eq!(warnings[0].kind, "geometry-changed");
    }
}
