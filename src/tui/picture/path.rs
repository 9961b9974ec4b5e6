//! Shapes of one colour as one path.

use std::fmt::{self, Display, Write};

/// The data of a path.
#[derive(Debug, Default)]
pub struct Path(String);

impl Path {
    /// Adds a rectangle by its upper left corner and its size.
    pub fn rectangle(&mut self, (x, y): (f64, f64), (width, height): (f64, f64)) {
        let [x, y, width, height] = [x, y, width, height].map(Short);
        // Memory takes all.
        let _ = write!(self.0, "M{x} {y}h{width}v{height}h-{width}z");
    }

    /// Adds a circle.
    pub fn circle(&mut self, (x, y): (f64, f64), radius: f64) {
        let (x, y, across) = (Short(x - radius), Short(y), Short(2.0 * radius));
        let radius = Short(radius);
        let arc = format_args!("a{radius} {radius} 0 1 0");
        let _ = write!(self.0, "M{x} {y}{arc} {across} 0{arc} -{across} 0z");
    }
}

impl Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A number with as many of three places as it needs.
pub struct Short(pub f64);

impl Display for Short {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", (self.0 * 1000.0).round() / 1000.0)
    }
}

/// Paths by their colour, in the order in which colours come.
#[derive(Debug, Default)]
pub struct Layer(Vec<(String, Path)>);

impl Layer {
    /// The path of a colour.
    pub fn of(&mut self, fill: &str) -> &mut Path {
        let at = self.0.iter().position(|(known, _)| known == fill);
        let at = at.unwrap_or_else(|| {
            self.0.push((fill.to_owned(), Path::default()));
            self.0.len() - 1
        });
        &mut self.0[at].1
    }

    /// All colours and their paths.
    pub fn paths(&self) -> impl Iterator<Item = (&str, &Path)> {
        self.0.iter().map(|(fill, path)| (fill.as_str(), path))
    }
}
