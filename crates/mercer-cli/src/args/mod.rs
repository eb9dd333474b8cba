//! The flags of every verb. Parsing checks everything that can be checked before any data is read,
//! so that a wrong flag costs nothing; what comes out is ready to be used.

mod demo;
mod destination;
mod doctor;
mod groups;
mod kernel;
mod kernel_verbs;
mod kmeans;
mod learning;
mod outliers;
mod regression;
mod svm;
mod values;
mod verbs;

use clap::{Parser, Subcommand};

pub use demo::{DemoArgs, Subject};
pub use destination::{ModelFile, PageFile, Picture, PictureFormat, TableFile};
pub use doctor::DoctorArgs;
pub use groups::{
    ColumnArgs, ComponentArgs, Header, InputFormat, MachineArgs, ModelArgs, OutputArgs, Precision,
    Scale, TableArgs,
};
pub use kernel::{COMBINATIONS, INPUTS, Kernel, call, families_for};
pub use kernel_verbs::{CheckArgs, FeaturesArgs, KernelsArgs, Repair, SightArgs};
pub use kmeans::{ClusterArgs, KmeansArgs, Start};
pub use learning::{FeatureArgs, LearnedArgs, LearningArgs, ResultArgs};
pub use outliers::{OutliersArgs, Score};
pub use regression::{KrrArgs, PredictArgs, RidgeArgs, RidgeSolver, SearchArgs};
pub use svm::{Calibration, OneclassArgs, SmoArgs, SvcArgs, SvmSearchArgs, SvrArgs};
pub use values::{ClassWeights, MemorySize};
pub use verbs::{
    CompletionsArgs, InspectArgs, KpcaArgs, PcaArgs, PcaSolver, Solver, TransformArgs,
};

const EXIT_CODES: &str = "\
Exit codes:
  0    the work is done and everything asked for is written
  1    the work failed: the data, a file, the memory budget or the mathematics; of `check`, also
       that the function is no kernel; of `doctor`, that a test failed
  2    the command line is wrong; nothing was read
  70   a bug in mercer; please report what it prints
  130  interrupted by Ctrl-C (143: by SIGTERM); nothing half-written is left behind";

/// Kernel PCA, PCA, kernel ridge regression, support vector machines, clusters and outliers of tables
#[derive(Debug, Parser)]
#[command(name = "mercer", version, after_help = EXIT_CODES, max_term_width = 100)]
pub struct Cli<V: Subcommand> {
    /// What to do.
    #[command(subcommand)]
    pub verb: V,
}

/// Everything the command can do.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Find the principal components of a table
    Pca(PcaArgs),
    /// Find the principal components of a table in a kernel's feature space
    Kpca(KpcaArgs),
    /// Project new rows with a fitted model
    Transform(TransformArgs),
    /// Learn to predict a column of a table from the others, by kernel ridge regression
    Krr(KrrArgs),
    /// Learn to tell classes apart, by a support vector machine
    Svc(SvcArgs),
    /// Learn to predict a number, by a support vector machine
    Svr(SvrArgs),
    /// Learn where the rows of a table are, and which of them lie outside
    Oneclass(OneclassArgs),
    /// Choose kernel and cost of a support vector machine by folds
    Search(SvmSearchArgs),
    /// Find clusters of rows, by kernel k-means
    Kmeans(KmeansArgs),
    /// Rank the rows of a table by how unusual they are
    Outliers(OutliersArgs),
    /// Predict for new rows with a fitted model
    Predict(PredictArgs),
    /// Tell what is inside a model file
    Inspect(InspectArgs),
    /// Find out whether a function is a kernel, on the rows of a table
    Check(CheckArgs),
    /// Write the features whose inner products are a kernel
    Features(FeaturesArgs),
    /// List all kernels
    Kernels(KernelsArgs),
    /// Run kernel PCA on data made on the spot and draw a picture
    Demo(DemoArgs),
    /// Tell what this machine offers, and test that mercer works on it
    Doctor(DoctorArgs),
    /// Print a script that completes commands in a shell
    Completions(CompletionsArgs),
}

impl Verb {
    /// Whether progress and summary are to be left out.
    pub fn quiet(&self) -> bool {
        match self {
            Verb::Pca(args) => args.output.quiet,
            Verb::Kpca(args) => args.output.quiet,
            Verb::Transform(args) => args.output.quiet,
            Verb::Krr(args) => args.quiet,
            Verb::Svc(args) => args.learned.results.quiet,
            Verb::Svr(args) => args.learned.results.quiet,
            Verb::Oneclass(args) => args.learned.results.quiet,
            Verb::Search(args) => args.learned.results.quiet,
            Verb::Kmeans(args) => args.results.quiet,
            Verb::Outliers(args) => args.results.quiet,
            Verb::Predict(args) => args.quiet,
            Verb::Check(args) => args.quiet,
            Verb::Features(args) => args.quiet,
            Verb::Demo(args) => args.quiet,
            Verb::Doctor(args) => args.json,
            Verb::Inspect(_) | Verb::Kernels(_) | Verb::Completions(_) => true,
        }
    }

    /// The pictures, and whether standard output is to hold an object.
    fn pictures(&self) -> (&[Picture], bool) {
        match self {
            Verb::Pca(args) => (&args.output.plot, args.output.json),
            Verb::Kpca(args) => (&args.output.plot, args.output.json),
            Verb::Transform(args) => (&args.output.plot, args.output.json),
            Verb::Krr(args) => (&args.plot, args.json),
            Verb::Svc(args) => (&args.learned.plot, args.learned.results.json),
            Verb::Svr(args) => (&args.learned.plot, args.learned.results.json),
            Verb::Oneclass(args) => (&args.learned.plot, args.learned.results.json),
            Verb::Search(args) => (&args.learned.plot, args.learned.results.json),
            Verb::Kmeans(args) => (&args.plot, args.results.json),
            Verb::Outliers(args) => (&args.plot, args.results.json),
            Verb::Demo(args) => (&args.plot, false),
            _ => (&[], false),
        }
    }

    /// Refuses a result that would replace the input or another result, or be printed among others.
    pub fn check_files(&self) -> Result<(), clap::Error> {
        let (pictures, json) = self.pictures();
        groups::check_printed(pictures, json)?;
        match self {
            Verb::Pca(args) => args.check_files(),
            Verb::Kpca(args) => args.check_files(),
            Verb::Transform(args) => args.check_files(),
            Verb::Krr(args) => args.check_files(),
            Verb::Svc(args) => args.learned.check_files(&args.table, &args.learning),
            Verb::Svr(args) => args.learned.check_files(&args.table, &args.learning),
            Verb::Oneclass(args) => args.learned.check_files(&args.table, &args.learning),
            Verb::Search(args) => args.learned.check_files(&args.table, &args.learning),
            Verb::Kmeans(args) => args.check_files(),
            Verb::Outliers(args) => args.check_files(),
            Verb::Predict(args) => args.check_files(),
            Verb::Demo(args) => args.check_files(),
            Verb::Check(args) => args.sight.check_files(args.output.as_ref(), args.model.as_ref()),
            Verb::Features(args) => args.sight.check_files(args.output.as_ref(), None),
            Verb::Inspect(_) | Verb::Kernels(_) | Verb::Doctor(_) | Verb::Completions(_) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
