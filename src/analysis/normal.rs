//! The normal distribution, for samples beyond the exact tables.

/// The value below which a standard normal variable falls with probability `p`;
/// NaN unless 0 < p < 1.
///
/// Wichura, "Algorithm AS 241", Appl. Stat. 37 (1988), routine PPND7: about seven
/// significant digits.
pub(super) fn normal_quantile(p: f64) -> f64 {
    if !(p > 0.0 && p < 1.0) {
        return f64::NAN;
    }
    let q = p - 0.5;
    if q.abs() <= 0.425 {
        let r = 0.180_625 - q * q;
        let above = polynomial(
            r,
            &[
                3.387_132_717_9,
                50.434_271_938,
                159.291_132_02,
                59.109_374_72,
            ],
        );
        return q * above / polynomial(r, &[1.0, 17.895_169_469, 78.757_757_664, 67.187_563_6]);
    }
    let r = (-p.min(1.0 - p).ln()).sqrt();
    let size = if r <= 5.0 {
        let r = r - 1.6;
        polynomial(
            r,
            &[
                1.423_437_277_7,
                2.756_815_39,
                1.306_728_481_6,
                0.170_238_211_03,
            ],
        ) / polynomial(r, &[1.0, 0.737_001_642_5, 0.120_211_329_75])
    } else {
        let r = r - 5.0;
        polynomial(
            r,
            &[
                6.657_905_115,
                3.081_226_386,
                0.428_682_943_37,
                0.017_337_203_997,
            ],
        ) / polynomial(r, &[1.0, 0.241_978_942_25, 0.012_258_202_635])
    };
    size.copysign(q)
}

/// Coefficients from the constant upwards, at `x`.
fn polynomial(x: f64, coefficients: &[f64]) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, c| sum * x + c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_tables() {
        for (p, z) in [
            (0.5, 0.0),
            (0.75, 0.674_489_8),
            (0.975, 1.959_964),
            (0.995, 2.575_829_3),
            (0.999, 3.090_232_3),
            (1e-6, -4.753_424_3),
            (1e-15, -7.941_345_3),
        ] {
            assert!((normal_quantile(p) - z).abs() < 2e-6, "{p}: {z}");
        }
        assert!(normal_quantile(0.0).is_nan());
        assert!(normal_quantile(1.0).is_nan());
    }
}
