//! Cuts the text into tokens.

/// A piece of text with its place.
#[derive(Clone, Debug)]
pub(super) struct Token {
    pub kind: Kind,
    /// Its characters as they were written.
    pub text: String,
    /// Its first character, counted from 0.
    pub position: usize,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    /// A number without sign; it may be infinite or NaN, which the parser refuses with a reason.
    Number(f64),
    Word,
    /// A name between quotes.
    Quoted,
    Symbol(char),
    End,
}

/// All tokens of `text`; the last is `End`.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let chars: Vec<char> = text.chars().collect();
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(&first) = chars.get(at) {
        if first.is_whitespace() {
            at += 1;
            continue;
        }
        let token = token(&chars[at..], at);
        at += token.text.chars().count();
        tokens.push(token);
    }
    tokens.push(Token { kind: Kind::End, text: String::new(), position: chars.len() });
    tokens
}

/// The token that `rest` begins with.
fn token(rest: &[char], position: usize) -> Token {
    if let Some(length) = quoted_length(rest) {
        return Token { kind: Kind::Quoted, text: rest[..length].iter().collect(), position };
    }
    let number = number_length(rest);
    let word = rest.iter().take_while(|c| c.is_alphanumeric() || **c == '_').count();
    let length = if number > 0 { number } else { word.max(1) };
    let text: String = rest[..length].iter().collect();
    let kind = match (number, word) {
        (0, 0) => Kind::Symbol(rest[0]),
        // The words of floating point, `inf` and `nan`, read as the numbers they are.
        (0, _) => text.parse().map_or(Kind::Word, Kind::Number),
        _ => Kind::Number(text.parse().unwrap_or(f64::NAN)),
    };
    Token { kind, text, position }
}

/// How many characters of `rest` are a name between single or double quotes, quotes included; a backslash lets the next
/// character stand for itself. A quote that is not closed is a symbol, which the parser refuses.
fn quoted_length(rest: &[char]) -> Option<usize> {
    let quote = *rest.first().filter(|c| matches!(c, '\'' | '"'))?;
    let mut at = 1;
    loop {
        match *rest.get(at)? {
            '\\' => at += 2,
            c if c == quote => return Some(at + 1),
            _ => at += 1,
        }
    }
}

/// The name that a quoted text stands for.
pub(super) fn unquoted(text: &str) -> String {
    let inner = &text[1..text.len() - 1];
    let (mut name, mut escaped) = (String::new(), false);
    for c in inner.chars() {
        if c == '\\' && !escaped {
            escaped = true;
            continue;
        }
        name.push(c);
        escaped = false;
    }
    name
}

/// A name as it is written: plain where it reads back as one word or count, else between quotes.
pub(super) fn quoted(name: &str) -> String {
    let read = tokens(name);
    let plain = read.len() == 2
        && read[0].text == name
        && (read[0].kind == Kind::Word || name.chars().all(|c| c.is_ascii_digit()));
    if plain {
        return name.into();
    }
    format!("'{}'", name.replace('\\', "\\\\").replace('\'', "\\'"))
}

/// How many characters of `rest` are a number such as `12`, `.5`, `2.`, `1e-3`; 0 if it does not
/// begin with one.
fn number_length(rest: &[char]) -> usize {
    let digits = |from: usize| rest[from..].iter().take_while(|c| c.is_ascii_digit()).count();
    let whole = digits(0);
    let fraction = if rest.get(whole) == Some(&'.') { 1 + digits(whole + 1) } else { 0 };
    if whole + fraction.saturating_sub(1) == 0 {
        return 0;
    }
    let mantissa = whole + fraction;
    if !matches!(rest.get(mantissa), Some('e' | 'E')) {
        return mantissa;
    }
    let sign = usize::from(matches!(rest.get(mantissa + 1), Some('+' | '-')));
    let exponent_at = (mantissa + 1 + sign).min(rest.len());
    match digits(exponent_at) {
        0 => mantissa,
        exponent => exponent_at + exponent,
    }
}
