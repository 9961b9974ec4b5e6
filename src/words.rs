//! Words for people: counts, and what comes from outside made harmless to a
//! terminal.

use std::borrow::Cow;
use std::fmt::Display;

/// The words of `text`. What is no letter but a command to a terminal parts
/// them, as blanks do: control characters, and those that turn the direction of
/// writing for all that follows.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_between = |c: char| c.is_whitespace() || c.is_control() || turns(c);
    text.split(is_between).filter(|word| !word.is_empty())
}

/// Whether `c` is one of Unicode's explicit directions or marks of direction
/// (UAX #9).
fn turns(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Whether a terminal takes `c` for a command that does more than end a line or
/// go to the next column.
fn commands(c: char) -> bool {
    c.is_control() && !matches!(c, '\n' | '\t') || turns(c)
}

/// `text` in its lines, with each command to a terminal written as in a Rust
/// string, so that a message about it can be read.
pub fn told(text: &str) -> String {
    rewritten(text, |c, told| told.extend(c.escape_default())).into_owned()
}

/// The same in one line, with blanks for line breaks and tabs.
pub fn told_in_line(text: &str) -> String {
    told(text).replace(['\n', '\t'], " ")
}

/// A text of JSON with the same meaning and no command to a terminal. JSON has
/// to escape only the controls of ASCII (RFC 8259, section 7), and a terminal
/// may also take U+009B for the begin of a sequence.
pub fn told_in_json(text: &str) -> Cow<'_, str> {
    // They stand in strings alone, and none is above U+FFFF.
    let escape = |c: char, told: &mut String| told.push_str(&format!("\\u{:04x}", u32::from(c)));
    rewritten(text, escape)
}

/// `1 block`, `2 blocks`, `0 boundaries`: a count with its noun.
pub fn counted(count: impl Display + From<u8> + PartialEq, noun: &str) -> String {
    if count == 1.into() {
        return format!("{count} {noun}");
    }
    match noun.strip_suffix("ry") {
        Some(stem) => format!("{count} {stem}ries"),
        None => format!("{count} {noun}s"),
    }
}

fn rewritten(text: &str, escape: impl Fn(char, &mut String)) -> Cow<'_, str> {
    if !text.contains(commands) {
        return Cow::Borrowed(text);
    }
    let mut told = String::with_capacity(text.len());
    for c in text.chars() {
        if commands(c) {
            escape(c, &mut told);
        } else {
            told.push(c);
        }
    }
    Cow::Owned(told)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_to_a_terminal_part_words() {
        let hostile = "a\u{1b}[2Jb\u{9b}31mc\u{202e}d\r\n e\u{7f}\u{0}f";
        let kept: Vec<_> = words(hostile).collect();
        assert_eq!(kept, ["a", "[2Jb", "31mc", "d", "e", "f"]);
        let whole = "e\u{301} \u{1f468}\u{200d}\u{1f469} 端末";
        assert_eq!(words(whole).collect::<Vec<_>>().join(" "), whole);
    }

    #[test]
    fn a_message_shows_what_was_there() {
        assert_eq!(told("`\u{1b}[2J`\nb"), "`\\u{1b}[2J`\nb");
        assert_eq!(told("\u{202e}"), "\\u{202e}");
        assert_eq!(told("a\r\u{9b}31m\tb"), "a\\r\\u{9b}31m\tb");
        assert_eq!(told_in_line("a\nb\t\u{7}"), "a b \\u{7}");
    }

    #[test]
    fn nouns_follow_their_count() {
        assert_eq!(counted(1_u64, "boundary"), "1 boundary");
        assert_eq!(counted(2_usize, "boundary"), "2 boundaries");
        assert_eq!(counted(0_u32, "pty"), "0 ptys");
        assert_eq!(counted(1.0, "CPU"), "1 CPU");
    }

    #[test]
    fn json_means_the_same() {
        let hostile = "a\u{1b}[2J\u{9b}31m\u{7f}\u{61c}\u{2066}\n\"é";
        let text = serde_json::to_string(hostile).unwrap();
        let text = told_in_json(&text);
        assert!(
            !text.contains(|c: char| c.is_control() || turns(c)),
            "{text}"
        );
        assert!(text.contains("\\u009b31m") && text.contains('é'), "{text}");
        assert_eq!(serde_json::from_str::<String>(&text).unwrap(), hostile);
    }
}
