//! Finds what the user said once for all that follows: `never push to main`, `keep the old files`.

use super::exchanges::Exchanges;
use super::fact::{Fact, FactKind};
use super::findings::split_sentences;
use super::request_log::UserRequest;
use super::touched_files::TouchedFiles;
use crate::summary::extract::ablation::SummaryRule;
use crate::summary::extract::lex::fold::fold_line;
use crate::summary::extract::lex::phrase_search::PhraseSearch;
use crate::summary::extract::lexicon::request_words::{
    ASKING_WORDS, KEEPING_WORDS, MOMENTARY_WORDS, REMOVING_WORDS, STANDING_WORDS,
};
use std::sync::LazyLock;

/// Maximum number of wishes, the newest, and of requests that are read.
const MOST_WISHES: usize = 3;
const MOST_REQUESTS: usize = 60;
/// Maximum length in bytes of a request that is read, and the length of a wish.
const LONGEST_REQUEST: usize = 4000;
const LEAST_WISH: usize = 10;
const LONGEST_WISH: usize = 150;
/// What the newest wish is worth, and each older one less.
const WORTH: i32 = 2600;
const OLDER_LOSS: i32 = 300;

static STANDING: LazyLock<PhraseSearch> = LazyLock::new(|| PhraseSearch::new(&[STANDING_WORDS]));
static ASKING: LazyLock<PhraseSearch> = LazyLock::new(|| PhraseSearch::new(&[ASKING_WORDS]));
static KEEPING: LazyLock<PhraseSearch> = LazyLock::new(|| PhraseSearch::new(&[KEEPING_WORDS]));
pub(crate) static MOMENTARY: LazyLock<PhraseSearch> =
    LazyLock::new(|| PhraseSearch::new(&[MOMENTARY_WORDS]));

/// Returns the sentences of older requests that hold for all that follows, newest first. The goal and the
/// newest request stand for themselves.
pub(crate) fn standing_wishes(
    requests: &[UserRequest<'_>],
    files: &TouchedFiles<'_>,
    exchanges: &Exchanges<'_>,
) -> Vec<Fact> {
    let [goal, older @ .., newest] = requests else {
        return Vec::new();
    };
    if SummaryRule::StandingWishes.is_off() {
        return Vec::new();
    }
    let read = (older.iter().rev())
        .take(MOST_REQUESTS)
        .filter(|request| request.text.len() <= LONGEST_REQUEST);
    let sentences = read.flat_map(|request| {
        let sentences = request.text.lines().flat_map(split_sentences);
        sentences.map(|sentence| (request.message, sentence.trim()))
    });
    let wishes = sentences.filter(|&(message, sentence)| {
        (LEAST_WISH..=LONGEST_WISH).contains(&sentence.len())
            // An item of a form, or what limits only the words before it.
            && !sentence.starts_with('(')
            && !sentence.ends_with([':', '：'])
            && (!sentence.ends_with(['?', '？']) || ASKING.has_words(sentence))
            && STANDING.has_words(sentence)
            && !MOMENTARY.has_words(sentence)
            && ![goal, newest]
                .iter()
                .any(|request| request.text.contains(sentence))
            && !is_gone(sentence, files)
            && !is_removed(sentence, message, exchanges)
    });
    let mut facts: Vec<Fact> = Vec::new();
    for (_, wish) in wishes {
        let text = fold_line(wish, LONGEST_WISH).into_owned();
        if facts.len() >= MOST_WISHES || facts.iter().any(|fact| fact.text == text) {
            continue;
        }
        let older = i32::try_from(facts.len()).unwrap_or(i32::MAX);
        facts.push(Fact {
            kind: FactKind::Constraint,
            text,
            worth: WORTH - OLDER_LOSS * older,
            order: 0,
            heading: None,
            is_pinned: false,
        });
    }
    facts
}

/// Returns true if a wish is about a file that was deleted or moved since.
fn is_gone(wish: &str, files: &TouchedFiles<'_>) -> bool {
    let words = wish.split_whitespace();
    let words = words.map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    words.filter(|word| word.contains('.')).any(|word| {
        let name = word.rsplit('/').next().unwrap_or(word);
        files.is_gone(name)
    })
}

/// Returns true if a wish asks to keep what a later commit removes.
fn is_removed(wish: &str, message: usize, exchanges: &Exchanges<'_>) -> bool {
    KEEPING.has_words(wish)
        && exchanges.commits_since(message).any(|commit| {
            let first = commit.split(' ').next().unwrap_or_default();
            let words = || {
                commit
                    .split(|c: char| !c.is_alphanumeric())
                    .filter(|word| word.len() >= LEAST_WORD)
            };
            REMOVING_WORDS
                .iter()
                .any(|word| first.eq_ignore_ascii_case(word))
                && wish
                    .split(|c: char| !c.is_alphanumeric())
                    .any(|word| words().any(|other| other.eq_ignore_ascii_case(word)))
        })
}

/// Minimum length in bytes of a word that a wish and a commit share.
const LEAST_WORD: usize = 3;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::extract::facts::request_log::RequestLog;
    use std::borrow::Cow;

    fn wishes_of(requests: &[UserRequest<'_>]) -> Vec<Fact> {
        standing_wishes(requests, &TouchedFiles::default(), &Exchanges::default())
    }

    #[test]
    fn what_holds_for_all_that_follows_is_found() {
        let mut log = RequestLog::default();
        for (number, text) in [
            "Never touch the goal of this test, it is the first.",
            "Write the valve. Never push it to the main branch. Should we never do that?",
            "Keep the old valve around for reference, please.",
            "Always test the newest request.",
        ]
        .into_iter()
        .enumerate()
        {
            log.push_request(Cow::Borrowed(text), number, false);
        }
        let wishes = wishes_of(log.current_task());
        let texts: Vec<&str> = wishes.iter().map(|wish| wish.text.as_str()).collect();
        assert_eq!(
            texts,
            [
                "Keep the old valve around for reference, please.",
                "Never push it to the main branch."
            ]
        );
        assert!(wishes_of(&log.current_task()[..2]).is_empty());
    }
}
