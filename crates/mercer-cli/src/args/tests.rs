//! Parsing of command lines.

use clap::CommandFactory;
use clap::error::ErrorKind;
use mercer::model::Components;

use super::*;

const VERBS: [&str; 16] = [
    "pca",
    "kpca",
    "transform",
    "krr",
    "svc",
    "svr",
    "oneclass",
    "search",
    "auto",
    "kmeans",
    "outliers",
    "predict",
    "continue",
    "inspect",
    "demo",
    "completions",
];

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
    assert!(top.contains("130  interrupted"), "{top}");
    for verb in VERBS {
        assert!(top.contains(&format!("  {verb} ")), "{verb}\n{top}");
        let text = help(verb);
        assert!(text.contains("Examples:\n  mercer "), "{verb}: {text}");
    }
    for heading in ["Input:", "Components:", "Output:", "Resources:", "Kernel:"] {
        assert!(help("kpca").contains(heading), "{heading}");
    }
}

#[test]
fn defaults_need_no_flags() {
    let Verb::Kpca(args) = parse("kpca table.csv").unwrap() else { panic!("kpca") };
    assert_eq!(args.kernel.to_string(), "rbf(gamma=scale)");
    assert_eq!(args.components.count, Components::Count(2));
    assert!(args.output.output.is_none() && args.output.plot.is_empty());
    assert!(!args.no_center && !args.inverse);
}

#[test]
fn all_flags_of_a_fit_are_understood() {
    let line = "kpca - --format tsv --header no --columns 1,3-5 --label kind --scale minmax \
                -k 95% --kernel poly(degree=2) --no-center --solver krylov --tolerance 1e-6 \
                --seed 7 --precision mixed --memory 2GiB --threads 2 --json --quiet \
                --inverse --inverse-kernel rbf(sigma=1) --inverse-alpha 0.1";
    let Verb::Kpca(args) = parse(line).unwrap() else { panic!("kpca") };
    assert_eq!(args.table.source, mercer::io::Source::Stdin);
    assert_eq!(args.components.count, Components::Share(0.95));
    assert_eq!(args.machine.memory, Some(MemorySize(2 << 30)));
    assert_eq!(args.components.precision, Precision::Mixed);
    assert_eq!(args.inverse_alpha, 0.1);
    assert!(args.no_center && args.output.json && args.output.quiet);
}

#[test]
fn a_regression_needs_no_flags_and_takes_many() {
    let Verb::Krr(args) = parse("krr t.csv").unwrap() else { panic!("krr") };
    assert_eq!(args.search.kernel[0].to_string(), "rbf");
    assert!(args.search.alpha.is_empty() && args.search.folds.is_none());
    assert_eq!(args.learning.features.scale, None);
    let line = "krr t.csv --target a,b --columns ^c --label c --weights w --classify \
                --kernel rbf --kernel poly(degree=2,coef0=1) --alpha 0.1,1 --alpha 10 \
                --alpha-per-target --folds 5 --seed 3 --no-intercept --solver cg \
                --tolerance 1e-8 --precision f32 --json";
    let Verb::Krr(args) = parse(line).unwrap() else { panic!("krr") };
    assert_eq!((args.search.kernel.len(), &args.search.alpha[..]), (2, &[0.1, 1.0, 10.0][..]));
    assert_eq!((args.search.folds, args.ridge.no_intercept), (Some(5), true));
}

#[test]
fn machines_have_the_defaults_of_libsvm_and_take_many_flags() {
    let Verb::Svc(args) = parse("svc t.csv").unwrap() else { panic!("svc") };
    assert_eq!((args.cost, args.nu, args.smo.tolerance), (1.0, None, 1e-3));
    assert_eq!(args.kernel.to_string(), "rbf(gamma=scale)");
    let line = "svc t.csv --target a -C 5 --class-weight a=2,b=1 --probability isotonic \
                --tolerance 1e-5 --max-iter 100 --max-time 2.5 --cache 1GB --no-shrinking \
                --precision f32 --libsvm-model a.model --scale none --weights w";
    let Verb::Svc(args) = parse(line).unwrap() else { panic!("svc") };
    assert_eq!((args.cost, args.smo.max_iter, args.smo.max_time), (5.0, Some(100), Some(2.5)));
    assert!(args.smo.no_shrinking && args.probability == Some(Calibration::Isotonic));
    let Verb::Svr(args) = parse("svr t.csv --nu 0.2 -C 3").unwrap() else { panic!("svr") };
    assert_eq!((args.nu, args.epsilon), (Some(0.2), 0.1));
    let Verb::Oneclass(args) = parse("oneclass t.csv").unwrap() else { panic!("oneclass") };
    assert_eq!(args.nu, 0.1);
    let Verb::Search(args) = parse("search t.csv").unwrap() else { panic!("search") };
    assert_eq!((&args.costs[..], args.folds), (&[0.1, 1.0, 10.0, 100.0][..], 5));
    let line = "search t.csv -C 1,2 --gammas 0.1,1 --classify";
    let Verb::Search(args) = parse(line).unwrap() else { panic!("search") };
    assert_eq!((args.costs.len(), args.gammas.len(), args.task.classify), (2, 2, true));
}

#[test]
fn clusters_need_a_number_and_outliers_need_nothing() {
    let Verb::Kmeans(args) = parse("kmeans t.csv -k 3").unwrap() else { panic!("kmeans") };
    let clusters = &args.clusters;
    assert_eq!((clusters.count.all(), clusters.n_init, clusters.max_iter), (vec![3], None, 300));
    assert_eq!((clusters.init, clusters.tolerance), (Start::PlusPlus, 0.0));
    assert_eq!(args.learning.features.scale, None);
    let line = "kmeans t.csv --clusters 2 --init k-means++ --n-init 10 --max-iter 5 --tolerance 1e-3 \
                --seed 7 --weights w --scale none --kernel linear --precision f32";
    let Verb::Kmeans(args) = parse(line).unwrap() else { panic!("kmeans") };
    assert_eq!((args.clusters.n_init, args.clusters.tolerance), (Some(10), 1e-3));
    let Verb::Outliers(args) = parse("outliers t.csv").unwrap() else { panic!("outliers") };
    assert_eq!(
        (args.contamination, args.top, args.components),
        (Contamination::Share(0.1), 10, None)
    );
    let line = "outliers t.csv --score projections -k 90% --contamination 0.5 --top 3";
    let Verb::Outliers(args) = parse(line).unwrap() else { panic!("outliers") };
    assert_eq!((args.score, args.components), (Score::Projections, Some(Components::Share(0.9))));
}

#[test]
fn wrong_values_are_refused_with_exit_code_two() {
    let lines = [
        "pca table.csv -k 0",
        "pca table.csv -k 1.5",
        "pca table.csv --memory lots",
        "pca table.csv --tolerance 0",
        "pca table.csv --threads -1",
        "kpca table.csv --kernel rbf(gama=1)",
        "kpca table.csv --kernel rbf(gamma=-1)",
        "kpca table.csv --inverse --inverse-kernel nonsense",
        "pca table.csv --threads 70000",
        "pca table.csv --solver krylov",
        "pca table.csv --output out.docx",
        "pca table.csv --plot out.gif",
        "pca table.csv --plot no/such/folder/out.svg",
        "pca table.csv --output .",
        "pca table.csv --model .",
        "kpca table.csv --inverse-alpha 2",
        "kpca table.csv --inverse --inverse-alpha -1",
        "demo --rows 2",
        "krr t.csv --alpha -1",
        "krr t.csv --alpha 1,x",
        "krr t.csv --folds 1",
        "krr t.csv --folds 5 --gcv",
        "krr t.csv --no-score",
        "krr t.csv --no-score --alpha 1 --plot a.svg",
        "krr t.csv --solver full",
        "krr t.csv --kernel nonsense",
        "svc t.csv -C 0",
        "svc t.csv --nu 2",
        "svc t.csv --nu 0.5 --cost 2",
        "svc t.csv --probability platt",
        "svr t.csv --epsilon -1",
        "oneclass t.csv --nu 0",
        "search t.csv --folds 1",
        "search t.csv --gammas 1 --kernel rbf",
        "search t.csv --classify --task regression",
        "kmeans t.csv",
        "kmeans t.csv -k 0",
        "kmeans t.csv -k 5..2",
        "kmeans t.csv -k 2..4 --choose elbow",
        "demo --data flowers.csv",
        "demo --data iris.npy",
        "demo circles --data iris.csv",
        "man kpca --out .",
        "kmeans t.csv -k 2 --init kmeans",
        "kmeans t.csv -k 2 --n-init 0",
        "kmeans t.csv -k 2 --max-iter 0",
        "kmeans t.csv -k 2 --tolerance -1",
        "outliers t.csv --contamination 0",
        "outliers t.csv --contamination 0.6",
        "outliers t.csv --components 0",
        "outliers t.csv --top 0",
        "outliers t.csv --weights w",
        "predict m.mercer",
        "pca",
    ];
    for line in lines {
        let error = parse(line).expect_err(line);
        assert_eq!(error.exit_code(), 2, "{line}");
    }
}

#[test]
fn a_wrong_kernel_is_pointed_at() {
    let text = parse("kpca table.csv --kernel rbf(gama=1)").unwrap_err().to_string();
    assert!(text.contains("\n  rbf(gama=1)\n      ^"), "{text}");
}

#[test]
fn no_result_replaces_an_input_or_another_result() {
    let cases = [
        ("pca t.csv --output a.csv --model ./a.csv", "--output and --model"),
        ("pca t.csv --plot a.svg --plot ./a.svg", "--plot and --plot"),
        ("pca t.csv --output ./t.csv", "TABLE and --output"),
        ("transform m.csv t.csv --output m.csv", "MODEL and --output"),
        ("transform m.mercer t.csv -o t.csv", "TABLE and --output"),
        ("demo --plot a.svg --plot a.svg", "--plot and --plot"),
        ("krr t.csv -o a.csv -m a.csv", "--output and --model"),
        ("krr t.csv -o t.csv", "TABLE and --output"),
        ("predict m.mercer t.csv -o t.csv", "TABLE and --output"),
        ("svc t.csv -m a --libsvm-model a --scale none", "--model and --libsvm-model"),
        ("svr t.csv --libsvm-model a", "--scale none"),
        ("search t.csv -o t.csv", "TABLE and --output"),
        ("kmeans t.csv -k 2 -o a.csv -m a.csv", "--output and --model"),
        ("outliers t.csv -m a.svg -p a.svg", "--model and --plot"),
        ("kmeans t.csv -k 3 --choose gap", "--choose requires a range"),
        ("kmeans t.csv -k 1..4", "at least 2"),
        ("kmeans t.csv -k 2..4 --weights w", "--weights does not apply"),
        ("demo --data iris.csv --rows 20", "--rows has no effect on `iris`"),
        ("demo names --rows 20", "--rows has no effect on `names`"),
        ("pca t.csv -p - -p -", "--plot - is given twice"),
        ("kpca t.csv -p - --json", "--plot - and --json"),
        ("transform m.mercer t.csv -p - --json", "--plot - and --json"),
        ("krr t.csv -p - --json", "--plot - and --json"),
        ("svr t.csv -p - --json", "--plot - and --json"),
        ("kmeans t.csv -k 2 -p - --json", "--plot - and --json"),
        ("outliers t.csv -p - --json", "--plot - and --json"),
        ("demo -p - -p -", "--plot - is given twice"),
    ];
    for (line, parts) in cases {
        let error = parse(line).unwrap().check_files().expect_err(line);
        assert_eq!(error.kind(), ErrorKind::ArgumentConflict);
        assert!(error.to_string().contains(parts), "{line}: {error}");
    }
    for line in ["pca - -o a.csv -m a.mercer -p a.svg -p a.png", "pca - -p - -p a.svg", "demo -p -"]
    {
        assert!(parse(line).unwrap().check_files().is_ok(), "{line}");
    }
}

#[test]
fn short_help_fits_a_screen() {
    let mut command = Cli::<Verb>::command();
    command.build();
    for verb in command.get_subcommands_mut() {
        let (name, lines) = (verb.get_name().to_string(), verb.render_help().to_string());
        let count = lines.lines().count();
        assert!(count <= 60, "`mercer {name} -h` has {count} lines");
    }
}
