//! What counts as an identifier. The patterns are those of the published metric
//! (spec: summary), not those of our own summarizer: who is measured does not
//! choose the measure.

use super::passage::ArgumentLeaf;
use regex::Regex;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Longer values (code, prose) are searched for identifiers, shorter ones are identifiers themselves.
const LONGEST_VALUE: usize = 40;
const NO_IDENTIFIER: &[&str] = &[
    "none", "null", "true", "false", "the", "and", "json", "not", "you", "string", "content",
];
/// Parts of an argument's name that say nothing of the value.
const GENERIC: &[&str] = &[
    "id", "name", "type", "value", "raw", "number", "list", "str", "text", "data",
];
/// Words that stand for no content.
const STOP_WORDS: &[&str] = &[
    "the", "a", "an", "and", "or", "of", "to", "in", "is", "are", "was", "were", "be", "been",
    "for", "on", "with", "that", "this", "it", "you", "your", "i", "my", "me", "we", "our", "as",
    "at", "by", "from", "not", "no", "can", "could", "would", "please", "have", "has", "had", "do",
    "does", "if", "will", "so", "but",
];

#[expect(
    clippy::unwrap_used,
    reason = "the patterns are constants, and a test compiles them all"
)]
fn pattern(text: &str) -> Regex {
    Regex::new(text).unwrap()
}

/// In this order at each place: URL, mail address, path, file name, date, decimal, letters with digits, snake, camel, acronym, number, in backticks, quoted.
static IDENTIFIER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r#"https?://[^\s"'<>)\]}]+"#,
        r"|[\w.+-]+@[\w-]+\.[\w.-]*\w",
        r"|(?:~|\.{1,2})?/?(?:[\w.+@-]+/)+[\w.+@-]*[\w+@-]|/[\w.+@-]*[A-Za-z][\w.+@-]*\w",
        r"|\b[\w-]+\.(?:py|rs|c|h|cc|cpp|js|ts|tsx|go|java|md|json|jsonl|toml|ya?ml|txt|sh|html|css|pony|sql|csv|lock|cfg|ini|xml|log|pdf|bin|png|so)\b",
        r"|\b\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?)?\b",
        r"|\b\d+\.\d+(?:\.\d+)*\b",
        // Four or more letters, digits and `_`, with a digit and something that is none.
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
static ERROR: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)(?:\b\w*(?:error|exception)\b\s*[:(]|traceback|\bfailed\b|\bfatal\b|\bpanic|exit code [1-9]|not found",
        r"|no such file|permission denied|segfault)"
    ))
});
static WORD: LazyLock<Regex> = LazyLock::new(|| pattern(r"[A-Za-z0-9_]+|[\u4e00-\u9fff]"));
static FILE_END: LazyLock<Regex> = LazyLock::new(|| pattern(r"\.\w{1,5}$"));
static SPEAKS_FOR_ITSELF: LazyLock<Regex> = LazyLock::new(|| pattern(r"/|@|\.[a-z]{1,5}$"));
static CAMEL_STEP: LazyLock<Regex> = LazyLock::new(|| pattern(r"([a-z])([A-Z])"));
static INDEX: LazyLock<Regex> = LazyLock::new(|| pattern(r"\[\d+\]"));

/// An identifier as it is compared: without marks around it, in lower case.
pub(super) fn normal(text: &str) -> String {
    text.trim_matches(|c: char| "`\"'.,;:()[]{}".contains(c))
        .to_lowercase()
}

/// The identifiers of a text, in order, repeated where they repeat.
pub(super) fn identifiers(text: &str) -> impl Iterator<Item = String> + '_ {
    IDENTIFIER
        .find_iter(text)
        .map(|found| normal(found.as_str()))
        .filter(|one| one.chars().count() >= 3 && !NO_IDENTIFIER.contains(&one.as_str()))
}

/// What an argument's value names: short values whole, long ones by pattern.
pub(super) enum NamedValue {
    /// The whole value.
    Whole(String),
    /// What was found in it.
    Within(Vec<String>),
}

/// What a value names.
pub(super) fn named(value: &str) -> NamedValue {
    let whole = normal(value);
    let length = whole.chars().count();
    let plain = length <= 12 && whole.bytes().all(|byte| byte.is_ascii_lowercase());
    let small = length <= 2 && whole.chars().all(char::is_numeric);
    let short =
        (3..=LONGEST_VALUE).contains(&length) && !value.contains('\n') && !whole.contains(' ');
    if short && !small && !plain && !NO_IDENTIFIER.contains(&whole.as_str()) {
        NamedValue::Whole(whole)
    } else {
        NamedValue::Within(identifiers(value).collect())
    }
}

/// All that a value names.
pub(super) fn all_named(value: &str) -> Vec<String> {
    match named(value) {
        NamedValue::Whole(one) => vec![one],
        NamedValue::Within(all) => all,
    }
}

/// Whether an identifier is a path, an address or a file name: it needs no key beside it.
pub(super) fn speaks_for_itself(identifier: &str) -> bool {
    SPEAKS_FOR_ITSELF.is_match(identifier)
}

/// Whether an identifier names a file or resource.
pub(super) fn is_file(identifier: &str) -> bool {
    (identifier.contains('/') && !identifier.contains(' ') && !identifier.starts_with("http"))
        || (FILE_END.is_match(identifier)
            && identifier.bytes().any(|byte| byte.is_ascii_lowercase()))
}

/// The words of the last two named steps of a path: `flights[0].flight_number` -> flight, number (generic words only if there are no others).
pub(super) fn keywords(leaf: &ArgumentLeaf) -> BTreeSet<String> {
    let path = INDEX.replace_all(&leaf.path, "");
    let steps: Vec<&str> = path
        .split('.')
        .filter(|step| !step.is_empty() && !step.contains(|c: char| c.is_numeric()))
        .collect();
    let mut words = BTreeSet::new();
    for step in &steps[steps.len().saturating_sub(2)..] {
        let parted = CAMEL_STEP.replace_all(step, "${1}_$2").to_lowercase();
        let long = parted
            .split(|c: char| c == '_' || !c.is_alphanumeric())
            .filter(|word| word.chars().count() > 2);
        words.extend(long.map(|word| word.trim_end_matches('s').to_owned()));
    }
    let telling: BTreeSet<String> = words
        .iter()
        .filter(|word| !GENERIC.contains(&word.as_str()))
        .cloned()
        .collect();
    if telling.is_empty() { words } else { telling }
}

/// The content words of a text.
pub(super) fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    WORD.find_iter(text)
        .map(|word| word.as_str().to_lowercase())
        .filter(|word| word.chars().count() > 1 && !STOP_WORDS.contains(&word.as_str()))
}

/// What tells the errors of a text from each other, one entry an error line.
pub(super) fn errors(text: &str) -> impl Iterator<Item = Vec<String>> + '_ {
    let ends = [
        '\n', '\r', '\u{b}', '\u{c}', '\u{1c}', '\u{1d}', '\u{1e}', '\u{85}', '\u{2028}',
        '\u{2029}',
    ];
    let lines = text
        .split(ends)
        .filter(|line| line.chars().count() < 400 && ERROR.is_match(line));
    lines.map(|line| {
        let first: Vec<String> = identifiers(line.trim()).take(3).collect();
        if first.is_empty() {
            words(line.trim()).take(4).collect()
        } else {
            first
        }
    })
}

/// Where `identifier` stands in `text` with no letter, digit or `_` at either end. Both in lower case.
pub(super) fn places<'t>(identifier: &'t str, text: &'t str) -> impl Iterator<Item = usize> + 't {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    memchr::memmem::find_iter(text.as_bytes(), identifier.as_bytes()).filter(move |&at| {
        !text[..at].chars().next_back().is_some_and(part)
            && !text[at + identifier.len()..]
                .chars()
                .next()
                .is_some_and(part)
    })
}

/// Whether `text` names the identifier.
pub(super) fn present(identifier: &str, text: &str) -> bool {
    places(identifier, text).next().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<String> {
        identifiers(text).collect()
    }

    #[test]
    fn the_published_patterns() {
        assert_eq!(
            all(
                "See https://x.org/a?b=1, me@b.co, src/main.rs, setup.py on 2024-05-20 06:00: 1.5.2 HAT175 a_1 fooBar SEK 1234 `x y` \"one two\" 12 ab1"
            ),
            [
                "https://x.org/a?b=1",
                "me@b.co",
                "src/main.rs",
                "setup.py",
                "2024-05-20 06:00",
                "1.5.2",
                "hat175",
                "a_1",
                "foobar",
                "sek",
                "1234",
                "x y",
                "one two"
            ]
        );
        assert_eq!(all("编号 INV12345。 the and null"), ["inv12345"]);
        assert!(matches!(named("New York"), NamedValue::Within(all) if all.is_empty()));
        assert!(matches!(named("gift-card"), NamedValue::Whole(one) if one == "gift-card"));
        assert!(matches!(named("economy"), NamedValue::Within(all) if all.is_empty()));
    }

    #[test]
    fn names_of_arguments() {
        let leaf = |path: &str| ArgumentLeaf {
            path: path.to_owned(),
            value: String::new(),
        };
        assert_eq!(
            keywords(&leaf("flights[0].flight_number"))
                .into_iter()
                .collect::<Vec<_>>(),
            ["flight"]
        );
        assert_eq!(
            keywords(&leaf("userId")).into_iter().collect::<Vec<_>>(),
            ["user"]
        );
        assert_eq!(
            keywords(&leaf("data.name")).into_iter().collect::<Vec<_>>(),
            ["data", "name"]
        );
    }

    #[test]
    fn errors_by_their_first_identifiers() {
        let text = "ok\nTypeError: 'x_1' in main.py line 123 of abc_4\nerror (none)\nall failed today my friend\nno errors";
        let found: Vec<Vec<String>> = errors(text).collect();
        assert_eq!(
            found,
            [
                vec!["typeerror", "x_1", "main.py"],
                vec!["error", "none"],
                vec!["all", "failed", "today", "friend"]
            ]
        );
    }
}
