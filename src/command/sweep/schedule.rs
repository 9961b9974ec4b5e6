//! When a sweep looks at its verdicts, and so when it can end.

use crate::analysis::LOOKS;
use crate::cli::PlanArgs;
use crate::report::Nanoseconds;

/// After how many blocks to look. It is settled before the first visit, because
/// the price of each look is in every interval.
pub fn looks(args: &PlanArgs, block_time: Nanoseconds) -> Vec<u32> {
    if let Some(runs) = args.runs {
        return vec![runs];
    }
    if !args.until_decided {
        return LOOKS.to_vec();
    }
    let most = Nanoseconds::from(args.limit).0 / block_time.0;
    let most = most.min(f64::from(u32::MAX)) as u32;
    let doubled = |look: &u32| look.checked_mul(2);
    let mut looks: Vec<u32> = std::iter::successors(LOOKS.first().copied(), doubled)
        .take_while(|&look| look < most)
        .collect();
    looks.push(most.max(LOOKS[0]));
    looks
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn args(runs: Option<u32>, until_decided: bool, limit: u64) -> PlanArgs {
        PlanArgs {
            min_effect: 0.05,
            until_decided,
            limit: Duration::from_secs(limit),
            runs,
            visit: Duration::from_millis(10),
            warmup: Duration::from_millis(1),
            seed: None,
        }
    }

    #[test]
    fn looks_rise_up_to_the_limit() {
        let second = Nanoseconds::seconds(1.0);
        assert_eq!(looks(&args(None, false, 600), second), LOOKS);
        assert_eq!(looks(&args(Some(9), false, 600), second), [9]);
        assert_eq!(
            looks(&args(None, true, 600), second),
            [60, 120, 240, 480, 600]
        );
        assert_eq!(looks(&args(None, true, 1), second), [60]);
        assert_eq!(
            looks(&args(None, true, u64::MAX), second).last(),
            Some(&u32::MAX)
        );
    }
}
