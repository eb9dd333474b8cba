//! The data sets that a page offers.

use mercer::{Mat, Strings};
use serde_json::{Value, json};

/// A data set: rows of numbers or strings, with columns of labels.
#[derive(Debug, Clone)]
pub struct DataSet {
    /// Its name in addresses.
    pub name: String,
    /// Its name for people.
    pub title: String,
    /// What it holds, in a sentence.
    pub about: String,
    /// The file that commands name.
    pub file: String,
    /// The rows.
    pub content: Content,
    /// Columns of labels; the first colours the points.
    pub labels: Vec<Labels>,
    /// Rows of the whole table, of which these may be a sample.
    pub all_rows: usize,
    /// Whether rows are images: their width and height.
    pub image: Option<(usize, usize)>,
    /// The kernel to start with.
    pub kernel: String,
    /// Whether columns are scaled to start with.
    pub scale: bool,
}

/// What is compared.
#[derive(Debug, Clone)]
pub enum Content {
    /// Columns of numbers.
    Numbers {
        /// Their names.
        names: Vec<String>,
        /// n × d.
        values: Mat<f64>,
    },
    /// A column of strings.
    Strings {
        /// Its name.
        name: String,
        /// The strings.
        texts: Strings,
    },
}

/// A column of labels.
#[derive(Debug, Clone)]
pub struct Labels {
    /// Its name.
    pub name: String,
    /// A label for each row.
    pub cells: Vec<String>,
}

impl DataSet {
    /// Rows.
    pub fn n(&self) -> usize {
        match &self.content {
            Content::Numbers { values, .. } => values.rows(),
            Content::Strings { texts, .. } => texts.n(),
        }
    }

    /// What the list of data sets says of it.
    pub(super) fn summary(&self) -> Value {
        let (kind, d) = match &self.content {
            Content::Numbers { names, .. } => ("numbers", names.len()),
            Content::Strings { .. } => ("strings", 1),
        };
        json!({
            "name": self.name, "title": self.title, "about": self.about, "kind": kind, "file": self.file, "n": self.n(), "d": d,
            "allRows": self.all_rows, "kernel": self.kernel, "scale": self.scale, "image": self.image,
        })
    }

    /// The rows, column by column.
    pub(super) fn columns(&self) -> Value {
        let columns: Vec<Value> = match &self.content {
            Content::Numbers { names, values } => {
                let column =
                    |j: usize| (0..values.rows()).map(|i| values[(i, j)]).collect::<Vec<f64>>();
                let named = names.iter().enumerate();
                named.map(|(j, name)| json!({ "name": name, "values": column(j) })).collect()
            }
            Content::Strings { name, texts } => {
                let texts: Vec<&str> = texts.iter().collect();
                vec![json!({ "name": name, "texts": texts })]
            }
        };
        let labels: Vec<Value> = self
            .labels
            .iter()
            .map(|label| json!({ "name": label.name, "cells": label.cells }))
            .collect();
        json!({ "columns": columns, "labels": labels })
    }
}
