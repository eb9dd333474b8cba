//! Reads a member of a family: its name, and the values in its parentheses.

use super::Leaf;
use super::lexer::{Kind, Token};
use super::parse::{COLUMNS, CUSTOM, NORMALIZE, Parsed, Parser, fault, name_of, shorten};
use super::suggest::suggestion;
use crate::kernel::{Family, Parameter, Value, families};

impl Parser {
    /// The member of the family `name`, and its values if a parenthesis follows.
    pub(super) fn leaf(&mut self, name: &Token) -> Parsed<Leaf> {
        let Some(family) = families().iter().find(|family| family.names().any(|n| n == name.text))
        else {
            return unknown_kernel(name);
        };
        let mut leaf = Leaf::new(family);
        let open = self.peek().clone();
        if !self.take_if('(') || self.take_if(')') {
            return Ok(leaf);
        }
        let mut first = true;
        // Where the text ends here, `close` says which parenthesis is open.
        while self.peek().kind != Kind::End {
            self.argument(&mut leaf, first)?;
            first = false;
            if !self.take_if(',') || self.peek().kind == Kind::Symbol(')') {
                break;
            }
        }
        self.close(&open)?;
        Ok(leaf)
    }

    /// One value in a family's parentheses, with the name of its parameter or, for the first,
    /// without.
    fn argument(&mut self, leaf: &mut Leaf, first: bool) -> Parsed<()> {
        let start = self.peek().clone();
        let family = leaf.family();
        let named = self.ahead() == Some(Kind::Symbol('='));
        let (index, parameter) = if named {
            self.take();
            self.take();
            match family.parameter(&start.text) {
                Some(found) => found,
                None => return unknown_parameter(&start, family),
            }
        } else {
            positional(&start, family, first)?
        };
        check_group(&start, leaf, parameter)?;
        if self.peek().kind == Kind::Symbol('[') {
            leaf.write_list(index, self.list(parameter)?);
            return Ok(());
        }
        let value = self.value(parameter)?;
        leaf.write(index, value);
        Ok(())
    }

    /// One number for each column, between brackets.
    fn list(&mut self, parameter: &Parameter) -> Parsed<Vec<f64>> {
        let open = self.take();
        if !parameter.per_column {
            let message = format!("{} is one value for all columns, not a list", parameter.name);
            return fault(&open, message);
        }
        let mut numbers = Vec::new();
        loop {
            numbers.push(self.number_of(parameter)?);
            if !self.take_if(',') {
                break;
            }
        }
        if !self.take_if(']') {
            let found = self.peek();
            return fault(found, format!("expected ',' or ']' in a list, not {}", name_of(found)));
        }
        Ok(numbers)
    }

    fn value(&mut self, parameter: &Parameter) -> Parsed<Value> {
        let start = self.peek().clone();
        if start.kind == Kind::Word {
            self.take();
            return word(&start, parameter);
        }
        if !matches!(start.kind, Kind::Number(_) | Kind::Symbol('-')) {
            return fault(
                &start,
                format!("expected a value for {}, not {}", parameter.name, name_of(&start)),
            );
        }
        self.number_of(parameter).map(Value::Number)
    }

    /// A number that `parameter` may be.
    fn number_of(&mut self, parameter: &Parameter) -> Parsed<f64> {
        let (start, number, text) = self.number()?;
        if !parameter.domain.contains(number) {
            return fault(
                &start,
                format!("{} must be {}, not {text}", parameter.name, parameter.domain),
            );
        }
        Ok(number)
    }
}

/// The parameter that a value without a name means.
fn positional<'f>(at: &Token, family: &'f Family, first: bool) -> Parsed<(usize, &'f Parameter)> {
    let (name, names) = (family.name, names(family.parameters.iter()));
    let message = match family.parameters {
        [] => format!("{name} has no parameters"),
        _ if family.parameter(&at.text).is_some() => {
            format!("{} needs a value: write {}=…", at.text, at.text)
        }
        _ if !first => format!("values of {name} after the first must be named: {names}"),
        _ if !family.takes_positional() => format!("name this value: {names}"),
        [parameter, ..] => return Ok((0, parameter)),
    };
    fault(at, message)
}

/// Refuses a second value for a parameter or for one of its alternatives.
fn check_group(at: &Token, leaf: &Leaf, parameter: &Parameter) -> Parsed<()> {
    let in_group = |other: &&Parameter| other.group() == parameter.group();
    match leaf.written().map(|(other, _)| other).find(in_group) {
        None => Ok(()),
        Some(other) if other.name == parameter.name => {
            fault(at, format!("{} is given twice", other.name))
        }
        Some(_) => {
            let group = names(leaf.family().parameters.iter().filter(in_group));
            fault(at, format!("give only one of {group}"))
        }
    }
}

fn names<'p>(parameters: impl Iterator<Item = &'p Parameter>) -> String {
    parameters.map(|parameter| parameter.name).collect::<Vec<_>>().join(", ")
}

/// The choice or the rule that a word means, if `parameter` takes it.
fn word(word: &Token, parameter: &Parameter) -> Parsed<Value> {
    let words = parameter.domain.words();
    if let Some(known) = words.iter().find(|known| **known == word.text) {
        return Ok(Value::Word(known));
    }
    if let Some(&rule) = parameter.rules.iter().find(|rule| rule.name() == word.text) {
        return Ok(Value::Rule(rule));
    }
    let names: Vec<_> = parameter.rules.iter().map(|rule| rule.name()).collect();
    let or_rules = names.iter().map(|name| format!(" or {name}")).collect::<String>();
    let (name, domain, text) = (parameter.name, parameter.domain, shorten(&word.text));
    let known = names.into_iter().chain(words.iter().copied());
    let hint = suggestion(&word.text, known).unwrap_or_default();
    fault(word, format!("{name} must be {domain}{or_rules}, not '{text}'{hint}"))
}

fn unknown_kernel<T>(name: &Token) -> Parsed<T> {
    let names =
        families().iter().flat_map(|family| family.names()).chain([NORMALIZE, COLUMNS, CUSTOM]);
    let hint = suggestion(&name.text, names).unwrap_or_else(|| {
        let names: Vec<_> = families().iter().map(|family| family.name).collect();
        format!(": known kernels are {}", names.join(", "))
    });
    fault(name, format!("unknown kernel '{}'{hint}", shorten(&name.text)))
}

fn unknown_parameter<T>(name: &Token, family: &Family) -> Parsed<T> {
    let known = || match family.parameters {
        [] => format!(": {} has none", family.name),
        parameters => format!(": {} has {}", family.name, names(parameters.iter())),
    };
    let own = family.parameters.iter().map(|parameter| parameter.name);
    let hint = suggestion(&name.text, own).unwrap_or_else(known);
    fault(name, format!("unknown parameter '{}'{hint}", shorten(&name.text)))
}
