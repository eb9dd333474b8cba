//! The flags of every verb. Parsing checks everything that can be checked before any data is read,
//! so that an invalid option costs nothing.

mod auto;
mod cluster_count;
mod compare;
mod continue_fit;
mod demo;
mod destination;
mod doctor;
mod encoding;
mod explain;
mod folds;
mod from_model;
mod groups;
mod interval;
mod kernel;
mod kernel_verbs;
mod kmeans;
mod landmarks;
mod learning;
mod man;
mod outliers;
mod regression;
mod serve;
mod svm;
mod task;
mod test_rows;
mod values;
mod verbs;

use clap::{Parser, Subcommand};

pub use auto::{AutoArgs, AutoMetric, AutoTask};
pub use cluster_count::{Choose, ClusterCounts};
pub use compare::CompareArgs;
pub use continue_fit::ContinueArgs;
pub use demo::{DemoArgs, DemoData, Subject};
pub use destination::{ModelFile, PageFile, Picture, PictureFormat, TableFile};
pub use doctor::DoctorArgs;
pub use encoding::{Dates, EncodingArgs, Missing, Order};
pub use explain::ExplainArgs;
pub use folds::FoldArgs;
pub use from_model::FromModelArgs;
pub use groups::{
    ColumnArgs, ComponentArgs, Header, InputFormat, MachineArgs, ModelArgs, OutputArgs, Precision,
    Scale, TableArgs,
};
pub use interval::{IntervalArgs, IntervalMethod};
pub use kernel::{COMBINATIONS, INPUTS, Kernel, call, families_for};
pub use kernel_verbs::{CheckArgs, FeaturesArgs, InputArgs, KernelsArgs, Repair};
pub use kmeans::{ClusterArgs, KmeansArgs, Start};
pub use learning::{FeatureArgs, LearningArgs, ResultArgs, SvmOutputArgs};
pub use man::ManArgs;
pub use outliers::{Contamination, OutliersArgs, Score};
pub use regression::{KrrArgs, PredictArgs, RidgeArgs, RidgeSolver, SearchArgs};
pub use serve::{ExploreArgs, ListenArgs, ServeArgs};
pub use svm::{Calibration, OneclassArgs, SmoArgs, SvcArgs, SvmSearchArgs, SvrArgs};
pub use task::{TaskArgs, TaskKind};
pub use test_rows::{TestArgs, TestRows};
pub use values::{ClassWeights, MemorySize};
pub use verbs::{
    CompletionsArgs, InspectArgs, KpcaArgs, PcaArgs, PcaSolver, Solver, TransformArgs,
};

const EXIT_CODES: &str = "\
Exit codes:
  0    success: all requested outputs are written
  1    failure: invalid data, a file, the memory budget or a numerical problem; for `check`, also
       an indefinite kernel; for `doctor`, a failed self-test
  2    invalid command line, also where only the table shows it; nothing was written
  70   a bug in mercer; please report the message
  130  interrupted by Ctrl-C (143: by SIGTERM); no partial files are left behind. `serve` and
       `explore` end by these with 0";

/// Kernel methods for tables: kernel PCA, ridge regression, support vector machines, k-means and outlier detection
#[derive(Debug, Parser)]
#[command(name = "mercer", version, after_help = EXIT_CODES, max_term_width = 100)]
pub struct Cli<V: Subcommand> {
    /// The subcommand.
    #[command(subcommand)]
    pub verb: V,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Principal component analysis (PCA)
    Pca(PcaArgs),
    /// Kernel PCA
    Kpca(KpcaArgs),
    /// Project new rows with a fitted PCA or kernel PCA
    Transform(TransformArgs),
    /// Fit a kernel ridge regression or classifier, tuned by cross-validation
    Krr(KrrArgs),
    /// Fit a support vector classifier
    Svc(SvcArgs),
    /// Fit a support vector regression
    Svr(SvrArgs),
    /// Fit a one-class SVM for novelty detection
    Oneclass(OneclassArgs),
    /// Tune an SVM by cross-validation
    Search(SvmSearchArgs),
    /// Compare kernel methods and baselines on a table, and fit the best
    Auto(AutoArgs),
    /// Cluster rows by kernel k-means
    Kmeans(KmeansArgs),
    /// Detect outliers by kernel PCA
    Outliers(OutliersArgs),
    /// Test whether two tables come from one distribution, and which columns moved
    Compare(CompareArgs),
    /// Predict new rows with a fitted model
    Predict(PredictArgs),
    /// Add the rows of another table to a fit on landmarks
    Continue(ContinueArgs),
    /// Describe a table or a model file
    Inspect(InspectArgs),
    /// Check whether a kernel matrix is positive semi-definite, and repair it
    Check(CheckArgs),
    /// Compute the explicit feature map of a kernel
    Features(FeaturesArgs),
    /// List the available kernels
    Kernels(KernelsArgs),
    /// Run kernel PCA on generated data and plot the result
    Demo(DemoArgs),
    /// Explore kernels on a page in the browser
    Explore(ExploreArgs),
    /// Serve predictions of fitted models over HTTP
    Serve(ServeArgs),
    /// Show system information and run a self-test
    Doctor(DoctorArgs),
    /// Print a shell completion script
    Completions(CompletionsArgs),
    /// Print or write the man pages
    Man(ManArgs),
}

impl Verb {
    /// Whether to print neither progress bar nor summary.
    pub fn quiet(&self) -> bool {
        match self {
            Verb::Pca(args) => args.output.quiet,
            Verb::Kpca(args) => args.output.quiet,
            Verb::Transform(args) => args.output.quiet,
            Verb::Krr(args) => args.quiet,
            Verb::Svc(args) => args.outputs.results.quiet,
            Verb::Svr(args) => args.outputs.results.quiet,
            Verb::Oneclass(args) => args.outputs.results.quiet,
            Verb::Search(args) => args.outputs.results.quiet,
            Verb::Auto(args) => args.quiet,
            Verb::Kmeans(args) => args.results.quiet,
            Verb::Outliers(args) => args.results.quiet,
            Verb::Compare(args) => args.quiet,
            Verb::Predict(args) => args.quiet,
            Verb::Continue(args) => args.quiet,
            Verb::Check(args) => args.quiet,
            Verb::Features(args) => args.quiet,
            Verb::Demo(args) => args.quiet,
            Verb::Explore(args) => args.quiet,
            Verb::Serve(args) => args.quiet,
            Verb::Doctor(args) => args.json,
            Verb::Inspect(_) | Verb::Kernels(_) | Verb::Completions(_) | Verb::Man(_) => true,
        }
    }

    /// Whether the summary includes the computation and not only its result.
    pub fn verbose(&self) -> bool {
        match self {
            Verb::Pca(args) => args.model.page.verbose,
            Verb::Kpca(args) => args.model.page.verbose,
            Verb::Krr(args) => args.page.verbose,
            Verb::Svc(args) => args.outputs.results.page.verbose,
            Verb::Svr(args) => args.outputs.results.page.verbose,
            Verb::Oneclass(args) => args.outputs.results.page.verbose,
            Verb::Search(args) => args.outputs.results.page.verbose,
            Verb::Kmeans(args) => args.results.page.verbose,
            Verb::Outliers(args) => args.results.page.verbose,
            _ => false,
        }
    }

    /// Whether the fit is for a cluster.
    pub fn is_for_cluster(&self) -> bool {
        let cluster = match self {
            Verb::Kpca(args) => &args.cluster,
            Verb::Krr(args) => &args.cluster,
            Verb::Kmeans(args) => &args.cluster,
            Verb::Outliers(args) => &args.cluster,
            _ => return false,
        };
        cluster.dask.is_some()
    }

    /// The plots, and whether standard output holds JSON.
    fn pictures(&self) -> (&[Picture], bool) {
        match self {
            Verb::Pca(args) => (&args.output.plot, args.output.json),
            Verb::Kpca(args) => (&args.output.plot, args.output.json),
            Verb::Transform(args) => (&args.output.plot, args.output.json),
            Verb::Krr(args) => (&args.plot, args.json),
            Verb::Svc(args) => (&args.outputs.plot, args.outputs.results.json),
            Verb::Svr(args) => (&args.outputs.plot, args.outputs.results.json),
            Verb::Oneclass(args) => (&args.outputs.plot, args.outputs.results.json),
            Verb::Search(args) => (&args.outputs.plot, args.outputs.results.json),
            Verb::Auto(args) => (&args.plot, args.json),
            Verb::Kmeans(args) => (&args.plot, args.results.json),
            Verb::Outliers(args) => (&args.plot, args.results.json),
            Verb::Compare(args) => (&args.plot, args.json),
            Verb::Demo(args) => (&args.plot, false),
            _ => (&[], false),
        }
    }

    /// Refuses outputs that would overwrite the input or each other, or be printed together.
    pub fn check_files(&self) -> Result<(), clap::Error> {
        let (pictures, json) = self.pictures();
        groups::check_printed(pictures, json)?;
        match self {
            Verb::Pca(args) => args.check_files(),
            Verb::Kpca(args) => args.check_files(),
            Verb::Transform(args) => args.check_files(),
            Verb::Krr(args) => args.check_files(),
            Verb::Svc(args) => args.check_files(),
            Verb::Svr(args) => args.check_files(),
            Verb::Oneclass(args) => args.outputs.check_files(&args.table, &args.learning),
            Verb::Search(args) => args.check_files(),
            Verb::Auto(args) => args.check_files(),
            Verb::Kmeans(args) => args.check_files(),
            Verb::Outliers(args) => args.check_files(),
            Verb::Compare(args) => args.check_files(),
            Verb::Predict(args) => args.check_files(),
            Verb::Continue(args) => args.check_files(),
            Verb::Demo(args) => args.check_files(),
            Verb::Check(args) => args.input.check_files(args.output.as_ref(), args.model.as_ref()),
            Verb::Features(args) => {
                args.input.check_files(args.output.as_ref(), args.model.as_ref())
            }
            Verb::Inspect(_) | Verb::Kernels(_) | Verb::Doctor(_) => Ok(()),
            Verb::Explore(_) | Verb::Serve(_) => Ok(()),
            Verb::Completions(_) | Verb::Man(_) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
