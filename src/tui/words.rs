//! Words from outside, made harmless to a terminal.

/// The words of `text`. What is no letter but a command to a terminal parts
/// them, as blanks do: control characters, and those that turn the direction of
/// writing for all that follows.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_between = |c: char| c.is_whitespace() || c.is_control() || turns(c);
    text.split(is_between).filter(|word| !word.is_empty())
}

/// Whether `c` is one of Unicode's explicit directions (UAX #9).
fn turns(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// `text` with what [`words`] would leave out written as in a Rust string, so
/// that a message about it can be read.
pub fn told(text: &str) -> String {
    let mut told = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() && c != '\n' || turns(c) {
            told.extend(c.escape_default());
        } else {
            told.push(c);
        }
    }
    told
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
    }
}
