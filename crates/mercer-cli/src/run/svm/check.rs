//! What the target says about a fit: parameters in its units, and flags that contradict it.

use mercer::io::Table;
use mercer::model::svm::{SvmParams, Task as SvmTask};
use mercer::{Error, Result, Target, Targets};

use super::Job;
use crate::data;
use crate::scores::variance;

/// The parameters, with the task that a search derives from the target, and cost and tube in units of the target: they are
/// given in units of its standard deviation.
pub(super) fn params_for(job: &Job<'_>, targets: &Targets) -> SvmParams {
    let mut params = job.params.clone();
    if let (Target::Values(_), SvmTask::CSvc) = (&targets.target, params.task) {
        params.task = SvmTask::EpsilonSvr;
    }
    let unit = spread(job, targets);
    params.c *= unit;
    params.epsilon *= unit;
    params
}

/// The standard deviation of a numeric target; 1 for other targets, constant ones, and where units of the target are
/// requested.
pub(super) fn spread(job: &Job<'_>, targets: &Targets) -> f64 {
    let Target::Values(values) = &targets.target else { return 1.0 };
    let column: Vec<f64> = (0..values.rows()).map(|i| values[(i, 0)]).collect();
    let variance = variance(&column, targets.weights.as_deref()).filter(|_| !job.is_absolute);
    variance.filter(|v| v.is_finite() && *v > 0.0).map_or(1.0, f64::sqrt)
}

/// Whether classes are numbers, and so many of them that they are values.
pub fn looks_continuous(classes: &[String], rows: usize) -> bool {
    const MOST: usize = 30;
    let is_number = |name: &String| name.parse::<f64>().is_ok();
    classes.len() > MOST && classes.len() * 5 > rows && classes.iter().all(is_number)
}

/// Refuses flags that contradict the table.
pub(super) fn check(job: &Job<'_>, targets: &Targets, features: &Table) -> Result<()> {
    data::at_least_two(features)?;
    let refuse = |flag: &'static str| {
        let message = "the target is numeric: add --classify to treat it as class labels";
        Err(Error::parameter(flag, message))
    };
    let tube = job.search.as_ref().and_then(|search| search.tube);
    let is_text = |name: &String| name.parse::<i32>().is_err();
    match &targets.target {
        // Refused before the fit, which may take long.
        Target::Classes { labels, .. }
            if job.outputs.libsvm_model.is_some() && labels.names.iter().any(is_text) =>
        {
            let message = "LIBSVM requires integer class labels: encode them in the table first";
            Err(Error::parameter("--libsvm-model", message))
        }
        Target::Classes { labels, .. } if looks_continuous(&labels.names, features.n_rows()) => {
            let message = format!(
                "the target has {} different numbers in {} rows: fit a regression with `mercer svr` or `mercer krr`, or \
                 write the classes as text",
                labels.names.len(),
                features.n_rows()
            );
            Err(Error::parameter("--target", message))
        }
        Target::Classes { .. } if tube.is_some() => {
            let message = "not available for a classifier";
            Err(Error::parameter("--epsilon", message))
        }
        _ if job.intervals && targets.weights.is_some() => {
            let message =
                "not available with --weights: residuals of weighted rows have no common quantile";
            Err(Error::parameter("--intervals", message))
        }
        Target::Values(_) if job.class_weight.is_some() => refuse("--class-weight"),
        Target::Values(_) if job.probability.is_some() => refuse("--probability"),
        _ => Ok(()),
    }
}
