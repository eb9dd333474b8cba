//! Notes on a fit: what a user should know, as data. Programs look at the code, people read the text.

use std::ops::Deref;

use serde::{Deserialize, Serialize};

/// What a note is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum NoteCode {
    /// Components without variance.
    ZeroVariance,
    /// A kernel that is not positive semidefinite on the samples.
    Indefinite,
    /// A given matrix that is not symmetric.
    NotSymmetric,
    /// A solver that did not reach its tolerance.
    NotConverged,
    /// A solver that was stopped by a limit or the monitor.
    StoppedEarly,
    /// A solver that makes no more progress.
    Stalled,
    /// Classes that overlap more than nu allows.
    NoMargin,
    /// A singular linear system.
    Singular,
    /// A nearly singular linear system.
    IllConditioned,
    /// Results below rounding errors.
    LostInRounding,
    /// Clusters without samples.
    EmptyClusters,
    /// Features of very different or very large scales.
    Scaling,
    /// A choice at the end of a grid.
    EdgeOfGrid,
    /// Landmarks that were left out, or that do not reach what was asked for.
    Landmarks,
    /// Something of a file that has no place in the model.
    Omitted,
    /// The processor computed what a device might have.
    Device,
    /// Anything else, and notes of files that have no codes.
    #[default]
    #[serde(other)]
    Other,
}

/// How much a note matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Severity {
    /// Good to know.
    Information,
    /// Results may not be what was expected.
    Warning,
    /// The solver did not reach the solution.
    NotConverged,
}

impl NoteCode {
    /// How much it matters.
    #[doc(hidden)]
    pub fn severity(self) -> Severity {
        match self {
            NoteCode::ZeroVariance | NoteCode::Device => Severity::Information,
            NoteCode::NotConverged
            | NoteCode::StoppedEarly
            | NoteCode::Stalled
            | NoteCode::NoMargin => Severity::NotConverged,
            _ => Severity::Warning,
        }
    }
}

/// A note for the user. It reads like its text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Note {
    /// What it is about.
    pub code: NoteCode,
    /// A sentence.
    pub text: String,
}

impl Note {
    /// A note.
    #[doc(hidden)]
    pub fn new(code: NoteCode, text: impl Into<String>) -> Self {
        Self { code, text: text.into() }
    }

    /// How much it matters.
    pub fn severity(&self) -> Severity {
        self.code.severity()
    }
}

impl Deref for Note {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

impl std::fmt::Display for Note {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

/// In JSON, texts and codes are two lists: files of earlier versions have the texts alone.
#[derive(Serialize, Deserialize)]
pub(super) struct Listed {
    notes: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    note_codes: Vec<NoteCode>,
}

pub(super) mod listed {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::{Listed, Note};

    pub fn serialize<S: Serializer>(notes: &[Note], out: S) -> Result<S::Ok, S::Error> {
        Listed {
            notes: notes.iter().map(|note| note.text.clone()).collect(),
            note_codes: notes.iter().map(|note| note.code).collect(),
        }
        .serialize(out)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(input: D) -> Result<Vec<Note>, D::Error> {
        let Listed { notes, note_codes } = Listed::deserialize(input)?;
        let codes = note_codes.into_iter().chain(std::iter::repeat(super::NoteCode::Other));
        Ok(notes.into_iter().zip(codes).map(|(text, code)| Note { code, text }).collect())
    }
}
