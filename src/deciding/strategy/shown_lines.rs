//! The lines that a result shows, without their numbers, so that two results can be compared.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

/// The lines of a text, as hashes. Blank lines, indents and line numbers do not count.
#[derive(Debug, Clone, Default)]
pub(crate) struct ShownLines(HashSet<u64>);

impl ShownLines {
    /// Returns the lines of a text.
    pub(crate) fn from_text(text: &str) -> Self {
        let lines = text.lines().map(without_number);
        Self(lines.filter(|line| !line.is_empty()).map(hash_line).collect())
    }

    /// Returns true if these lines can replace earlier ones of the same part of a file: at least
    /// half of them stand here. An error message, or a note that nothing changed, can't.
    pub(crate) fn replace(&self, earlier: &Self) -> bool {
        let shared = earlier.0.intersection(&self.0).count();
        shared > 0 && shared * 2 >= earlier.0.len()
    }

    /// Returns true if these lines hold earlier ones of another part of the file, but for a few that
    /// have changed since: nine of ten stand here.
    pub(crate) fn cover(&self, earlier: &Self) -> bool {
        let missing = earlier.0.difference(&self.0).count();
        !earlier.0.is_empty() && missing * 10 <= earlier.0.len()
    }
}

fn hash_line(line: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    line.hash(&mut hasher);
    hasher.finish()
}

/// Returns a line without blanks around it and without a number in front, as `cat -n` and the
/// readers of agents write it.
fn without_number(line: &str) -> &str {
    let line = line.trim();
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    if rest.len() == line.len() {
        return line;
    }
    match rest.trim_start_matches(' ').chars().next() {
        Some(mark @ ('\t' | '→' | '|' | ':')) => {
            let behind = rest.trim_start_matches(' ');
            behind[mark.len_utf8()..].trim()
        }
        _ => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_indents_do_not_count() {
        let plain = ShownLines::from_text("fn main() {\n    run();\n}\n");
        let numbered = ShownLines::from_text("  10→fn main() {\n  11→    run();\n\n  12→}");
        assert!(numbered.cover(&plain) && plain.cover(&numbered));
        assert_eq!(without_number("2024 was long"), "2024 was long");
        assert_eq!(without_number(" 7: let x = 1;"), "let x = 1;");
    }

    #[test]
    fn half_of_the_lines_replace_and_nine_of_ten_cover() {
        let lines = |range: std::ops::Range<u32>| {
            let lines: Vec<String> = range.map(|number| format!("line of {number}")).collect();
            ShownLines::from_text(&lines.join("\n"))
        };
        assert!(lines(5..15).replace(&lines(0..10)));
        assert!(!lines(6..16).replace(&lines(0..10)));
        assert!(lines(1..90).cover(&lines(0..10)));
        assert!(!lines(2..90).cover(&lines(0..10)));
        // A note in place of the file holds none of its lines.
        assert!(!ShownLines::from_text("File unchanged since last read.").replace(&lines(0..10)));
        assert!(!lines(0..3).replace(&ShownLines::default()));
    }
}
