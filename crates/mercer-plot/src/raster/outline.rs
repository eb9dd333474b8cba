//! Outlines of shapes, and of the path data that drawings write.

use mercer::Result;
use tiny_skia::{Path, PathBuilder, Rect};

use super::{cannot_draw, parsed};

/// How far the handles of four curves lie from their ends, in radii, for a circle.
const ROUND: f32 = 0.552_284_8;

/// A rectangle with corners of radius `rx`; none if it has no area.
pub(super) fn rectangle(rect: Option<Rect>, rx: f32) -> Option<Path> {
    let rect = rect?;
    let r = rx.min(rect.width() / 2.0).min(rect.height() / 2.0);
    if r <= 0.0 {
        return Some(PathBuilder::from_rect(rect));
    }
    let (left, top, right, bottom) = (rect.left(), rect.top(), rect.right(), rect.bottom());
    let mut path = PathBuilder::new();
    path.move_to(left + r, top);
    path.line_to(right - r, top);
    corner(&mut path, [right, top], [right, top + r]);
    path.line_to(right, bottom - r);
    corner(&mut path, [right, bottom], [right - r, bottom]);
    path.line_to(left + r, bottom);
    corner(&mut path, [left, bottom], [left, bottom - r]);
    path.line_to(left, top + r);
    corner(&mut path, [left, top], [left + r, top]);
    path.close();
    path.finish()
}

/// A quarter of a circle to `end`, within the corner `tip`.
fn corner(path: &mut PathBuilder, tip: [f32; 2], end: [f32; 2]) {
    let from = path.last_point().unwrap_or_default();
    let toward = |a: f32, b: f32| a + ROUND * (b - a);
    path.cubic_to(
        toward(from.x, tip[0]),
        toward(from.y, tip[1]),
        toward(end[0], tip[0]),
        toward(end[1], tip[1]),
        end[0],
        end[1],
    );
}

/// A circle of centre and radius; none if it has no area.
pub(super) fn circle(numbers: [Result<f32>; 3]) -> Result<Option<Path>> {
    let [x, y, r] = numbers;
    Ok(PathBuilder::from_circle(x?, y?, r?))
}

/// The path of `data`: `M`, `L`, `l`, `H`, `h`, `V`, `v`, `Z`, and `a` of half a circle from left to right or back.
pub(super) fn outline(data: &str) -> Result<Option<Path>> {
    let mut path = PathBuilder::new();
    let is_command = |c: char| c.is_ascii_alphabetic();
    let starts: Vec<_> = data.match_indices(is_command).map(|(at, _)| at).collect();
    for (i, &start) in starts.iter().enumerate() {
        let end = starts.get(i + 1).copied().unwrap_or(data.len());
        let parts = data[start + 1..end].split([' ', ',']).filter(|part| !part.is_empty());
        let numbers = parts.map(parsed).collect::<Result<Vec<f32>>>()?;
        add(&mut path, &data[start..start + 1], &numbers)?;
    }
    Ok(path.finish())
}

fn add(path: &mut PathBuilder, command: &str, numbers: &[f32]) -> Result<()> {
    let at = path.last_point().unwrap_or_default();
    match (command, numbers) {
        ("M", &[x, y]) => path.move_to(x, y),
        ("L", &[x, y]) => path.line_to(x, y),
        ("l", &[x, y]) => path.line_to(at.x + x, at.y + y),
        ("H", &[x]) => path.line_to(x, at.y),
        ("h", &[x]) => path.line_to(at.x + x, at.y),
        ("V", &[y]) => path.line_to(at.x, y),
        ("v", &[y]) => path.line_to(at.x, at.y + y),
        ("Z", []) => path.close(),
        ("a", &[_, _, _, _, sweep, x, 0.0]) => {
            // Seen along the way, the half lies to the left without `sweep`; y grows downwards.
            let r = x / if sweep == 0.0 { 2.0 } else { -2.0 };
            let middle = [at.x + x / 2.0, at.y + r];
            corner(path, [at.x, middle[1]], middle);
            corner(path, [at.x + x, middle[1]], [at.x + x, at.y]);
        }
        _ => return Err(cannot_draw(format!("path command {command}{numbers:?} is not known"))),
    }
    Ok(())
}
