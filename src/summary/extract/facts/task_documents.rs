//! Documents that a request points to: `Follow plan.md`. What they say is a part of the request.

use super::path_ends::file_name;
use super::written_documents::DOCUMENT_ENDINGS;
use crate::summary::extract::lex::phrase_search::PhraseSearch;
use crate::summary::extract::lex::printed_prefix::without_line_numbers;
use crate::summary::extract::lex::result_text::read_result_start;
use crate::summary::extract::lexicon::document_words::{
    ACTING_WORDS, CHANGING_WORDS, POINTING_WORDS, TASK_FILE_WORDS, WEAKLY_POINTING_WORDS,
};
use crate::summary::extract::lexicon::wish_words::{BAN_WORDS, OUTDATED_WORDS};
use std::sync::LazyLock;

/// Maximum length in bytes of a request that leaves its task to a document. A longer one says it itself.
const LONGEST_POINTING: usize = 300;
/// Bytes of a document that are read.
const LONGEST_DOCUMENT: usize = 16_000;
/// The name of the file with the instructions of a skill.
const SKILL_FILE: &str = "SKILL.md";
/// Minimum length in bytes of a document that says what is to do.
const LEAST_DOCUMENT: usize = 80;
/// Bytes before the name of a document in which the words stand that point to it.
const BEFORE_NAME: usize = 48;

/// A document that a request points to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TaskDocument {
    /// The name of the file.
    pub(crate) name: String,
    pub(crate) text: String,
}

impl TaskDocument {
    /// Returns the document at a path if a request leaves its task to it, or a skill that is read for it.
    /// `result` is what the call that read the file printed.
    pub(crate) fn of(request: &str, path: &str, result: &str) -> Option<Self> {
        let name = file_name(path.trim());
        let is_document = DOCUMENT_ENDINGS.iter().any(|ending| name.ends_with(ending));
        let is_short = request.len() <= LONGEST_POINTING;
        let is_followed = is_document && is_short && points_to(request, path.trim());
        // A skill says how to do what was asked for, unless it is what the request is about.
        let is_skill = name == SKILL_FILE
            && is_short
            && !CHANGING.has_words(request)
            && !DENIALS.has_words(request);
        if !is_followed && !is_skill {
            return None;
        }
        let printed = read_result_start(result, LONGEST_DOCUMENT).text;
        let text = without_line_numbers(&printed);
        (text.len() >= LEAST_DOCUMENT).then(|| Self {
            name: name.to_owned(),
            text,
        })
    }
}

/// Returns true if a request leaves its task to the file at a path. A file that is to be read, judged or changed
/// is none, nor is one that the request turns down.
fn points_to(request: &str, path: &str) -> bool {
    let name = file_name(path);
    let Some(at) = request.find(name) else {
        return false;
    };
    let is_end = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '(' | '[' | '@');
    let start = request[..at].rfind(is_end).map_or(0, |before| before + 1);
    let named = request[start..at + name.len()].trim_start_matches("./");
    let line = request[..start].rsplit('\n').next().unwrap_or_default();
    let near = line.len().saturating_sub(BEFORE_NAME);
    let before = &line[line.ceil_char_boundary(near)..];
    let same_file = path == named || path.ends_with(&format!("/{named}"));
    if !same_file || DENIALS.has_words(before) {
        return false;
    }
    let lower = name.to_ascii_lowercase();
    let is_acted_on = || {
        TASK_FILE_WORDS.iter().any(|word| lower.contains(word))
            && ACTING.has_words(&request[at + name.len()..])
    };
    let may_point = !CHANGING.has_words(before);
    POINTING.has_words(before)
        || (may_point && (WEAKLY_POINTING.has_words(before) || is_acted_on()))
}

static WEAKLY_POINTING: LazyLock<PhraseSearch> =
    LazyLock::new(|| PhraseSearch::new(&[WEAKLY_POINTING_WORDS]));
static POINTING: LazyLock<PhraseSearch> = LazyLock::new(|| PhraseSearch::new(&[POINTING_WORDS]));

/// Searches for the words behind the name of a document that say to do what it says.
static ACTING: LazyLock<PhraseSearch> = LazyLock::new(|| PhraseSearch::new(&[ACTING_WORDS]));
static DENIALS: LazyLock<PhraseSearch> =
    LazyLock::new(|| PhraseSearch::new(&[BAN_WORDS, OUTDATED_WORDS]));
static CHANGING: LazyLock<PhraseSearch> = LazyLock::new(|| PhraseSearch::new(&[CHANGING_WORDS]));

#[cfg(test)]
mod tests {
    use super::*;

    const PLAN: &str = "     1→# Pump\n     2→1. Open the valve of the mill\n     3→2. Never run it dry, it would break at once\n     4→3. Test it\n";

    #[test]
    fn a_request_that_points_to_a_document_leaves_its_task_to_it() {
        let document =
            TaskDocument::of("Follow notes/pump.md", "/srv/notes/pump.md", PLAN).unwrap();
        assert_eq!(document.name, "pump.md");
        assert!(document.text.starts_with("# Pump\n1. Open the valve"));
        for (request, path) in [
            ("read TASK.md and do it", "TASK.md"),
            ("Build the mill according to pump.md", "pump.md"),
            (
                "Create the files described in @notes/pump.md",
                "/srv/notes/pump.md",
            ),
            ("Please implement ./plan.md", "plan.md"),
            ("Help me to apply for the mill", "skills/mill/SKILL.md"),
        ] {
            assert!(TaskDocument::of(request, path, PLAN).is_some(), "{request}");
        }
        for (request, path) in [
            ("Fix the typos in pump.md", "pump.md"),
            ("Don't follow pump.md, mend the valve instead", "pump.md"),
            ("Follow old/pump.md", "new/pump.md"),
            ("Follow thepump.md", "pump.md"),
            ("Is plan.md any good? Review it", "plan.md"),
            ("Do FW-5, then update the plan in plan.md", "plan.md"),
            ("Follow notes/pump.md", "notes/mill.md"),
            ("Follow pump.rs", "pump.rs"),
            (
                "Fix the typo in skills/pump/SKILL.md",
                "skills/pump/SKILL.md",
            ),
        ] {
            assert_eq!(TaskDocument::of(request, path, PLAN), None, "{request}");
        }
    }
}
