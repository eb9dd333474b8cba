//! A member of a family: the family and what was written for its parameters.

use std::sync::Arc;

use crate::kernel::{Definite, Family, Parameter, Value};

/// A member of a family, with the parameters as they were written.
#[derive(Clone, Debug)]
pub struct Leaf {
    family: &'static Family,
    written: Vec<Option<Value>>, // one place for each parameter of the family
    lists: Vec<(usize, Arc<[f64]>)>, // the numbers of parameters with one for each column, and their places
}

impl PartialEq for Leaf {
    fn eq(&self, other: &Self) -> bool {
        self.family.name == other.family.name
            && self.written == other.written
            && self.lists == other.lists
    }
}

impl Leaf {
    /// The member of `family` for which nothing is written.
    pub(super) fn new(family: &'static Family) -> Self {
        Self { family, written: vec![None; family.parameters.len()], lists: Vec::new() }
    }

    /// Writes `value` for the parameter in place `index`.
    pub(super) fn write(&mut self, index: usize, value: Value) {
        self.written[index] = Some(value);
    }

    /// Writes one number for each column for the parameter in place `index`, which has none yet.
    pub(super) fn write_list(&mut self, index: usize, numbers: Vec<f64>) {
        self.write(index, Value::PerColumn);
        self.lists.push((index, numbers.into()));
    }

    /// Replaces the numbers of a parameter with one for each column.
    pub(super) fn rewrite_list(&mut self, index: usize, numbers: Vec<f64>) {
        self.lists.retain(|(place, _)| *place != index);
        self.write_list(index, numbers);
    }

    /// The numbers of the parameter `name`, if there is one for each column.
    pub fn list(&self, name: &str) -> Option<&Arc<[f64]>> {
        let (index, _) = self.family.parameter(name)?;
        self.lists.iter().find(|(place, _)| *place == index).map(|(_, numbers)| numbers)
    }

    /// The family.
    pub fn family(&self) -> &'static Family {
        self.family
    }

    /// The parameters that were written, with their values.
    pub fn written(&self) -> impl Iterator<Item = (&'static Parameter, Value)> + '_ {
        let both = self.family.parameters.iter().zip(&self.written);
        both.filter_map(|(parameter, value)| value.map(|value| (parameter, value)))
    }

    /// Every parameter with the value that holds for it: the one written, or else the default, or
    /// none where an alternative was written.
    pub fn effective(&self) -> impl Iterator<Item = (&'static Parameter, Option<Value>)> + '_ {
        let both = self.family.parameters.iter().zip(&self.written);
        both.map(|(parameter, value)| {
            let replaced = self.written().any(|(other, _)| other.group() == parameter.group());
            let default = if replaced { None } else { parameter.default };
            (parameter, value.or(default))
        })
    }

    /// The value that holds for the parameter `name`.
    pub fn value(&self, name: &str) -> Option<Value> {
        self.effective().find(|(parameter, _)| parameter.name == name)?.1
    }

    /// The number that holds for the parameter `name`; none where an alternative was written, a
    /// rule waits for data, or each column has its own.
    pub fn optional(&self, name: &str) -> Option<f64> {
        match self.value(name)? {
            Value::Number(number) => Some(number),
            Value::Rule(_) | Value::Word(_) | Value::PerColumn => None,
        }
    }

    /// The number that holds for the parameter `name`, which must be one of the family's and
    /// resolved.
    pub(in crate::kernel) fn number(&self, name: &str) -> f64 {
        self.optional(name)
            .unwrap_or_else(|| panic!("{} has no number for {name}", self.family.name))
    }

    /// The word that holds for the parameter `name`, which must be one of the family's that takes words.
    pub(in crate::kernel) fn word(&self, name: &str) -> &'static str {
        match self.value(name) {
            Some(Value::Word(word)) => word,
            _ => panic!("{} has no word for {name}", self.family.name),
        }
    }

    /// Whether this member is known to be positive definite.
    pub fn positive_definite(&self) -> bool {
        match self.family.definite {
            Definite::Always => true,
            Definite::No => false,
            Definite::When(_, condition) => condition(self),
        }
    }
}
