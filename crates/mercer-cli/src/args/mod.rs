//! The flags of every verb. Parsing checks everything that can be checked before any data is read,
//! so that a wrong flag costs nothing; what comes out is ready to be used.

mod columns;
mod destination;
mod groups;
mod values;
mod verbs;

use clap::{Parser, Subcommand};

pub use columns::ColumnChoice;
pub use destination::{ModelFile, Picture, PictureFormat, TableFile, TableFormat};
pub use groups::{
    ComponentArgs, Header, InputArgs, InputFormat, MachineArgs, OutputArgs, Precision, Scale,
    Solver, TableSource,
};
pub use values::{Components, MemorySize};
pub use verbs::{CompletionsArgs, DemoArgs, InspectArgs, KpcaArgs, PcaArgs, TransformArgs};

const EXIT_CODES: &str = "\
Exit codes:
  0    the work is done and everything asked for is written
  1    the work failed: the data, a file, the memory budget or the mathematics
  2    the command line is wrong; nothing was read
  130  interrupted by Ctrl-C; nothing half-written is left behind";

/// Kernel PCA and PCA on tables
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
    /// Tell what is inside a model file
    Inspect(InspectArgs),
    /// Run kernel PCA on data made on the spot and draw a picture
    Demo(DemoArgs),
    /// Print a script that completes commands in a shell
    Completions(CompletionsArgs),
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;
    use clap::error::ErrorKind;

    use super::*;

    fn parse(line: &str) -> Result<Verb, clap::Error> {
        let words = std::iter::once("mercer").chain(line.split_whitespace());
        Cli::<Verb>::try_parse_from(words).map(|cli| cli.verb)
    }

    fn help(verb: &str) -> String {
        let mut command = Cli::<Verb>::command();
        let found = command.find_subcommand_mut(verb).expect("a verb of that name");
        found.render_long_help().to_string()
    }

    #[test]
    fn the_definition_is_consistent() {
        Cli::<Verb>::command().debug_assert();
    }

    #[test]
    fn help_has_examples_and_exit_codes() {
        let top = Cli::<Verb>::command().render_long_help().to_string();
        for line in ["pca ", "kpca ", "transform ", "inspect ", "demo ", "130  interrupted"] {
            assert!(top.contains(line), "{line}\n{top}");
        }
        for verb in ["pca", "kpca", "transform", "inspect", "demo", "completions"] {
            let text = help(verb);
            assert!(text.contains("Examples:\n  mercer "), "{verb}: {text}");
        }
        for heading in ["Input:", "Components:", "Output:", "Machine:", "Kernel:"] {
            assert!(help("kpca").contains(heading), "{heading}");
        }
    }

    #[test]
    fn defaults_need_no_flags() {
        let Verb::Kpca(args) = parse("kpca table.csv").unwrap() else { panic!("kpca") };
        assert_eq!(args.kernel, "rbf(gamma=scale)");
        assert_eq!(args.components.count, Components::Count(2));
        assert!(args.output.output.is_none() && !args.no_center && !args.inverse);
    }

    #[test]
    fn all_flags_of_a_fit_are_understood() {
        let line = "kpca - --format tsv --header no --columns 1,3-5 --label kind --scale minmax \
                    -k 95% --kernel poly(degree=2) --no-center --solver krylov --tolerance 1e-6 \
                    --seed 7 --precision mixed --memory 2GiB --threads 2 --json --quiet \
                    --inverse --inverse-kernel rbf(sigma=1) --inverse-alpha 0.1";
        let Verb::Kpca(args) = parse(line).unwrap() else { panic!("kpca") };
        assert_eq!(args.input.table, TableSource::Stdin);
        assert_eq!(args.components.count, Components::Fraction(0.95));
        assert_eq!(args.machine.memory, Some(MemorySize(2 << 30)));
        assert_eq!(args.components.precision, Precision::Mixed);
        assert_eq!(args.inverse_alpha, 0.1);
        assert!(args.no_center && args.output.json && args.output.quiet);
    }

    #[test]
    fn wrong_values_are_refused_with_exit_code_two() {
        let lines = [
            "pca table.csv -k 0",
            "pca table.csv -k 1.5",
            "pca table.csv --memory lots",
            "pca table.csv --tolerance 0",
            "pca table.csv --threads -1",
            "pca table.csv --columns 3-1",
            "pca table.csv --output out.docx",
            "pca table.csv --plot out.gif",
            "pca table.csv --plot no/such/folder/out.svg",
            "pca table.csv --output .",
            "pca table.csv --model .",
            "kpca table.csv --inverse-alpha 2",
            "kpca table.csv --inverse --inverse-alpha -1",
            "demo --rows 2",
            "pca",
        ];
        for line in lines {
            let error = parse(line).expect_err(line);
            assert_eq!(error.exit_code(), 2, "{line}");
        }
    }

    #[test]
    fn two_results_cannot_share_a_file() {
        let Verb::Pca(args) = parse("pca t.csv --output a.csv --model ./a.csv").unwrap() else {
            panic!("pca")
        };
        let error = args.output.check_distinct().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ArgumentConflict);
        assert!(error.to_string().contains("--output and --model"), "{error}");
    }
}
