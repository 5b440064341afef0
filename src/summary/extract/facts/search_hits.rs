//! Reads the lines in which searches tell what they found: `src/a.rs (3 matches)`, `Search result 1: <file>…`.

use std::borrow::Cow;

/// Before the number of a hit of AutoCodeRover.
const HIT_NUMBER: &str = "Search result ";
/// The tags around its parts.
const FILE_TAG: (&str, &str) = ("<file>", "</file>");
const FUNCTION_TAG: (&str, &str) = ("<func>", "</func>");
const CODE_TAG: &str = "<code>";
/// The line behind the hits of a search of SWE-agent.
const LAST_LINE: &str = "End of matches for ";
/// The beginnings of lines that count what was found, and what they count.
const FOUND: &str = "Found ";
const APPEARED: &str = "They appeared in the following";
const UNITS: [&str; 8] = [
    " match",
    " result",
    " file",
    " class",
    " method",
    " function",
    " snippet",
    " hit",
];
/// Words that a line of code with a body begins with.
const BODY_WORDS: [&str; 16] = [
    "def ", "class ", "async ", "if ", "elif ", "else:", "for ", "while ", "with ", "try:",
    "except", "fn ", "pub ", "impl ", "match ", "switch ",
];

/// A file, or a function in it, in a list of what a search found.
pub(super) struct HitCount<'t> {
    /// The path, with the name of the function if there is one.
    pub(super) name: Cow<'t, str>,
    pub(super) hits: usize,
}

impl<'t> HitCount<'t> {
    /// Reads a line like `src/a.py (3 matches)`.
    pub(super) fn of(line: &'t str) -> Option<Self> {
        let (name, count) = line.strip_suffix(" matches)")?.rsplit_once(" (")?;
        Some(Self {
            name: plain_hit(name),
            hits: count.parse().ok()?,
        })
    }

    /// Returns true if the file holds prose.
    pub(super) fn is_prose(&self) -> bool {
        [".md", ".rst", ".txt"]
            .iter()
            .any(|end| self.name.ends_with(end))
    }

    /// Returns true if the file holds tests.
    pub(super) fn is_test(&self) -> bool {
        self.name.contains("test")
    }
}

/// Returns a hit without the number and the tags of AutoCodeRover: `a.py: class Pump(Wheel):`.
pub(super) fn plain_hit(line: &str) -> Cow<'_, str> {
    let hit = match line.trim_start_matches("- ").strip_prefix(HIT_NUMBER) {
        Some(rest) => rest
            .split_once(':')
            .map_or(rest, |(_, hit)| hit.trim_start()),
        None => line,
    };
    let Some(path) = between(hit, FILE_TAG) else {
        return Cow::Borrowed(hit);
    };
    let code = hit.split_once(CODE_TAG).map(|(_, code)| code.trim());
    match code.filter(|code| !code.is_empty()) {
        Some(code) => Cow::Owned(format!("{path}: {code}")),
        None => match between(hit, FUNCTION_TAG) {
            Some(function) => Cow::Owned(format!("{path} {function}")),
            None => Cow::Borrowed(path),
        },
    }
}

fn between<'t>(text: &'t str, (start, end): (&str, &str)) -> Option<&'t str> {
    let (_, rest) = text.split_once(start)?;
    rest.split_once(end).map(|(inner, _)| inner)
}

/// Returns true for a line that counts what was found: the call says what was looked for.
pub(super) fn counts_hits(line: &str) -> bool {
    let is_count = line.strip_prefix(FOUND).is_some_and(|rest| {
        rest.starts_with(|c: char| c.is_ascii_digit())
            && UNITS.iter().any(|unit| rest.contains(unit))
    });
    (is_count || line.starts_with(APPEARED)) && line.ends_with([':', '.']) && !line.contains(',')
}

/// Returns true for a line that says that a search is over.
pub(super) fn ends_hits(line: &str) -> bool {
    line.starts_with(LAST_LINE)
}

/// Returns true for the head of a body of code, with or without its number: `Line 7: def run(self):`.
pub(super) fn opens_body(line: &str) -> bool {
    let code = line
        .split_once(": ")
        .filter(|(place, _)| place.ends_with(|c: char| c.is_ascii_digit()))
        .map_or(line, |(_, code)| code);
    let code = code.trim_start();
    BODY_WORDS.iter().any(|word| code.starts_with(word)) || code.ends_with("):")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hit_is_its_file_with_the_code() {
        let plain = |line| plain_hit(line).into_owned();
        assert_eq!(
            plain(
                "Search result 1: <file>a.py</file> <class>Pump</class> <code>class Pump(Wheel):"
            ),
            "a.py: class Pump(Wheel):"
        );
        assert_eq!(plain("- Search result 2:"), "");
        assert_eq!(plain("<file>a.py</file> <func>run</func>"), "a.py run");
        assert_eq!(plain("src/a.py:7: x"), "src/a.py:7: x");
    }

    #[test]
    fn what_was_found_is_no_count() {
        assert!(counts_hits("Found 7 matches for \"pump\" in /srv:"));
        assert!(!counts_hits(
            "Found no route to pump-7, all 40 writes were lost."
        ));
        assert!(!counts_hits("Found the old checkpoint corrupt."));
    }

    #[test]
    fn the_head_of_a_body_is_no_sentence() {
        for line in [
            "Line 268: def id_for_label(self, id_):",
            "class Pump(Wheel):",
            "12: if x and y and z:",
            "    weights_init=None, means_init=None):",
        ] {
            assert!(opens_body(line), "{line}");
        }
        assert!(!opens_body("They appeared in the following files:"));
    }
}
