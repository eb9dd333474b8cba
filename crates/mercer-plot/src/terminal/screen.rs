//! What a terminal can show.

use std::io::IsTerminal;

/// The width of files, pipes and terminals of unknown width.
const USUAL_WIDTH: usize = 80;
/// The largest useful width.
const MOST_WIDTH: usize = 120;

/// Where a plot of text is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Screen {
    /// Columns.
    pub width: usize,
    /// Whether it shows more characters than those of ASCII.
    pub unicode: bool,
    /// Whether characters may have colours.
    pub colour: bool,
}

impl Screen {
    /// What standard output is.
    pub fn of_stdout() -> Self {
        let is_terminal = std::io::stdout().is_terminal();
        let size = if is_terminal { terminal_size::terminal_size() } else { None };
        let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let columns = size.map(|(width, _)| usize::from(width.0)).filter(|width| *width > 0);
        let is_dumb = variable("TERM").is_some_and(|terminal| terminal == "dumb");
        Self {
            width: columns.unwrap_or(USUAL_WIDTH).min(MOST_WIDTH),
            unicode: is_unicode(variable),
            colour: is_terminal && !is_dumb && variable("NO_COLOR").is_none(),
        }
    }

    /// `text` in characters that the screen shows, on one line.
    pub(super) fn plain(&self, text: &str) -> String {
        let plain = |c: char| match c {
            c if c.is_control() => " ".into(),
            c if c.is_ascii() || self.unicode => c.to_string(),
            '\u{2212}' | '–' | '—' => "-".into(),
            '…' => "...".into(),
            '×' => "x".into(),
            '±' => "+-".into(),
            '·' => ".".into(),
            '≥' => ">=".into(),
            _ => "?".into(),
        };
        text.chars().map(plain).collect()
    }

    /// `text` in characters that the screen shows, on one line of so many columns at most.
    pub(super) fn cut(&self, text: &str, width: usize) -> String {
        cut(&self.plain(text), width, if self.unicode { '…' } else { '.' })
    }

    /// `text` in characters that the screen shows, in lines between words.
    pub(super) fn wrapped(&self, text: &str) -> String {
        let mut lines: Vec<String> = Vec::new();
        for word in self.plain(text).split(' ') {
            match lines.last_mut() {
                Some(line) if width_of(line) + 1 + width_of(word) <= self.width => {
                    *line += &format!(" {word}");
                }
                _ => lines.push(self.cut(word, self.width)),
            }
        }
        lines.iter().map(|line| format!("{line}\n")).collect()
    }
}

/// `text` cut to so many columns; the last one marks the cut.
fn cut(text: &str, width: usize, mark: char) -> String {
    if width_of(text) <= width {
        return text.into();
    }
    let (mut kept, mut used) = (String::new(), 1);
    for character in text.chars() {
        used += columns_of(character);
        if used > width {
            break;
        }
        kept.push(character);
    }
    if width > 0 { kept + &mark.to_string() } else { String::new() }
}

/// The columns that a character takes.
pub(super) fn columns_of(character: char) -> usize {
    match character as u32 {
        0x300..=0x36f | 0x200b..=0x200f | 0xfe00..=0xfe0f => 0,
        0x1100..=0x115f | 0x2e80..=0x303e | 0x3041..=0xa4cf | 0xac00..=0xd7a3 => 2,
        0xf900..=0xfaff | 0xfe30..=0xfe6f | 0xff00..=0xff60 | 0xffe0..=0xffe6 => 2,
        0x1f300..=0x1faff | 0x20000..=0x3fffd => 2,
        _ => 1,
    }
}

/// The columns that `text` takes.
pub(super) fn width_of(text: &str) -> usize {
    text.chars().map(columns_of).sum()
}

/// Whether the first of the variables that are set, in the order of their precedence, names UTF-8.
/// Where none is set, the locale is plain C.
fn is_unicode(variable: impl Fn(&str) -> Option<String>) -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(variable);
    let locale = locale.unwrap_or_default().to_ascii_lowercase();
    // Windows has no such variables, and its terminals show UTF-8.
    cfg!(windows) || locale.contains("utf-8") || locale.contains("utf8")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_variable_that_is_set_decides() {
        let locale = |values: [&str; 3]| {
            is_unicode(|name: &str| {
                let place = ["LC_ALL", "LC_CTYPE", "LANG"].iter().position(|n| *n == name)?;
                Some(values[place].to_string()).filter(|value| !value.is_empty())
            })
        };
        assert!(locale(["", "", "en_GB.UTF-8"]) && locale(["C.utf8", "C", "C"]));
        assert!(locale(["", "C.UTF-8", "C"]));
        assert!(!locale(["C", "", "en_GB.UTF-8"]) && !locale(["", "", ""]));
        assert!(!locale(["", "de_DE.ISO-8859-1", "C.UTF-8"]));
    }

    #[test]
    fn characters_that_a_screen_cannot_show_are_replaced() {
        let plain = |unicode| Screen { width: 80, unicode, colour: false }.plain("ä\t−1…");
        assert_eq!((plain(true).as_str(), plain(false).as_str()), ("ä −1…", "? -1..."));
        assert_eq!(width_of("aé東\u{301}"), 4);
        let screen = Screen { width: 7, unicode: true, colour: false };
        assert_eq!((screen.cut("東京", 3).as_str(), screen.cut("ab", 0).as_str()), ("東…", ""));
        assert_eq!(screen.wrapped("one two threefold"), "one two\nthreef…\n");
    }
}
