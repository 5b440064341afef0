//! Finds what the user said once for all that follows: `never push to main`, `keep the old files`.

use super::fact::{Fact, FactKind};
use super::request_log::UserRequest;
use super::touched_files::TouchedFiles;
use crate::summary::extract::ablation::SummaryRule;
use crate::summary::extract::lex::fold::fold_line;
use crate::summary::extract::lex::phrase_search::PhraseSearch;
use crate::summary::extract::lex::sentences::split_sentences;
use crate::summary::extract::lexicon::request_words::{APOLOGIES, TELLING_OPENINGS};
use crate::summary::extract::lexicon::wish_words::{
    ASKING_WORDS, BLANKET_BAN_WORDS, CONSTRAINT_WORDS, CORRECTION_OPENINGS, CORRECTION_WORDS,
    DECISION_WORDS, FOR_NOW_WORDS, KEEPING_WORDS, LASTING_WORDS, LIMIT_OPENINGS, LIMITING_WORDS,
    MOMENTARY_WORDS, OPINION_WORDS, RELEASING_WORDS, RETRACTIONS, STANDING_WORDS, UNDOING_DENIALS,
    UNDOING_ORDERS,
};
use std::sync::LazyLock;

/// Maximum number of wishes, the newest, and of requests that are read.
const MOST_WISHES: usize = 6;
const MOST_REQUESTS: usize = 60;
/// Maximum length in bytes of a request that is read, the minimum of a wish, and the maximum of a wish in
/// code points: a Chinese sentence has three times the bytes.
const LONGEST_REQUEST: usize = 4000;
const LEAST_WISH: usize = 10;
const LONGEST_WISH: usize = 150;
/// What the newest wish is worth, and each older one less.
const WORTH: i32 = 2600;
const OLDER_LOSS: i32 = 300;

/// Searches for the words of a wish that holds for all that follows.
pub(crate) static WISHES: LazyLock<PhraseSearch> =
    LazyLock::new(|| PhraseSearch::new(&[CONSTRAINT_WORDS]));
static STANDING: LazyLock<PhraseSearch> = LazyLock::new(|| PhraseSearch::new(&[STANDING_WORDS]));
static ASKING: LazyLock<PhraseSearch> = LazyLock::new(|| PhraseSearch::new(&[ASKING_WORDS]));
pub(crate) static LASTING: LazyLock<PhraseSearch> =
    LazyLock::new(|| PhraseSearch::new(&[LASTING_WORDS]));
static DECISIONS: LazyLock<PhraseSearch> = LazyLock::new(|| PhraseSearch::new(&[DECISION_WORDS]));
static CORRECTIONS: LazyLock<PhraseSearch> =
    LazyLock::new(|| PhraseSearch::new(&[CORRECTION_WORDS]));
static FOR_NOW: LazyLock<PhraseSearch> = LazyLock::new(|| PhraseSearch::new(&[FOR_NOW_WORDS]));
static LIMITING: LazyLock<PhraseSearch> = LazyLock::new(|| PhraseSearch::new(&[LIMITING_WORDS]));
static BLANKET_BANS: LazyLock<PhraseSearch> =
    LazyLock::new(|| PhraseSearch::new(&[BLANKET_BAN_WORDS]));
static RELEASES: LazyLock<PhraseSearch> = LazyLock::new(|| PhraseSearch::new(&[RELEASING_WORDS]));
static MOMENTARY: LazyLock<PhraseSearch> = LazyLock::new(|| PhraseSearch::new(&[MOMENTARY_WORDS]));

/// Length in bytes from which on the newest request leaves the goal a line, and the maximum length of a goal that is
/// read for that.
const LONG_NEWEST: usize = 400;
const LONGEST_GOAL: usize = 8000;

/// Returns the sentences of older requests that hold for all that follows, newest first. The goal and the
/// newest request stand for themselves.
pub(crate) fn standing_wishes(requests: &[UserRequest<'_>], files: &TouchedFiles<'_>) -> Vec<Fact> {
    let [goal, older @ .., newest] = requests else {
        return Vec::new();
    };
    if SummaryRule::StandingWishes.is_off() {
        return Vec::new();
    }
    // Beside a long newest request, a goal that was answered takes a line.
    let is_goal_short = newest.text.len() >= LONG_NEWEST && goal.text.len() <= LONGEST_GOAL;
    let read = (older.iter().rev())
        .take(MOST_REQUESTS)
        .filter(|request| request.text.len() <= LONGEST_REQUEST)
        .chain(is_goal_short.then_some(goal));
    let sentences = read.flat_map(|request| {
        // A pasted error is not the user's word.
        let own = request
            .text
            .lines()
            .filter(|line| !line.contains(OBJECT_MARK));
        let sentences = own.flat_map(split_sentences);
        sentences.map(|sentence| (sentence.trim(), request.message))
    });
    let wishes = sentences.filter(|(sentence, message)| {
        sentence.len() >= LEAST_WISH
            && sentence.chars().count() <= LONGEST_WISH
            && !sentence.ends_with([':', '：'])
            && (!is_question(sentence) || ASKING.has_words(sentence) || begins_with_limit(sentence))
            && (STANDING.has_words(sentence) || corrects(sentence))
            && !tells_of_self(sentence)
            && !says_opinion(sentence)
            && !asks_once(sentence)
            && !is_momentary(sentence)
            && !newest.text.contains(sentence)
            && (is_goal_short || !goal.text.contains(sentence))
            && !is_gone(sentence, files)
            && !is_released(sentence, *message, requests)
            && !(is_withdrawn(*message, requests)
                && !begins_with_limit(sentence)
                && !LASTING.has_words(sentence))
    });
    let mut facts: Vec<Fact> = Vec::new();
    for (wish, _) in wishes {
        let text = fold_line(wish, usize::MAX).into_owned();
        if facts.iter().any(|fact| fact.text == text) {
            continue;
        }
        if facts.len() >= MOST_WISHES {
            break;
        }
        let older = i32::try_from(facts.len()).unwrap_or(i32::MAX);
        facts.push(Fact {
            kind: FactKind::Constraint,
            text,
            worth: WORTH - OLDER_LOSS * older,
            order: 0,
            heading: None,
            is_pinned: false,
            longer: None,
        });
    }
    facts
}

/// Within a line of JSON.
const OBJECT_MARK: &str = "{\"";

/// Returns true for a sentence in which the user corrects what was said before: `Actually, one way, not round trip`.
fn corrects(sentence: &str) -> bool {
    let lower = sentence.to_ascii_lowercase();
    CORRECTION_OPENINGS
        .iter()
        .any(|opening| lower.starts_with(opening))
        && CORRECTIONS.has_words(&lower)
}

/// Returns true for a question, also in quotes.
fn is_question(sentence: &str) -> bool {
    sentence
        .trim_end_matches(['"', '\'', '”', '’', ')', '*'])
        .ends_with(['?', '？'])
}

/// Returns true for a sentence in which the user tells what is so: `I can't remember my code`.
fn tells_of_self(sentence: &str) -> bool {
    let lower = sentence.to_ascii_lowercase().replace('’', "'");
    let told = (APOLOGIES.iter())
        .find_map(|apology| lower.strip_prefix(apology))
        .unwrap_or(&lower);
    TELLING_OPENINGS
        .iter()
        .any(|opening| told.starts_with(opening))
}

/// Returns true for an order in the form of a question that holds once: `can you keep it short`.
fn asks_once(sentence: &str) -> bool {
    let mut is_firm = false;
    STANDING.visit(sentence, &mut |word, stands_as_words| {
        is_firm |= stands_as_words && !KEEPING_WORDS.contains(&STANDING_WORDS[word]);
    });
    ASKING.has_words(sentence) && !is_firm
}

/// Returns true for a sentence about what the user believes: `so I don't think it is on`.
fn says_opinion(sentence: &str) -> bool {
    let lower = sentence.to_ascii_lowercase().replace('’', "'");
    OPINION_WORDS.iter().any(|words| lower.contains(words))
}

/// Returns true if a sentence begins with a limit: `Do not touch it, ok?`
fn begins_with_limit(sentence: &str) -> bool {
    let lower = sentence.to_ascii_lowercase();
    LIMIT_OPENINGS
        .iter()
        .any(|opening| lower.starts_with(opening))
}

/// Returns true for a wish that holds only for a while: `not yet`, `first`. `Never … now` holds for good.
pub(crate) fn is_momentary(sentence: &str) -> bool {
    if LASTING.has_words(sentence) || DECISIONS.has_words(sentence) {
        return false;
    }
    FOR_NOW.has_words(sentence) || (MOMENTARY.has_words(sentence) && !LIMITING.has_words(sentence))
}

/// Returns true if a wish forbids any change, and a request after message number `message` asks for
/// one: `let's get started with the fixes`.
fn is_released(wish: &str, message: usize, requests: &[UserRequest<'_>]) -> bool {
    let mut later = requests.iter().filter(|request| request.message > message);
    BLANKET_BANS.has_words(wish) && later.any(|request| releases(&request.text))
}

/// Returns true if the request behind message number `message` takes back what that one asked for: `actually, can you
/// revert that?` What it said for good stays.
pub(crate) fn is_withdrawn(message: usize, requests: &[UserRequest<'_>]) -> bool {
    let next = requests.partition_point(|request| request.message <= message);
    requests.get(next).is_some_and(|next| {
        let first = next.text.lines().flat_map(split_sentences).next();
        let first = first.unwrap_or_default().trim().to_ascii_lowercase();
        let plain = first.trim_end_matches(|c: char| !c.is_alphanumeric());
        plain.len() <= LONGEST_WITHDRAWAL
            && (RETRACTIONS.iter().chain(UNDOING_ORDERS)).any(|words| plain.ends_with(words))
            && !UNDOING_DENIED.has_words(plain)
    })
}

/// Maximum length in bytes of the sentence that takes something back.
const LONGEST_WITHDRAWAL: usize = 48;
/// Searches for words with which such a sentence takes nothing back.
static UNDOING_DENIED: LazyLock<PhraseSearch> =
    LazyLock::new(|| PhraseSearch::new(&[UNDOING_DENIALS]));

/// Returns true if a request asks for a change: in no question, and in nothing that it forbids.
fn releases(request: &str) -> bool {
    let mut sentences = request.lines().flat_map(split_sentences).map(str::trim);
    sentences.any(|sentence| {
        RELEASES.has_words(sentence)
            && !is_question(sentence)
            && !begins_with_limit(sentence)
            && !BLANKET_BANS.has_words(sentence)
    })
}

/// Returns true if a wish names files, and all of them were deleted or moved since.
fn is_gone(wish: &str, files: &TouchedFiles<'_>) -> bool {
    let words = wish.split_whitespace();
    let words = words.map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    let mut names = words
        .filter(|word| word.contains('.'))
        .map(|word| word.rsplit('/').next().unwrap_or(word))
        .peekable();
    names.peek().is_some() && names.all(|name| files.is_gone(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::extract::facts::request_log::RequestLog;
    use std::borrow::Cow;

    fn wishes_of(requests: &[UserRequest<'_>]) -> Vec<Fact> {
        standing_wishes(requests, &TouchedFiles::default())
    }

    #[test]
    fn a_correction_holds() {
        let mut log = RequestLog::default();
        for (number, text) in [
            "I want to sail to the island and back.",
            "Actually, I only need to go there, not back. Also, we have a dog.",
            "Actually, that is a nice boat.",
            "When do we sail?",
        ]
        .into_iter()
        .enumerate()
        {
            log.push_request(Cow::Borrowed(text), number, false);
        }
        let wishes = wishes_of(log.current_task());
        let texts: Vec<&str> = wishes.iter().map(|wish| wish.text.as_str()).collect();
        assert_eq!(texts, ["Actually, I only need to go there, not back."]);
    }

    #[test]
    fn what_holds_for_all_that_follows_is_found() {
        let mut log = RequestLog::default();
        for (number, text) in [
            "Never touch the goal of this test, it is the first.",
            "Write the valve. Never push it to the main branch. Should we never do that?",
            "claude \"Read the valve. What must never be missing before I submit it?\"",
            "Keep the old valve around for reference, please.",
            "I can't remember the code of the valve, only its color.",
            "There is no light, so I don’t think that it must be open.",
            "Could you please make sure to use the smallest valve? Can you keep it short?",
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
                "Could you please make sure to use the smallest valve?",
                "Keep the old valve around for reference, please.",
                "Never push it to the main branch."
            ]
        );
        assert!(wishes_of(&log.current_task()[..2]).is_empty());
    }

    #[test]
    fn a_wish_ends_with_the_request_that_takes_it_back() {
        let wishes = |newer: &'static str| {
            let mut log = RequestLog::default();
            let all = [
                "Split the pump.",
                "Move it all to mill/, but please keep main.rs where it is.",
                newer,
                "What now?",
            ];
            for (number, text) in all.into_iter().enumerate() {
                log.push_request(Cow::Borrowed(text), number, false);
            }
            wishes_of(log.current_task()).len()
        };
        for other in [
            "Then oil the wheel of the mill.",
            "Perfect, please don't revert that.",
            "If the test fails, revert that.",
            "Users should be able to undo that",
            "hmm undo that rename, mill was better",
        ] {
            assert!(wishes(other) >= 1, "{other}");
        }
        assert_eq!(
            wishes("actually, can you revert that? Say where each file should go."),
            0
        );
    }

    #[test]
    fn a_ban_of_any_change_ends_with_an_order_to_change() {
        let wishes = |newer: &'static str| {
            let mut log = RequestLog::default();
            let all = [
                "Explain the valve.",
                "Again, don't edit anything, I want to see more.",
                newer,
                "What now?",
            ];
            for (number, text) in all.into_iter().enumerate() {
                log.push_request(Cow::Borrowed(text), number, false);
            }
            wishes_of(log.current_task()).len()
        };
        assert_eq!(wishes("Where does the pump come from?"), 1);
        assert_eq!(wishes("How would you implement the pump?"), 1);
        // A limit is a further wish, and releases nothing.
        assert_eq!(wishes("Do not apply it before I say so."), 2);
        assert_eq!(wishes("Ok let's get started with the fixes."), 0);
    }

    #[test]
    fn a_prohibition_holds_in_any_script_and_length() {
        let mut log = RequestLog::default();
        let long = "你来设计核心经济模型，你先不要写代码，把我和你接下来商量的经济模型写到一个 economy.md 的文档里用于后续再写";
        assert!(long.len() > LONGEST_WISH);
        for (number, text) in ["Make a game.", long, "And the shop?"]
            .into_iter()
            .enumerate()
        {
            log.push_request(Cow::Borrowed(text), number, false);
        }
        let wishes = wishes_of(log.current_task());
        assert_eq!(wishes.len(), 1);
        assert_eq!(wishes[0].text, long);
    }
}
