//! Data that the binary makes itself: small, in the plane, and different on every seed, the same on
//! equal seeds.

use std::f64::consts::{PI, TAU};

use mercer::context::Stream;

/// Points in the plane with a class each.
#[derive(Debug, Clone, PartialEq)]
pub struct Labelled {
    /// One point per row: n × 2.
    pub points: Vec<[f64; 2]>,
    /// The class of every row.
    pub labels: Vec<String>,
}

/// A kind of demonstration data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Two concentric circles, which no straight line separates
    Circles,
    /// Two spiral arms wound around each other
    Spiral,
    /// Three round blobs
    Blobs,
}

impl Shape {
    /// `rows` points of this shape. Classes alternate, so that they are equally large up to one
    /// point.
    pub fn sample(self, rows: usize, seed: u64) -> Labelled {
        let (name, classes) = match self {
            Shape::Circles => ("circles", ["inner", "outer"].as_slice()),
            Shape::Spiral => ("spiral", ["first arm", "second arm"].as_slice()),
            Shape::Blobs => ("blobs", ["left", "right", "top"].as_slice()),
        };
        let mut stream = Stream::new(seed, name);
        let points = (0..rows).map(|row| self.point(row % classes.len(), &mut stream)).collect();
        let labels = (0..rows).map(|row| classes[row % classes.len()].to_string()).collect();
        Labelled { points, labels }
    }

    fn point(self, class: usize, stream: &mut Stream) -> [f64; 2] {
        let ([x, y], noise) = match self {
            Shape::Circles => (on_circle([0.3, 1.0][class], stream), 0.06),
            Shape::Spiral => (on_spiral(class, stream), 0.035),
            Shape::Blobs => ([[-1.0, -0.6], [1.0, -0.6], [0.0, 1.1]][class], 0.32),
        };
        [x + noise * stream.normal(), y + noise * stream.normal()]
    }
}

fn on_circle(radius: f64, stream: &mut Stream) -> [f64; 2] {
    let angle = TAU * stream.uniform();
    [radius * angle.cos(), radius * angle.sin()]
}

/// One and a half turns from near the centre outwards; the second arm is the first turned by half a
/// turn. The root spreads points evenly along the arm, which grows longer with every turn.
fn on_spiral(arm: usize, stream: &mut Stream) -> [f64; 2] {
    let way = stream.uniform().sqrt();
    let angle = 3.0 * PI * way + PI * arm as f64;
    let radius = 0.1 + 0.9 * way;
    [radius * angle.cos(), radius * angle.sin()]
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPES: [Shape; 3] = [Shape::Circles, Shape::Spiral, Shape::Blobs];

    #[test]
    fn a_seed_decides_everything() {
        for shape in SHAPES {
            assert_eq!(shape.sample(30, 7), shape.sample(30, 7));
            assert_ne!(shape.sample(30, 7), shape.sample(30, 8));
        }
    }

    #[test]
    fn classes_are_equally_large() {
        for shape in SHAPES {
            let data = shape.sample(301, 1);
            assert_eq!((data.points.len(), data.labels.len()), (301, 301));
            let first = data.labels.iter().filter(|label| **label == data.labels[0]).count();
            let classes = if shape == Shape::Blobs { 3 } else { 2 };
            assert_eq!(first, 301usize.div_ceil(classes));
        }
    }

    #[test]
    fn circles_keep_apart() {
        let data = Shape::Circles.sample(400, 0);
        for (point, label) in data.points.iter().zip(&data.labels) {
            let radius = point[0].hypot(point[1]);
            assert_eq!(radius > 0.7, label == "outer", "{point:?}");
        }
    }
}
