//! The command that fits the best model again, and its model.

use clap::{Parser, ValueEnum};
use mercer::io::{ModelFile, Table};

use super::tuned::Tuned;
use crate::args::{AutoArgs, Cli, Dates, Header, InputFormat, Verb};
use crate::failure::Failure;
use crate::report::quoted;
use crate::run::{Chosen, Session, krr, svm};
use crate::summary::shown;

/// A command of `mercer`.
pub struct CommandLine {
    words: Vec<String>,
}

impl CommandLine {
    /// The command that fits `model` on the table of `args`; none for a model that no verb fits. `is_scored` says whether
    /// kernel ridge regression is to be cross-validated too, which takes long on many rows.
    pub fn of(args: &AutoArgs, model: &Tuned, is_classes: bool, is_scored: bool) -> Option<Self> {
        let (verb, kernel, rest) = match model {
            Tuned::Constant(_) | Tuned::Neighbours(_) => return None,
            Tuned::Ridge(model) => {
                let mut rest = vec!["--alpha".to_string(), model.params.alpha[0].to_string()];
                rest.extend((!is_scored).then(|| "--no-score".into()));
                rest.extend(is_classes.then(|| "--classify".into()));
                ("krr", &model.params.kernel, rest)
            }
            Tuned::Machine(model, cost) => {
                let verb = if is_classes { "svc" } else { "svr" };
                (verb, &model.params.kernel, vec!["--cost".into(), cost.to_string()])
            }
        };
        let mut words = vec!["mercer".into(), verb.into(), shown(args.table.source.path())];
        words.extend(input_flags(args));
        words.extend(["--kernel".into(), kernel.to_string()]);
        words.extend(rest);
        Some(Self { words })
    }

    /// The command, quoted for a shell.
    pub fn text(&self) -> String {
        let words: Vec<String> = self.words.iter().map(|word| quoted(word)).collect();
        words.join(" ")
    }

    /// The model that the command fits on `table`, and its columns.
    pub fn fit(&self, session: &Session, table: Table) -> Result<(ModelFile, Chosen), Failure> {
        let parsed = Cli::<Verb>::try_parse_from(&self.words)?;
        let fitted = match &parsed.verb {
            Verb::Krr(args) => krr::model_of(session, args, table),
            Verb::Svc(args) => svm::svc_model(session, args, table),
            Verb::Svr(args) => svm::svr_model(session, args, table),
            _ => unreachable!("the command fits a model"),
        };
        Ok(fitted?)
    }
}

/// The flags that say what is read, as they were given.
fn input_flags(args: &AutoArgs) -> Vec<String> {
    let (table, features) = (&args.table, &args.features);
    let encoding = &features.encoding;
    let given = [
        ("--target", args.target.clone()),
        ("--format", Some(table.format).filter(|v| *v != InputFormat::Auto).map(name)),
        ("--header", Some(table.header).filter(|v| *v != Header::Auto).map(name)),
        ("--columns", features.columns.clone()),
        ("--label", features.label.clone()),
        ("--scale", features.scale.map(name)),
        ("--missing", encoding.missing.map(name)),
        ("--categories", encoding.categories.clone()),
        ("--dates", Some(encoding.dates).filter(|v| *v != Dates::Refuse).map(name)),
    ];
    let pair = |(flag, value): (&str, Option<String>)| value.map(|value| [flag.to_string(), value]);
    let ordered = encoding.ordered.iter().map(|order| ("--ordered", Some(order.to_string())));
    given.into_iter().chain(ordered).filter_map(pair).flatten().collect()
}

/// The name of a value on the command line.
fn name<V: ValueEnum>(value: V) -> String {
    value.to_possible_value().map(|value| value.get_name().to_string()).unwrap_or_default()
}
