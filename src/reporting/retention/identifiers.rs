//! Finds identifiers, errors and content words in text.
//!
//! The patterns are those of the published metric (see `docs/reference/summaries.md`), not those of
//! this program's own summarizer: the summarizer is measured here and must not choose its measure.

use crate::base::text::PYTHON_LINE_ENDS;
use crate::reporting::retention::passage::PassageValue;
use regex::Regex;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// The longest argument value that is an identifier as a whole, in code points.
///
/// Longer values, such as code or prose, are searched for identifiers.
const MAX_WHOLE_VALUE: usize = 40;
/// Words that match a pattern of identifiers but identify nothing.
const NOT_IDENTIFIERS: &[&str] =
    &["none", "null", "true", "false", "the", "and", "json", "not", "you", "string", "content"];
/// Words in the name of an argument that don't describe its value.
const GENERIC_WORDS: &[&str] =
    &["id", "name", "type", "value", "raw", "number", "list", "str", "text", "data"];
/// Words without content.
const STOP_WORDS: &[&str] = &[
    "the", "a", "an", "and", "or", "of", "to", "in", "is", "are", "was", "were", "be", "been",
    "for", "on", "with", "that", "this", "it", "you", "your", "i", "my", "me", "we", "our", "as",
    "at", "by", "from", "not", "no", "can", "could", "would", "please", "have", "has", "had", "do",
    "does", "if", "will", "so", "but",
];
/// Lines of this length or longer, in code points, don't count as error lines.
const MAX_ERROR_LINE: usize = 400;

#[expect(clippy::unwrap_used, reason = "the patterns are constants, and a test compiles them all")]
pub(super) fn compile_pattern(text: &str) -> Regex {
    Regex::new(text).unwrap()
}

/// The patterns of identifiers, tried in this order at each position: URL, mail address, path,
/// file name, date, decimal, letters with digits, snake case, camel case, acronym, number, text
/// in backticks, quoted text.
static IDENTIFIER: LazyLock<Regex> = LazyLock::new(|| {
    compile_pattern(concat!(
        r#"https?://[^\s"'<>)\]}]+"#,
        r"|[\w.+-]+@[\w-]+\.[\w.-]*\w",
        r"|(?:~|\.{1,2})?/?(?:[\w.+@-]+/)+[\w.+@-]*[\w+@-]|/[\w.+@-]*[A-Za-z][\w.+@-]*\w",
        r"|\b[\w-]+\.(?:py|rs|c|h|cc|cpp|js|ts|tsx|go|java|md|json|jsonl|toml|ya?ml|txt|sh|html|css|pony|sql|csv|lock|cfg|ini|xml|log|pdf|bin|png|so)\b",
        r"|\b\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?)?\b",
        r"|\b\d+\.\d+(?:\.\d+)*\b",
        // Four or more letters, digits and `_`, with at least one digit and one other character.
        r"|\b(?:[A-Za-z_]{3,}[0-9]\w*|[A-Za-z_]{2}[0-9][A-Za-z0-9_]+|[A-Za-z_][0-9][A-Za-z0-9_]{2,}",
        r"|[0-9]{3,}[A-Za-z_][A-Za-z0-9_]*|[0-9]{2}[A-Za-z_][A-Za-z0-9_]+|[0-9][A-Za-z_][A-Za-z0-9_]{2,})\b",
        r"|\b[A-Za-z]+(?:_[A-Za-z0-9]+)+\b",
        r"|\b[A-Z]?[a-z0-9]+(?:[A-Z][a-z0-9]+)+\b",
        r"|\b[A-Z]{3,}\b",
        r"|\b\d{3,}\b",
        r"|`[^`\n]{2,60}`",
        r#"|"[^"\n]{3,40}""#,
    ))
});
/// The marks of an error line.
static ERROR: LazyLock<Regex> = LazyLock::new(|| {
    compile_pattern(concat!(
        r"(?i)(?:\b\w*(?:error|exception)\b\s*[:(]|traceback|\bfailed\b|\bfatal\b|\bpanic|exit code [1-9]|not found",
        r"|no such file|permission denied|segfault)"
    ))
});
/// A word of ASCII characters, or one Chinese character.
static WORD: LazyLock<Regex> = LazyLock::new(|| compile_pattern(r"[A-Za-z0-9_]+|[\u4e00-\u9fff]"));
static FILE_EXTENSION: LazyLock<Regex> = LazyLock::new(|| compile_pattern(r"\.\w{1,5}$"));
static SELF_EXPLANATORY: LazyLock<Regex> = LazyLock::new(|| compile_pattern(r"/|@|\.[a-z]{1,5}$"));
static CAMEL_BOUNDARY: LazyLock<Regex> = LazyLock::new(|| compile_pattern(r"([a-z])([A-Z])"));
static ARRAY_INDEX: LazyLock<Regex> = LazyLock::new(|| compile_pattern(r"\[\d+\]"));

/// Returns an identifier in the form in which identifiers are compared.
///
/// Punctuation around it is removed, and letters become lowercase.
pub(super) fn normalize_identifier(text: &str) -> String {
    text.trim_matches(|c: char| "`\"'.,;:()[]{}".contains(c)).to_lowercase()
}

/// Returns the identifiers of a text, in lowercase.
pub(super) fn find_identifiers(text: &str) -> impl Iterator<Item = String> + '_ {
    cut_long_runs(text)
        .flat_map(|piece| IDENTIFIER.find_iter(piece))
        .map(|found| normalize_identifier(found.as_str()))
        .filter(|name| name.chars().count() >= 3 && !NOT_IDENTIFIERS.contains(&name.as_str()))
}

/// The most characters in a row that may belong to one identifier. Several patterns read to the end
/// of such a run before it is certain which of them matches, and do so again for each identifier in
/// it.
const MAX_RUN: usize = 1024;

/// Cuts a text wherever a run of characters that may belong to one path or address is too long.
fn cut_long_runs(text: &str) -> impl Iterator<Item = &str> {
    let mut from = 0;
    std::iter::from_fn(move || {
        let rest = &text[from..];
        let (mut run, mut end) = (0, rest.len());
        for (at, byte) in rest.bytes().enumerate() {
            let continues =
                byte >= 0x80 || byte.is_ascii_alphanumeric() || b"_.+-@/~".contains(&byte);
            run = if continues { run + 1 } else { 0 };
            if run > MAX_RUN {
                end = rest.floor_char_boundary(at);
                break;
            }
        }
        from += end;
        (!rest.is_empty()).then(|| &rest[..end])
    })
}

/// The identifiers in the value of an argument.
pub(super) enum ValueIdentifiers {
    /// The whole value is an identifier.
    Whole(String),
    /// The value contains these identifiers.
    Within(Vec<String>),
}

impl ValueIdentifiers {
    /// Finds the identifiers in the value of an argument.
    ///
    /// A short value is an identifier itself. A long one is searched by the patterns.
    pub(super) fn from_value(value: &str) -> Self {
        let whole = normalize_identifier(value);
        let length = whole.chars().count();
        let is_short = (3..=MAX_WHOLE_VALUE).contains(&length)
            && !value.contains('\n')
            && !whole.contains(' ');
        if is_short && !is_plain_word(&whole) && !NOT_IDENTIFIERS.contains(&whole.as_str()) {
            Self::Whole(whole)
        } else {
            Self::Within(find_identifiers(value).collect())
        }
    }

    pub(super) fn into_vec(self) -> Vec<String> {
        match self {
            Self::Whole(identifier) => vec![identifier],
            Self::Within(identifiers) => identifiers,
        }
    }
}

/// Returns true if an identifier is a short word of small letters.
pub(super) fn is_plain_word(identifier: &str) -> bool {
    identifier.len() <= 12 && identifier.bytes().all(|byte| byte.is_ascii_lowercase())
}

/// Returns true if an identifier is a path, an address or a file name, so that it needs no name
/// beside it.
pub(super) fn is_self_explanatory(identifier: &str) -> bool {
    SELF_EXPLANATORY.is_match(identifier)
}

/// Returns true if an identifier names a file or a resource.
pub(super) fn is_file_name(identifier: &str) -> bool {
    (identifier.contains('/') && !identifier.contains(' ') && !identifier.starts_with("http"))
        || (FILE_EXTENSION.is_match(identifier)
            && identifier.bytes().any(|byte| byte.is_ascii_lowercase()))
}

/// Returns the path of a value without positions in lists: `flights[0].date` gives `flights.date`.
pub(super) fn path_without_indices(leaf: &PassageValue) -> Cow<'_, str> {
    ARRAY_INDEX.replace_all(&leaf.path, "")
}

/// Returns the words of the last two named steps of an argument's path.
///
/// `flights[0].flight_number` gives `flight`. Generic words such as `number` are
/// left out unless there are no others. A plural `s` is removed.
pub(super) fn argument_keywords(leaf: &PassageValue) -> BTreeSet<String> {
    let path = path_without_indices(leaf);
    let steps: Vec<&str> = path
        .split('.')
        .filter(|step| !step.is_empty() && !step.contains(|c: char| c.is_numeric()))
        .collect();
    let mut words = BTreeSet::new();
    for step in &steps[steps.len().saturating_sub(2)..] {
        let snake_case = CAMEL_BOUNDARY.replace_all(step, "${1}_$2").to_lowercase();
        let long_words = snake_case
            .split(|c: char| c == '_' || !c.is_alphanumeric())
            .filter(|word| word.chars().count() > 2);
        words.extend(long_words.map(|word| word.trim_end_matches('s').to_owned()));
    }
    let specific: BTreeSet<String> =
        words.iter().filter(|word| !GENERIC_WORDS.contains(&word.as_str())).cloned().collect();
    if specific.is_empty() { words } else { specific }
}

/// Returns the content words of a text in lowercase, with repetitions.
pub(super) fn content_words(text: &str) -> impl Iterator<Item = String> + '_ {
    WORD.find_iter(text)
        .map(|word| word.as_str().to_lowercase())
        .filter(|word| word.chars().count() > 1 && !STOP_WORDS.contains(&word.as_str()))
}

/// Returns a signature of each error line of a text.
///
/// The signature is the first three identifiers of the line, or its first four
/// content words if it has no identifiers.
pub(super) fn error_signatures(text: &str) -> impl Iterator<Item = Vec<String>> + '_ {
    text.split(PYTHON_LINE_ENDS)
        .filter(|line| line.chars().count() < MAX_ERROR_LINE && ERROR.is_match(line))
        .map(|line| {
            let identifiers: Vec<String> = find_identifiers(line.trim()).take(3).collect();
            if identifiers.is_empty() {
                content_words(line.trim()).take(4).collect()
            } else {
                identifiers
            }
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identifiers(text: &str) -> Vec<String> {
        find_identifiers(text).collect()
    }

    #[test]
    fn the_published_patterns_find_identifiers() {
        let found = identifiers(
            "See https://x.org/a?b=1, me@b.co, src/main.rs, setup.py on 2024-05-20 06:00: 1.5.2 HAT175 a_1 fooBar SEK 1234 `x y` \"one two\" 12 ab1",
        );
        assert_eq!(
            found.join("|"),
            "https://x.org/a?b=1|me@b.co|src/main.rs|setup.py|2024-05-20 06:00|1.5.2|hat175|a_1|foobar|sek|1234|x y|one two"
        );
        assert_eq!(identifiers("编号 INV12345。 the and null"), ["inv12345"]);
        for (value, whole) in
            [("New York", None), ("gift-card", Some("gift-card")), ("economy", None)]
        {
            let is_right = match ValueIdentifiers::from_value(value) {
                ValueIdentifiers::Whole(found) => Some(found.as_ref()) == whole,
                ValueIdentifiers::Within(found) => found.is_empty() && whole.is_none(),
            };
            assert!(is_right, "{value}");
        }
    }

    /// Identifiers in a run without blanks take time in proportion to its length.
    #[test]
    fn long_runs_are_cut() {
        let run = "abc_1-".repeat(10_000);
        let pieces: Vec<&str> = cut_long_runs(&run).collect();
        assert!(pieces.iter().all(|piece| piece.len() <= MAX_RUN));
        assert_eq!(pieces.concat(), run);
        assert!(identifiers(&run).len() > 9_900);
        // Only what may belong together counts, and the beginning stays with what is before it.
        let url = format!("see https://x.org/{}", "é/".repeat(MAX_RUN));
        let pieces: Vec<&str> = cut_long_runs(&url).collect();
        assert!(pieces.concat() == url && pieces[0].starts_with("see https://x.org/é/"));
        let words = "word ".repeat(MAX_RUN);
        assert_eq!(cut_long_runs(&words).collect::<Vec<_>>(), [words.as_str()]);
        assert_eq!(cut_long_runs("").count(), 0);
    }

    #[test]
    fn argument_names_give_keywords() {
        let keywords = |path: &str| {
            let leaf = PassageValue { path: path.to_owned(), value: String::new() };
            argument_keywords(&leaf).into_iter().collect::<Vec<_>>()
        };
        assert_eq!(keywords("flights[0].flight_number"), ["flight"]);
        assert_eq!(keywords("userId"), ["user"]);
        assert_eq!(keywords("data.name"), ["data", "name"]);
    }

    #[test]
    fn errors_are_identified_by_their_first_identifiers() {
        let text = "ok\nTypeError: 'x_1' in main.py line 123 of abc_4\nerror (none)\nall failed today my friend\nno errors";
        let found: Vec<String> = error_signatures(text).map(|found| found.join(" ")).collect();
        assert_eq!(found, ["typeerror x_1 main.py", "error none", "all failed today friend"]);
    }
}
