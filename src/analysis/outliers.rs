//! Values that lie far from the rest.

use serde::{Deserialize, Serialize};

use super::quantile::Summary;

/// Values outside the far fences.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Outliers {
    /// How many lie below.
    pub low: usize,
    /// How many lie above.
    pub high: usize,
    /// How many values were looked at.
    pub n: usize,
    /// The farthest outlier over the median.
    pub worst: f64,
}

/// The outliers of `values`: more than three times the distance of the quartiles
/// outside them (Tukey's outer fences, "Exploratory data analysis", 1977; in
/// normal data 1 of 400,000). Fewer than 8 values that are positive and finite
/// (others are left out), or none outlying, give `None`.
///
/// The fences are taken on logarithms, as the noise of times and rates is a
/// factor. Where more than a quarter of the values is far off they are no
/// outliers but another mode: see [`two_modes`](super::two_modes).
pub fn outliers(values: &[f64]) -> Option<Outliers> {
    let positive = values.iter().filter(|v| **v > 0.0);
    let logs: Vec<f64> = positive.map(|v| v.ln()).filter(|v| v.is_finite()).collect();
    let usual = Summary::of(logs.iter().copied()).filter(|s| s.n >= 8)?;
    let reach = 3.0 * (usual.q3 - usual.q1);
    let low = logs.iter().filter(|log| **log < usual.q1 - reach).count();
    let high = logs.iter().filter(|log| **log > usual.q3 + reach).count();
    let (down, up) = (usual.median - usual.min, usual.max - usual.median);
    let worst = if high == 0 || low > 0 && down > up {
        -down
    } else {
        up
    };
    (low + high > 0).then(|| Outliers {
        low,
        high,
        n: usual.n,
        worst: worst.exp(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn far_values_are_counted() {
        let mut values: Vec<f64> = (0..20).map(|i| 100.0 + f64::from(i)).collect();
        assert_eq!(outliers(&values), None);
        values.extend([300.0, 20.0, 250.0]);
        let found = outliers(&values).unwrap();
        assert_eq!((found.low, found.high, found.n), (1, 2, 23));
        assert!((found.worst - 20.0 / 110.0).abs() < 1e-9, "{found:?}");
    }

    #[test]
    fn too_few_and_nonsense() {
        assert_eq!(outliers(&[1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 9.0]), None);
        assert_eq!(outliers(&[f64::NAN; 20]), None);
        assert_eq!(outliers(&[0.0; 20]), None);
        let mut values = [1.0; 20];
        values[3] = 2.0;
        assert_eq!(outliers(&values).map(|o| o.high), Some(1));
    }
}
