//! The demonstration on strings: kernel PCA of names, with new names projected among their families.

use mercer::linalg::view::Mat;
use mercer::model::Components;
use mercer::model::kernel_pca::{KernelPca, KernelPcaParams};
use mercer::points::Strings;
use mercer::{KernelSpec, Result};

use crate::plot::{self, Drawing, LabelColumn, Scatter, component_title};
use crate::run::Session;

/// Training names.
pub const KNOWN: [&str; 35] = [
    "bouvier patty",
    "bouvier selma",
    "brockman kent",
    "burns charles montgomery",
    "carlson carl",
    "chalmers gary",
    "flanders ned",
    "flanders rod",
    "flanders todd",
    "frink prof. john",
    "gumbel barney",
    "hibbert dr. julius",
    "krabappel edna",
    "leonard lenny",
    "lovejoy helen",
    "lovejoy timothy",
    "mann otto",
    "moleman hans",
    "muntz nelson",
    "nahasapeemapetilon apu",
    "prince martin",
    "riviera dr. nick",
    "simpson bart",
    "simpson homer",
    "simpson lisa",
    "simpson maggie",
    "simpson marge",
    "skinner agnes",
    "skinner seymour",
    "smithers waylon",
    "syslack moe",
    "van houten luann",
    "van houten milhouse",
    "wiggum clancy",
    "wiggum ralph",
];

/// Names that are not among them.
const NEW: [&str; 3] = ["flanders maude", "simpson abe", "van houten kirk"];

/// A kernel that separates the families: names are similar if they share substrings of three letters,
/// normalised for length.
const SUITABLE: &str = "normalize(spectrum(p=3))";

/// The result of the demonstration.
pub struct NamesResult {
    model: KernelPca,
    known: Mat<f64>,
    new: Mat<f64>,
}

/// A new name and the nearest families.
struct NewName {
    name: &'static str,
    /// Families by how far their means are, the nearest first.
    nearest: [(&'static str, f64); 2],
}

/// Embeds the names.
pub fn find(session: &Session, kernel: Option<&KernelSpec>) -> Result<NamesResult> {
    let kernel = kernel.cloned().map_or_else(|| SUITABLE.parse(), Ok)?;
    let params = KernelPcaParams::new(kernel).components(Components::Count(2));
    let model = KernelPca::fit(&session.context, &params, Strings::new(KNOWN)?)?;
    let new = model.transform(&session.context, Strings::new(NEW)?)?;
    Ok(NamesResult { known: model.training_scores(), new, model })
}

/// The family of a person: the first word of the name, or two of a name that begins with `van`.
pub fn family(name: &'static str) -> &'static str {
    let words = if name.starts_with("van ") { 2 } else { 1 };
    let end = name.match_indices(' ').nth(words - 1).map(|(end, _)| end);
    &name[..end.unwrap_or(name.len())]
}

impl NamesResult {
    /// Where the new names lie.
    fn landed(&self) -> Vec<NewName> {
        let mut families: Vec<&str> = KNOWN.map(family).into();
        families.dedup();
        let landed = |(i, name): (usize, &&'static str)| {
            let away =
                |family: &&'static str| (*family, apart(self.mean(family), point(&self.new, i)));
            let mut away: Vec<(&'static str, f64)> = families.iter().map(away).collect();
            away.sort_by(|a, b| a.1.total_cmp(&b.1));
            NewName { name, nearest: [away[0], away[1]] }
        };
        NEW.iter().enumerate().map(landed).collect()
    }

    /// The mean of a family in the plane.
    fn mean(&self, of: &str) -> [f64; 2] {
        let members: Vec<[f64; 2]> = (0..KNOWN.len())
            .filter(|&i| family(KNOWN[i]) == of)
            .map(|i| point(&self.known, i))
            .collect();
        [0, 1].map(|axis| members.iter().map(|p| p[axis]).sum::<f64>() / members.len() as f64)
    }

    /// The picture.
    pub fn draw(&self) -> Drawing {
        let all = || {
            (0..KNOWN.len())
                .map(|i| point(&self.known, i))
                .chain((0..NEW.len()).map(|i| point(&self.new, i)))
        };
        let axis = |axis: usize| all().map(|p| p[axis]).collect::<Vec<f64>>();
        let names: Vec<String> = KNOWN.iter().chain(&NEW).map(|name| name.to_string()).collect();
        let kinds = std::iter::repeat_n("training", KNOWN.len())
            .chain(std::iter::repeat_n("new", NEW.len()));
        let kinds: Vec<String> = kinds.map(String::from).collect();
        let ratios = self.model.explained_variance_ratio();
        let title = |index: usize| component_title(index, ratios.get(index).copied());
        plot::scatter(&Scatter {
            title: "Kernel PCA of names",
            subtitle: &format!(
                "{} training names, {}; new names projected",
                KNOWN.len(),
                self.model.params.kernel
            ),
            x: &axis(0),
            y: Some(&axis(1)),
            x_title: &title(0),
            y_title: &title(1),
            labels: Some(LabelColumn { name: "name", values: &kinds }),
            names: Some(&names),
            rows: None,
            diagonal: false,
        })
    }

    /// The summary.
    pub fn summary(&self, pictures: &str) -> String {
        let line = |landed: &NewName| {
            let NewName { name, nearest: [(first, near), (second, far)] } = landed;
            format!(
                "  {name:<16} nearest family {first:<11} (distance {near:.3}), then {second} ({far:.3})\n"
            )
        };
        let lines: String = self.landed().iter().map(line).collect();
        let (count, new, kernel) = (KNOWN.len(), NEW.len(), &self.model.params.kernel);
        format!(
            "Kernel PCA of {count} names with the string kernel {kernel}, and {new} new names projected\n\
             on its components:\n\n{lines}\
             \nKernel PCA: {:.2} s, largest residual {:.0e}.\n{pictures}",
            self.model.report.seconds, self.model.report.residual,
        )
    }
}

/// A row of a matrix as a point; a component that does not exist is 0.
fn point(scores: &Mat<f64>, row: usize) -> [f64; 2] {
    [0, 1].map(|axis| if axis < scores.cols() { scores[(row, axis)] } else { 0.0 })
}

fn apart(a: [f64; 2], b: [f64; 2]) -> f64 {
    (a[0] - b[0]).hypot(a[1] - b[1])
}
