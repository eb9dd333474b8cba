//! Validation of the input of a support vector machine, before any kernel value is computed.

use super::{SvmParams, Task};
use crate::error::{Error, Param, Result};
use crate::model::targets::{Labels, Target, Targets};
use crate::model::validate::check_weights;

/// The samples that count, with what is to be learned of them.
pub(super) struct Checked {
    /// Rows of the training set, ascending.
    pub rows: Vec<usize>,
    /// The weight of each.
    pub weights: Vec<f64>,
    /// The place of the class of each, or nothing.
    pub places: Vec<usize>,
    /// The value of each, or nothing.
    pub values: Vec<f64>,
    /// Names of classes, or nothing.
    pub classes: Vec<String>,
    /// The weight of each class, a factor of `c`, or nothing.
    pub class_weights: Vec<f64>,
}

impl Checked {
    pub fn new(params: &SvmParams, targets: &Targets, n: usize) -> Result<Self> {
        check_params(params)?;
        let (rows, weights) = counted(targets.weights.as_deref(), n)?;
        let mut checked = Self {
            rows,
            weights,
            places: Vec::new(),
            values: Vec::new(),
            classes: Vec::new(),
            class_weights: Vec::new(),
        };
        match (params.task.is_classification(), params.task, &targets.target) {
            (true, _, Target::Classes { labels, weights }) => {
                checked.set_classes(n, labels, weights.as_deref())?;
                if params.task == Task::NuSvc {
                    checked.check_nu(params.nu)?;
                }
            }
            (false, Task::OneClass, Target::Unsupervised) => {}
            (false, Task::EpsilonSvr | Task::NuSvr, Target::Values(values)) => {
                if values.cols() != 1 {
                    let found = values.cols();
                    return Err(Error::Shape(format!(
                        "{} takes one target, got {found}",
                        params.task.name()
                    )));
                }
                checked.set_values(n, values.data())?;
            }
            (_, task, _) => {
                let wanted = match task {
                    Task::CSvc | Task::NuSvc => "class labels as targets",
                    Task::OneClass => "no targets",
                    _ => "numbers as targets",
                };
                return Err(Error::Shape(format!("{} takes {wanted}", task.name())));
            }
        }
        Ok(checked)
    }

    fn set_classes(&mut self, n: usize, labels: &Labels, weights: Option<&[f64]>) -> Result<()> {
        let Labels { names: classes, places } = labels;
        if places.len() != n {
            return Err(lengths(n, places.len(), "labels"));
        }
        if classes.len() < 2 {
            return Err(Error::Shape(format!(
                "the number of classes has to be greater than one; got {} class{}",
                classes.len(),
                if classes.len() == 1 { "" } else { "es" }
            )));
        }
        let mut counts = vec![0_usize; classes.len()];
        for &row in &self.rows {
            let place = places[row];
            *counts.get_mut(place).ok_or_else(|| {
                Error::Shape(format!(
                    "row {row} has class index {place}, but there are {} classes",
                    classes.len()
                ))
            })? += 1;
        }
        if let Some(empty) = counts.iter().position(|&count| count == 0) {
            return Err(Error::parameter(
                Param::SampleWeights,
                format!(
                    "all samples of class {} have weight 0: give some of them a positive weight, or remove the class",
                    classes[empty]
                ),
            ));
        }
        let ones = vec![1.0; classes.len()];
        let class_weights = weights.unwrap_or(&ones);
        if class_weights.len() != classes.len() {
            let message =
                format!("got {} weights for {} classes", class_weights.len(), classes.len());
            return Err(Error::parameter(Param::ClassWeights, message));
        }
        if let Some(bad) = class_weights.iter().position(|w| !(*w > 0.0 && w.is_finite())) {
            let message = format!(
                "must be positive, but that of class {} is {}",
                classes[bad], class_weights[bad]
            );
            return Err(Error::parameter(Param::ClassWeights, message));
        }
        self.places = self.rows.iter().map(|&row| places[row]).collect();
        self.classes = classes.clone();
        self.class_weights = class_weights.to_vec();
        Ok(())
    }

    fn set_values(&mut self, n: usize, values: &[f64]) -> Result<()> {
        if values.len() != n {
            return Err(lengths(n, values.len(), "targets"));
        }
        if let Some(row) = values.iter().position(|v| !v.is_finite()) {
            return Err(Error::Shape(format!(
                "the target of row {row} (zero-based) is {}: remove the row or impute the value first",
                values[row]
            )));
        }
        self.values = self.rows.iter().map(|&row| values[row]).collect();
        Ok(())
    }

    /// For every pair of classes, the share `nu` of both must not exceed twice the smaller.
    fn check_nu(&self, nu: f64) -> Result<()> {
        let mut sums = vec![0.0; self.classes.len()];
        self.places.iter().zip(&self.weights).for_each(|(&place, w)| sums[place] += w);
        for a in 0..sums.len() {
            for b in a + 1..sums.len() {
                let most = 2.0 * f64::min(sums[a], sums[b]) / (sums[a] + sums[b]);
                if nu > most {
                    return Err(Error::parameter(
                        Param::Nu,
                        format!(
                            "specified nu is infeasible: the sizes of classes {} and {} allow at most {most:.4}, \
                             got {nu}",
                            self.classes[a], self.classes[b]
                        ),
                    ));
                }
            }
        }
        Ok(())
    }
}

fn lengths(n: usize, given: usize, what: &str) -> Error {
    Error::Shape(format!("there are {n} samples but {given} {what}; the numbers must match"))
}

fn check_params(params: &SvmParams) -> Result<()> {
    let positive = |name, value: f64| match value > 0.0 && value.is_finite() {
        true => Ok(()),
        false => Err(Error::parameter(name, format!("must be positive, got {value}"))),
    };
    // An infinite C allows no errors at all: a hard margin.
    match params.task {
        Task::CSvc | Task::EpsilonSvr if params.c == f64::INFINITY => {}
        Task::NuSvr if params.c == f64::INFINITY => {
            return Err(Error::parameter(Param::C, "must be finite for nu-SVR, got inf"));
        }
        _ => positive(Param::C, params.c)?,
    }
    positive(Param::Tolerance, params.tolerance)?;
    if !(params.nu > 0.0 && params.nu <= 1.0) {
        let message = format!("must be in the range (0, 1], got {}", params.nu);
        return Err(Error::parameter(Param::Nu, message));
    }
    if !(params.epsilon >= 0.0 && params.epsilon.is_finite()) {
        let message = format!("must not be negative, got {}", params.epsilon);
        return Err(Error::parameter(Param::Epsilon, message));
    }
    match params.max_seconds {
        Some(seconds) if seconds.is_nan() || seconds <= 0.0 => {
            let message = format!("must be positive, got {seconds}");
            Err(Error::parameter(Param::MaxSeconds, message))
        }
        _ => Ok(()),
    }
}

/// The rows with a weight above 0, and their weights.
fn counted(weights: Option<&[f64]>, n: usize) -> Result<(Vec<usize>, Vec<f64>)> {
    let Some(weights) = weights else {
        return Ok(((0..n).collect(), vec![1.0; n]));
    };
    check_weights(weights, n)?;
    let rows: Vec<usize> = (0..n).filter(|&row| weights[row] > 0.0).collect();
    let kept = rows.iter().map(|&row| weights[row]).collect();
    Ok((rows, kept))
}
