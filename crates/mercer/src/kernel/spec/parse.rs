//! Reads the text form.
//!
//! ```text
//! sum     = product { "+" product }
//! product = factor { "*" factor }            at least one factor is a kernel
//! factor  = number | "(" sum ")" | "normalize" "(" sum ")" | family [ "(" [ value { "," value } ] ")" ]
//! value   = [ parameter "=" ] ( number | rule )
//! ```

use std::str::FromStr;

use super::lexer::{Kind, Token, tokens};
use super::suggest::suggestion;
use super::{Expr, KernelSpec, Leaf};
use crate::error::Error;
use crate::kernel::{Domain, Family, Parameter, Rule, Value, families};

/// How deep parentheses may nest; real kernels need a handful, and a bound keeps hostile text off the stack's end.
const MAX_DEPTH: usize = 64;

const NORMALIZE: &str = "normalize";

impl FromStr for KernelSpec {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let mut parser = Parser {
            tokens: tokens(text),
            next: 0,
            depth: 0,
        };
        parser.whole().map(KernelSpec).map_err(|fault| Error::Spec {
            // One line, so that the mark below it stands where it should.
            text: text
                .chars()
                .map(|c| if c.is_control() { ' ' } else { c })
                .collect(),
            position: fault.position,
            message: fault.message,
        })
    }
}

/// What is wrong and at which character.
struct Fault {
    position: usize,
    message: String,
}

type Parsed<T> = Result<T, Fault>;

fn fault<T>(at: &Token, message: impl Into<String>) -> Parsed<T> {
    Err(Fault {
        position: at.position,
        message: message.into(),
    })
}

struct Parser {
    tokens: Vec<Token>, // the last is `End`
    next: usize,
    depth: usize,
}

impl Parser {
    fn peek(&self) -> &Token {
        &self.tokens[self.next]
    }

    fn take(&mut self) -> Token {
        let token = self.tokens[self.next].clone();
        self.next = (self.next + 1).min(self.tokens.len() - 1);
        token
    }

    /// Takes `symbol` if it comes next.
    fn take_if(&mut self, symbol: char) -> bool {
        let found = self.peek().kind == Kind::Symbol(symbol);
        if found {
            self.take();
        }
        found
    }

    fn whole(&mut self) -> Parsed<Expr> {
        let expr = self.sum()?;
        let rest = self.peek();
        let message = match rest.kind {
            Kind::End => return Ok(expr),
            Kind::Symbol(')') => "there is no '(' for this ')'".into(),
            Kind::Symbol('-') => {
                "a kernel cannot be subtracted: the difference need not be a kernel".into()
            }
            Kind::Symbol('/') => {
                "a kernel cannot be divided: multiply by a number, as in 0.5*rbf".into()
            }
            _ => format!(
                "expected '+', '*' or the end of the text, not {}",
                name_of(rest)
            ),
        };
        fault(rest, message)
    }

    fn sum(&mut self) -> Parsed<Expr> {
        let mut terms = vec![self.product()?];
        while self.take_if('+') {
            terms.push(self.product()?);
        }
        Ok(Expr::sum(terms))
    }

    fn product(&mut self) -> Parsed<Expr> {
        let start = self.peek().clone();
        let (mut scale, mut factors) = (1.0, Vec::new());
        loop {
            match self.scale()? {
                Some(number) => scale *= number,
                None => factors.push(self.factor()?),
            }
            if !self.take_if('*') {
                break;
            }
        }
        if factors.is_empty() {
            return fault(
                &start,
                "a number alone is not a kernel: multiply one by it, as in 2*rbf",
            );
        }
        match Expr::product(factors).scale(scale) {
            Expr::Scale(scale, _) if !Domain::Positive.contains(scale) => fault(
                &start,
                format!("the scales multiply to {scale:?}, beyond the range of numbers"),
            ),
            expr => Ok(expr),
        }
    }

    /// A number that multiplies a kernel, if one comes next.
    fn scale(&mut self) -> Parsed<Option<f64>> {
        let ahead = self.tokens.get(self.next + 1).map(|token| token.kind);
        let is_number = match self.peek().kind {
            Kind::Number(_) => true,
            Kind::Symbol('-') => matches!(ahead, Some(Kind::Number(_))),
            _ => false,
        };
        if !is_number {
            return Ok(None);
        }
        let (start, number, text) = self.number()?;
        if !Domain::Positive.contains(number) {
            return fault(
                &start,
                format!("a scale must be a positive number, not {text}"),
            );
        }
        Ok(Some(number))
    }

    /// A number with its sign: where it starts, its value, how it was written.
    fn number(&mut self) -> Parsed<(Token, f64, String)> {
        let start = self.peek().clone();
        let sign = if self.take_if('-') { -1.0 } else { 1.0 };
        let token = self.take();
        let Kind::Number(number) = token.kind else {
            return fault(
                &token,
                format!("expected a number, not {}", name_of(&token)),
            );
        };
        let text = format!(
            "{}{}",
            if sign < 0.0 { "-" } else { "" },
            shorten(&token.text)
        );
        Ok((start, sign * number, text))
    }

    fn factor(&mut self) -> Parsed<Expr> {
        let token = self.take();
        match token.kind {
            Kind::Symbol('(') => self.parenthesised(&token),
            Kind::Symbol('-') => fault(
                &token,
                "a kernel cannot be negated: scales must be positive",
            ),
            Kind::Word if token.text == NORMALIZE => {
                let open = self.take();
                if open.kind != Kind::Symbol('(') {
                    return fault(&open, "expected '(' after normalize, as in normalize(poly)");
                }
                Ok(Expr::Normalize(Box::new(self.parenthesised(&open)?)))
            }
            Kind::Word => self.leaf(&token).map(Expr::Leaf),
            _ => fault(
                &token,
                format!("expected a kernel such as rbf, not {}", name_of(&token)),
            ),
        }
    }

    /// The sum after the parenthesis `open`, and the parenthesis that closes it.
    fn parenthesised(&mut self, open: &Token) -> Parsed<Expr> {
        if self.depth == MAX_DEPTH {
            return fault(open, format!("parentheses nest deeper than {MAX_DEPTH}"));
        }
        self.depth += 1;
        let expr = self.sum()?;
        self.depth -= 1;
        self.close(open)?;
        Ok(expr)
    }

    fn close(&mut self, open: &Token) -> Parsed<()> {
        if self.take_if(')') {
            return Ok(());
        }
        let found = self.peek();
        let (what, at) = (name_of(found), open.position);
        fault(
            found,
            format!("expected ')' for the '(' at character {at}, not {what}"),
        )
    }

    fn leaf(&mut self, name: &Token) -> Parsed<Leaf> {
        let Some(family) = families()
            .iter()
            .find(|family| family.names().any(|n| n == name.text))
        else {
            return unknown_kernel(name);
        };
        let mut leaf = Leaf::new(family);
        let open = self.peek().clone();
        if !self.take_if('(') || self.take_if(')') {
            return Ok(leaf);
        }
        let mut first = true;
        loop {
            self.argument(&mut leaf, first)?;
            first = false;
            if !self.take_if(',') || self.peek().kind == Kind::Symbol(')') {
                break;
            }
        }
        self.close(&open)?;
        Ok(leaf)
    }

    /// One value in a family's parentheses, with the name of its parameter or, for the first, without.
    fn argument(&mut self, leaf: &mut Leaf, first: bool) -> Parsed<()> {
        let start = self.peek().clone();
        let family = leaf.family();
        let named =
            self.tokens.get(self.next + 1).map(|token| token.kind) == Some(Kind::Symbol('='));
        let (index, parameter) = if named {
            self.next += 2;
            match family.parameter(&start.text) {
                Some(found) => found,
                None => return unknown_parameter(&start, family),
            }
        } else {
            positional(&start, family, first)?
        };
        check_group(&start, leaf, parameter)?;
        let value = self.value(parameter)?;
        leaf.write(index, value);
        Ok(())
    }

    fn value(&mut self, parameter: &Parameter) -> Parsed<Value> {
        let start = self.peek().clone();
        if start.kind == Kind::Word {
            self.take();
            return rule(&start, parameter);
        }
        if !matches!(start.kind, Kind::Number(_) | Kind::Symbol('-')) {
            return fault(
                &start,
                format!(
                    "expected a value for {}, not {}",
                    parameter.name,
                    name_of(&start)
                ),
            );
        }
        let (start, number, text) = self.number()?;
        if !parameter.domain.contains(number) {
            return fault(
                &start,
                format!(
                    "{} must be {}, not {text}",
                    parameter.name, parameter.domain
                ),
            );
        }
        Ok(Value::Number(number))
    }
}

/// The parameter that a value without a name means.
fn positional<'f>(at: &Token, family: &'f Family, first: bool) -> Parsed<(usize, &'f Parameter)> {
    let names: Vec<_> = family
        .parameters
        .iter()
        .map(|parameter| parameter.name)
        .collect();
    let name = family.name;
    match family.parameters.first() {
        None => fault(at, format!("{name} has no parameters")),
        // A word that no rule is called is more likely a parameter whose value was forgotten.
        Some(_) if at.kind == Kind::Word && family.parameter(&at.text).is_some() => fault(
            at,
            format!("{} needs a value: write {}=…", at.text, at.text),
        ),
        Some(_) if !first => fault(
            at,
            format!(
                "after the first, write {name}'s values by name, as in {}=…",
                names[names.len() - 1]
            ),
        ),
        Some(_) if !family.takes_positional() => {
            fault(at, format!("say which this is: {}", names.join(", ")))
        }
        Some(parameter) => Ok((0, parameter)),
    }
}

/// Refuses a second value for a parameter or for one of its alternatives.
fn check_group(at: &Token, leaf: &Leaf, parameter: &Parameter) -> Parsed<()> {
    match leaf
        .written()
        .find(|(other, _)| other.group() == parameter.group())
    {
        None => Ok(()),
        Some((other, _)) if other.name == parameter.name => {
            fault(at, format!("{} is given twice", other.name))
        }
        Some(_) => {
            let group = leaf
                .family()
                .parameters
                .iter()
                .filter(|p| p.group() == parameter.group());
            let names: Vec<_> = group.map(|p| p.name).collect();
            fault(at, format!("give only one of {}", names.join(", ")))
        }
    }
}

/// The rule that a word means, if `parameter` takes it.
fn rule(word: &Token, parameter: &Parameter) -> Parsed<Value> {
    if let Some(&rule) = parameter.rules.iter().find(|rule| rule.name() == word.text) {
        return Ok(Value::Rule(rule));
    }
    let names: Vec<_> = parameter.rules.iter().map(|rule| rule.name()).collect();
    let or_rules = names
        .iter()
        .map(|name| format!(" or {name}"))
        .collect::<String>();
    let (name, domain, text) = (parameter.name, parameter.domain, shorten(&word.text));
    let hint = suggestion(&word.text, names.into_iter()).unwrap_or_default();
    fault(
        word,
        format!("{name} must be {domain}{or_rules}, not '{text}'{hint}"),
    )
}

fn unknown_kernel<T>(name: &Token) -> Parsed<T> {
    let names = || {
        families()
            .iter()
            .flat_map(|family| family.names())
            .chain([NORMALIZE])
    };
    let known = || {
        let names: Vec<_> = families().iter().map(|family| family.name).collect();
        format!(": known are {}", names.join(", "))
    };
    let is_rule = Rule::ALL.iter().any(|rule| rule.name() == name.text);
    let hint = if is_rule {
        None
    } else {
        suggestion(&name.text, names())
    };
    fault(
        name,
        format!(
            "unknown kernel '{}'{}",
            shorten(&name.text),
            hint.unwrap_or_else(known)
        ),
    )
}

fn unknown_parameter<T>(name: &Token, family: &Family) -> Parsed<T> {
    let names: Vec<_> = family
        .parameters
        .iter()
        .map(|parameter| parameter.name)
        .collect();
    let known = || match names.as_slice() {
        [] => format!(": {} has none", family.name),
        names => format!(": {} has {}", family.name, names.join(", ")),
    };
    let hint = suggestion(&name.text, names.iter().copied()).unwrap_or_else(known);
    fault(
        name,
        format!("unknown parameter '{}'{hint}", shorten(&name.text)),
    )
}

/// A token as an error message names it.
fn name_of(token: &Token) -> String {
    match token.kind {
        Kind::End => "the end of the text".into(),
        _ => format!("'{}'", shorten(&token.text)),
    }
}

/// At most 40 characters of `text`.
fn shorten(text: &str) -> String {
    match text.char_indices().nth(40) {
        None => text.into(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}
