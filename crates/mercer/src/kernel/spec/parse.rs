//! Reads the text form.
//!
//! ```text
//! sum     = product { "+" product }
//! product = factor { "*" factor }            at least one factor is a kernel
//! factor  = number | "(" sum ")" | "normalize" "(" sum ")" | columns | custom | member
//! columns = ( "columns" | "column" ) "(" name { "," name } ":" sum ")"
//! custom  = ( "custom" | "own" ) "(" name ")"
//! name    = word | count | quoted text
//! member  = family [ "(" [ value { "," value } ] ")" ]
//! value   = [ parameter "=" ] ( number | rule | word | "[" number { "," number } "]" )
//! ```

use std::str::FromStr;

use super::lexer::{Kind, Token, tokens, unquoted};
use super::{Expr, KernelSpec};
use crate::error::Error;
use crate::kernel::{Custom, Domain};

/// How deep parentheses may nest: real kernels need a handful, and a bound keeps hostile text from
/// exhausting the stack.
const MAX_DEPTH: usize = 64;

pub(super) const NORMALIZE: &str = "normalize";
pub(super) const COLUMNS: &str = "columns";
pub(super) const COLUMN: &str = "column";
pub(super) const CUSTOM: &str = "custom";
/// An older name of `custom`, still read.
const OWN: &str = "own";

impl FromStr for KernelSpec {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let text = one_line(text);
        let mut parser = Parser { tokens: tokens(&text), next: 0, depth: 0, in_columns: false };
        parser.whole().map(KernelSpec).map_err(|Fault { position, message }| Error::Spec {
            text,
            position,
            message,
        })
    }
}

/// The text without line breaks and other control characters, as long as before, so that an error
/// can show it with a mark below the place.
fn one_line(text: &str) -> String {
    let printable = |c: char| match c {
        c if c.is_whitespace() => ' ',
        c if c.is_control() => char::REPLACEMENT_CHARACTER,
        c => c,
    };
    text.chars().map(printable).collect()
}

/// What is wrong and at which character.
pub(super) struct Fault {
    position: usize,
    message: String,
}

pub(super) type Parsed<T> = Result<T, Fault>;

pub(super) fn fault<T>(at: &Token, message: impl Into<String>) -> Parsed<T> {
    Err(Fault { position: at.position, message: message.into() })
}

pub(super) struct Parser {
    tokens: Vec<Token>, // the last is `End`
    next: usize,
    depth: usize,
    in_columns: bool,
}

impl Parser {
    pub(super) fn peek(&self) -> &Token {
        &self.tokens[self.next]
    }

    pub(super) fn take(&mut self) -> Token {
        let token = self.tokens[self.next].clone();
        self.next = (self.next + 1).min(self.tokens.len() - 1);
        token
    }

    /// The kind of the token after the next.
    pub(super) fn ahead(&self) -> Option<Kind> {
        self.tokens.get(self.next + 1).map(|token| token.kind)
    }

    /// Takes `symbol` if it comes next.
    pub(super) fn take_if(&mut self, symbol: char) -> bool {
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
            _ => format!("expected '+', '*' or the end of the text, not {}", name_of(rest)),
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
                format!("the product of the scales is {scale:?}, beyond the range of f64"),
            ),
            expr => Ok(expr),
        }
    }

    /// A number that multiplies a kernel, if one comes next.
    fn scale(&mut self) -> Parsed<Option<f64>> {
        let is_number = match self.peek().kind {
            Kind::Number(_) => true,
            Kind::Symbol('-') => matches!(self.ahead(), Some(Kind::Number(_))),
            _ => false,
        };
        if !is_number {
            return Ok(None);
        }
        let (start, number, text) = self.number()?;
        if !Domain::Positive.contains(number) {
            return fault(&start, format!("a scale must be a positive number, not {text}"));
        }
        Ok(Some(number))
    }

    /// A number with its sign: where it starts, its value, how it was written.
    pub(super) fn number(&mut self) -> Parsed<(Token, f64, String)> {
        let start = self.peek().clone();
        let sign = if self.take_if('-') { -1.0 } else { 1.0 };
        let token = self.take();
        let Kind::Number(number) = token.kind else {
            return fault(&token, format!("expected a number, not {}", name_of(&token)));
        };
        let text = format!("{}{}", if sign < 0.0 { "-" } else { "" }, shorten(&token.text));
        Ok((start, sign * number, text))
    }

    fn factor(&mut self) -> Parsed<Expr> {
        let token = self.take();
        match token.kind {
            Kind::Symbol('(') => self.parenthesised(&token),
            Kind::Symbol('-') => {
                fault(&token, "a kernel cannot be negated: scales must be positive")
            }
            Kind::Word if token.text == NORMALIZE => {
                let open = self.take();
                if open.kind != Kind::Symbol('(') {
                    return fault(&open, "expected '(' after normalize, as in normalize(poly)");
                }
                Ok(Expr::Normalize(Box::new(self.parenthesised(&open)?)))
            }
            Kind::Word if token.text == COLUMNS || token.text == COLUMN => self.columns(),
            Kind::Word if token.text == CUSTOM || token.text == OWN => {
                let open = self.take();
                if open.kind != Kind::Symbol('(') {
                    return fault(&open, "expected '(' after custom, as in custom(name)");
                }
                let (_, name) = self.name()?;
                self.close(&open)?;
                Ok(Expr::Custom(Custom::new(&name, None)))
            }
            Kind::Word => self.leaf(&token).map(Expr::Leaf),
            _ => fault(&token, format!("expected a kernel such as rbf, not {}", name_of(&token))),
        }
    }

    /// The names of columns and their kernel, after the word `columns`.
    fn columns(&mut self) -> Parsed<Expr> {
        let open = self.take();
        if open.kind != Kind::Symbol('(') {
            return fault(&open, "expected '(' after columns, as in columns(age, income: rbf)");
        }
        if self.in_columns {
            return fault(
                &open,
                "columns(…) cannot be nested: the inner kernel has its columns already",
            );
        }
        let mut names = Vec::new();
        loop {
            let (token, name) = self.name()?;
            if names.contains(&name) {
                return fault(&token, format!("the column '{}' is named twice", shorten(&name)));
            }
            names.push(name);
            if !self.take_if(',') {
                break;
            }
        }
        let colon = self.take();
        if colon.kind != Kind::Symbol(':') {
            let what = name_of(&colon);
            return fault(
                &colon,
                format!("expected ',' or ':' after the name of a column, not {what}"),
            );
        }
        self.in_columns = true;
        let inner = self.parenthesised(&open)?;
        self.in_columns = false;
        Ok(Expr::Columns(names, Box::new(inner)))
    }

    /// A name: a word, a count such as `0`, or quoted text.
    fn name(&mut self) -> Parsed<(Token, String)> {
        let token = self.take();
        let name = match token.kind {
            Kind::Quoted => unquoted(&token.text),
            Kind::Word => token.text.clone(),
            Kind::Number(_) if token.text.chars().all(|c| c.is_ascii_alphanumeric()) => {
                token.text.clone()
            }
            _ => return fault(&token, format!("expected a name, not {}", name_of(&token))),
        };
        match name.is_empty() {
            true => fault(&token, "the name is empty"),
            false => Ok((token, name)),
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

    pub(super) fn close(&mut self, open: &Token) -> Parsed<()> {
        if self.take_if(')') {
            return Ok(());
        }
        let found = self.peek();
        let (what, at) = (name_of(found), open.position);
        fault(found, format!("expected ')' for the '(' at character {at}, not {what}"))
    }
}

/// A token as an error message names it.
pub(super) fn name_of(token: &Token) -> String {
    match token.kind {
        Kind::End => "the end of the text".into(),
        _ => format!("'{}'", shorten(&token.text)),
    }
}

/// At most 40 characters of `text`.
pub(super) fn shorten(text: &str) -> String {
    match text.char_indices().nth(40) {
        None => text.into(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}
