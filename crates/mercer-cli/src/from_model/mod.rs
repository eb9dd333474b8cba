//! `--from-model`: the settings of a stored model as options of the command line, so that a fit on another table goes
//! through the same checks as if they had been typed.

mod parameters;
mod table;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::ArgMatches;
use clap::parser::ValueSource;
use mercer::io::{LIBSVM_TEXT, Model, ModelFile};
use mercer::model::svm::Task;
use mercer::{Error, Result};

use crate::args::Kernel;
use crate::data::InputKind;

/// An option: the name of the argument in the definition, and the word that sets it.
struct Setting {
    id: &'static str,
    word: String,
}

/// `--flag=value`, as the argument `id`.
fn setting(id: &'static str, flag: &str, value: impl std::fmt::Display) -> Setting {
    Setting { id, word: format!("--{flag}={value}") }
}

/// `--flag`, if it is `set`.
fn switch(id: &'static str, flag: &str, set: bool) -> Option<Setting> {
    set.then(|| Setting { id, word: format!("--{flag}") })
}

/// `words` with the settings of the model that `--from-model` names, unless the command line sets them; nothing without
/// that flag.
pub fn expanded(matches: &ArgMatches, words: &[OsString]) -> Result<Option<Vec<OsString>>> {
    let Some((verb, given)) = matches.subcommand() else { return Ok(None) };
    let Ok(Some(path)) = given.try_get_one::<PathBuf>("from_model") else { return Ok(None) };
    let saved = mercer::io::load(path)?;
    if let Some(problem) = mismatch(verb, &saved) {
        return Err(Error::format(path, problem));
    }
    let mut settings = parameters::settings(&saved);
    settings.extend(table::settings(&saved).map_err(|message| Error::format(path, message))?);
    settings
        .retain(|setting| is_open(verb, given, setting.id) && is_apt(given, &saved, setting.id));
    let place = words.iter().position(|word| word == verb).map_or(words.len(), |at| at + 1);
    let mut words = words.to_vec();
    words.splice(place..place, settings.into_iter().map(|setting| setting.word.into()));
    Ok(Some(words))
}

/// The verb that fits models of this kind.
fn verb_of(model: &Model) -> &'static str {
    match model {
        Model::Pca(_) => "pca",
        Model::KernelPca(model) if model.params.is_landmark_features() => "features",
        Model::KernelPca(_) => "kpca",
        Model::KernelRidge(_) => "krr",
        Model::KernelKMeans(_) => "kmeans",
        Model::Detector(_) => "outliers",
        Model::Repair(_) => "check",
        Model::KernelFeatures(_) => "features",
        Model::Svm(machine) => match machine.params.task {
            Task::EpsilonSvr | Task::NuSvr => "svr",
            Task::OneClass => "oneclass",
            _ => "svc",
        },
    }
}

/// Why a model cannot be fitted again by `verb`.
fn mismatch(verb: &str, saved: &ModelFile) -> Option<String> {
    if saved.extra.contains_key(LIBSVM_TEXT) {
        let message =
            "a LIBSVM model does not hold the parameters of its fit: give them as options";
        return Some(message.into());
    }
    match verb_of(&saved.model) {
        own if own == verb => None,
        own => {
            Some(format!("--from-model: this model is fitted by `mercer {own}`, not by `{verb}`"))
        }
    }
}

/// Whether the command line leaves the argument `id` open: it sets neither it nor one that excludes it.
fn is_open(verb: &str, given: &ArgMatches, id: &str) -> bool {
    let excluding: &[&str] = match (verb, id) {
        ("svc", "cost" | "class_weight") | ("svr", "epsilon") => &["nu"],
        ("svc", "nu") => &["cost", "class_weight"],
        ("svr", "nu") => &["epsilon"],
        ("krr", "task") => &["classify"],
        _ => &[],
    };
    let is_given = |id: &str| given.value_source(id) == Some(ValueSource::CommandLine);
    !is_given(id) && !excluding.iter().any(|other| is_given(other))
}

/// Whether the setting `id` applies to the kernel of the command line, where that takes other input than the model's.
fn is_apt(given: &ArgMatches, saved: &ModelFile, id: &str) -> bool {
    if !matches!(id, "columns" | "scale" | "missing" | "categories" | "ordered" | "dates") {
        return true;
    }
    let one = given.try_get_many::<Kernel>("kernel").ok().flatten();
    let is_given = given.value_source("kernel") == Some(ValueSource::CommandLine);
    let Some(kernel) = one.and_then(|mut kernels| kernels.next()).filter(|_| is_given) else {
        return true;
    };
    let (new, old) = (InputKind::of(kernel), InputKind::of_model(&saved.model));
    match id {
        "columns" => new.named().is_none(),
        _ => new == old,
    }
}
