//! Metrics of predictions: RMSE, R² and accuracy, each with its standard error.

use mercer::model::kernel_ridge::Selection;
use mercer::select::{Criterion, Score};
use serde::{Deserialize, Serialize};

use crate::facts::counted;

/// A metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// Root mean squared error.
    Rmse,
    /// The same, of the numbers −1 and 1 that stand for classes.
    RmseOfClasses,
    /// Accuracy.
    Accuracy,
    /// The mean recall of the classes.
    BalancedAccuracy,
    /// The mean F1 score of the classes.
    MacroF1,
    /// Matthews' correlation coefficient.
    Matthews,
    /// The area below the ROC curve.
    RocAuc,
    /// The fraction of the variance that is explained.
    R2,
    /// Mean absolute error.
    Mae,
    /// The mean of −ln p of the true class.
    LogLoss,
    /// The Brier score.
    Brier,
    /// The quantile loss of the ends of intervals.
    Pinball,
    /// A score of another interface; larger is better.
    Other,
}

impl Measure {
    /// The display name.
    pub fn name(self) -> &'static str {
        match self {
            Measure::Rmse => "RMSE",
            Measure::RmseOfClasses => "RMSE of the ±1 targets",
            Measure::Accuracy => "accuracy",
            Measure::BalancedAccuracy => "balanced accuracy",
            Measure::MacroF1 => "macro F1",
            Measure::Matthews => "MCC",
            Measure::RocAuc => "ROC AUC",
            Measure::R2 => "R²",
            Measure::Mae => "MAE",
            Measure::LogLoss => "log-loss",
            Measure::Brier => "Brier score",
            Measure::Pinball => "pinball loss",
            Measure::Other => "score",
        }
    }

    /// Whether smaller is better.
    pub fn is_error(self) -> bool {
        self.is_square() || self.is_mean_loss()
    }

    /// Whether it is the root of a mean square.
    fn is_square(self) -> bool {
        matches!(self, Measure::Rmse | Measure::RmseOfClasses)
    }

    /// Whether it is the mean of a loss.
    fn is_mean_loss(self) -> bool {
        matches!(self, Measure::Mae | Measure::LogLoss | Measure::Brier | Measure::Pinball)
    }

    /// The name as a column of a table.
    pub fn column(self) -> String {
        self.name().to_lowercase().replace('²', "2").replace([' ', '-'], "_")
    }
}

impl From<Criterion> for Measure {
    fn from(criterion: Criterion) -> Self {
        match criterion {
            Criterion::Accuracy => Measure::Accuracy,
            Criterion::BalancedAccuracy => Measure::BalancedAccuracy,
            Criterion::MacroF1 => Measure::MacroF1,
            Criterion::Matthews => Measure::Matthews,
            Criterion::RocAuc => Measure::RocAuc,
            Criterion::R2 => Measure::R2,
            Criterion::Rmse => Measure::Rmse,
            Criterion::Mae => Measure::Mae,
            Criterion::LogLoss => Measure::LogLoss,
            Criterion::Brier => Measure::Brier,
            Criterion::Pinball => Measure::Pinball,
        }
    }
}

/// One score.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Scored {
    /// What it is.
    pub measure: Measure,
    /// Its value.
    pub value: f64,
    /// Its standard error, where that is known.
    pub spread: Option<f64>,
    /// The share of the variance that is explained; none where there is no variance.
    pub r2: Option<f64>,
}

impl Scored {
    /// `score` as `measure` counts; `variance` is that of the targets.
    pub fn of(measure: Measure, score: Score, variance: Option<f64>) -> Self {
        let known = |spread: f64| Some(spread).filter(|s| s.is_finite());
        if !measure.is_error() {
            return Self { measure, value: score.value, spread: known(score.std_error), r2: None };
        }
        if measure.is_mean_loss() {
            let (value, spread) = (0.0 - score.value, known(score.std_error));
            return Self { measure, value, spread, r2: None };
        }
        // Subtracted, for the opposite of 0 would print as -0.
        let (square, variance) = (0.0 - score.value, variance.filter(|v| *v > 0.0));
        let value = square.max(0.0).sqrt();
        // The root moves by its derivative times what the mean square moves by.
        let spread = known(score.std_error / (2.0 * value));
        Self { measure, value, spread, r2: variance.map(|variance| 1.0 - square / variance) }
    }

    /// `RMSE 0.523 ± 0.012, R² 0.873`.
    pub fn text(&self) -> String {
        let value = with_std_error(self.value, self.spread);
        let r2 = self.r2.map(|r2| format!(", R² {r2:.3}")).unwrap_or_default();
        format!("{} {value}{r2}", self.measure.name())
    }
}

/// The cross-validated scores of a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Scores {
    /// Over all targets: errors by their mean square.
    pub overall: Scored,
    /// Of each target, where there are several.
    pub targets: Vec<Scored>,
    /// Kernels that were compared; none where that was not kept.
    pub kernels: Option<usize>,
    /// Whether the only target is the same in every row.
    #[serde(default)]
    pub constant: bool,
}

impl Scores {
    /// The scores of a model that another interface fitted.
    pub fn of(selection: &Selection, classes: bool) -> Self {
        let by_name = selection.measure.parse::<Criterion>().ok().map(Measure::from);
        let measure = match selection.measure.as_str() {
            _ if by_name.is_some_and(|measure| measure != Measure::Rmse) => {
                by_name.unwrap_or(Measure::Other)
            }
            "negative mean squared error" | "negative generalised cross-validation error" => {
                if classes {
                    Measure::RmseOfClasses
                } else {
                    Measure::Rmse
                }
            }
            _ => Measure::Other,
        };
        let spread = selection.std_error.unwrap_or(f64::NAN);
        let overall =
            Scored::of(measure, Score { value: selection.score, std_error: spread }, None);
        Self { overall, targets: Vec::new(), kernels: None, constant: false }
    }

    /// The scores on rows whose targets are known; `each` is the score of each target.
    pub fn on_rows(each: &[Score], variances: &[Option<f64>]) -> Self {
        let t = each.len() as f64;
        let value = each.iter().map(|score| score.value).sum::<f64>() / t;
        let spread = each.iter().map(|score| score.std_error.powi(2)).sum::<f64>().sqrt() / t;
        let own = each.iter().zip(variances).map(|(s, v)| Scored::of(Measure::Rmse, *s, *v));
        let only = variances.first().copied().flatten().filter(|_| each.len() == 1);
        Self {
            overall: Scored::of(Measure::Rmse, Score { value, std_error: spread }, only),
            targets: if each.len() > 1 { own.collect() } else { Vec::new() },
            kernels: None,
            constant: variances == [None],
        }
    }

    /// The share of rows whose class is found.
    pub fn of_classes(hits: usize, rows: usize) -> Self {
        let share = hits as f64 / rows as f64;
        let spread = (share * (1.0 - share) / rows as f64).sqrt();
        let overall =
            Scored::of(Measure::Accuracy, Score { value: share, std_error: spread }, None);
        Self { overall, targets: Vec::new(), kernels: None, constant: false }
    }

    /// The overall score, with `how` it was computed in parentheses.
    pub fn text(&self, how: &str) -> String {
        let over = match self.targets.len() {
            0 | 1 => String::new(),
            targets => format!(" over {targets} targets"),
        };
        let constant = match self.constant {
            true => ", R² undefined: the target is constant",
            false => "",
        };
        format!("{}{over}{constant} ({how})", self.overall.text())
    }

    /// How many of what was compared.
    pub fn grid(&self, candidates: usize) -> String {
        match self.kernels.filter(|kernels| *kernels > 0) {
            _ if candidates < 2 => String::new(),
            None => format!(", {}", counted(candidates, "candidate")),
            Some(kernels) => {
                let penalties = match candidates.div_ceil(kernels) {
                    1 => "1 penalty".into(),
                    count => format!("{count} penalties"),
                };
                format!(", {} × {penalties}", counted(kernels, "kernel"))
            }
        }
    }
}

/// A number with its standard error, rounded to the significant digits.
pub fn with_std_error(value: f64, spread: Option<f64>) -> String {
    let plain = value == 0.0 || (1e-3..1e6).contains(&value.abs());
    let Some(spread) = spread.filter(|s| *s > 0.0) else {
        return if plain { rounded(value) } else { format!("{value:.3e}") };
    };
    if !plain {
        return format!("{value:.3e} ± {spread:.1e}");
    }
    let decimals = (1 - spread.log10().floor() as i32).clamp(0, 8) as usize;
    format!("{value:.decimals$} ± {spread:.decimals$}")
}

/// A number with three significant digits.
pub fn in_short(alpha: f64) -> String {
    let trimmed = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
        false => text.to_string(),
    };
    if alpha == 0.0 || (1e-3..1e4).contains(&alpha) {
        let size = if alpha == 0.0 { 0 } else { alpha.log10().floor() as i32 };
        let decimals = (2 - size).max(0) as usize;
        return trimmed(&format!("{alpha:.decimals$}"));
    }
    let text = format!("{alpha:.2e}");
    // Infinity has no exponent.
    match text.split_once('e') {
        Some((digits, exponent)) => format!("{}e{exponent}", trimmed(digits)),
        None => text,
    }
}

/// Four significant digits.
fn rounded(value: f64) -> String {
    let size = if value == 0.0 { 0 } else { value.abs().log10().floor() as i32 };
    let decimals = (3 - size).clamp(0, 8) as usize;
    format!("{value:.decimals$}")
}

/// The variance of the samples that count; none where they are all the same.
pub fn variance(values: &[f64], weights: Option<&[f64]>) -> Option<f64> {
    let weight = |i: usize| weights.map_or(1.0, |w| w[i]);
    let kept: Vec<usize> = (0..values.len()).filter(|&i| weight(i) > 0.0).collect();
    let first = values[*kept.first()?];
    if kept.iter().all(|&i| values[i] == first) {
        return None;
    }
    // In the steps of rows that come in blocks, so that the last bits are the same.
    let (mut all, mut mean, mut squares) = (0.0, first, 0.0);
    for &i in &kept {
        all += weight(i);
        let from = values[i] - mean;
        mean += from * weight(i) / all;
        squares += weight(i) * from * (values[i] - mean);
    }
    Some(squares / all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_roots_and_have_their_spread_by_the_slope() {
        let score = Score { value: -0.25, std_error: 0.01 };
        let scored = Scored::of(Measure::Rmse, score, Some(1.0));
        assert_eq!((scored.value, scored.spread, scored.r2), (0.5, Some(0.01), Some(0.75)));
        assert_eq!(scored.text(), "RMSE 0.500 ± 0.010, R² 0.750");
        let perfect = Scored::of(Measure::Rmse, Score { value: 0.0, std_error: 0.0 }, Some(2.0));
        assert_eq!(perfect.text(), "RMSE 0.000, R² 1.000");
        let accuracy = Score { value: 0.94, std_error: 0.018 };
        assert_eq!(Scored::of(Measure::Accuracy, accuracy, None).text(), "accuracy 0.940 ± 0.018");
    }

    #[test]
    fn digits_follow_the_spread() {
        let cases = [
            (0.5231, Some(0.0123), "0.523 ± 0.012"),
            (1234.56, Some(45.6), "1235 ± 46"),
            (1.2e-7, Some(3.4e-9), "1.200e-7 ± 3.4e-9"),
            (0.5, None, "0.5000"),
            (123456.0, None, "123456"),
        ];
        for (value, spread, text) in cases {
            assert_eq!(with_std_error(value, spread), text);
        }
    }

    #[test]
    fn penalties_are_short() {
        let cases =
            [(0.0, "0"), (0.1, "0.1"), (21.5443469, "21.5"), (1000.0, "1000"), (1e-6, "1e-6")];
        for (alpha, text) in cases.into_iter().chain([(4.6415888e-4, "4.64e-4"), (2.5e7, "2.5e7")])
        {
            assert_eq!(in_short(alpha), text);
        }
    }

    #[test]
    fn a_constant_has_no_variance() {
        assert_eq!(variance(&[0.1; 7], None), None);
        assert_eq!(variance(&[1.0, 3.0, 9.0], Some(&[1.0, 1.0, 0.0])), Some(1.0));
        assert_eq!(variance(&[1.0, 3.0], Some(&[0.0, 5.0])), None);
    }
}
