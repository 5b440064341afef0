//! Finds the part of a reply that says what comes of it: agents repeat first, and conclude at the end.

use super::finding_sentences::begins_with_intent;
use super::next_steps::steps_heading;
use crate::summary::extract::lex::phrase_search::PhraseSearch;
use crate::summary::extract::lex::sentences::split_sentences;
use crate::summary::extract::lexicon::assistant_words::{DENIAL_WORDS, UNABLE_WORDS};
use crate::summary::extract::lexicon::request_words::CONDITION_WORDS;
use std::sync::LazyLock;

/// Between paragraphs.
const PARAGRAPH_END: &str = "\n\n";
/// Minimum length in bytes of what is left of a reply without what it announces at its end.
const LEAST_LEFT: usize = 40;

/// Returns what a reply of more than `room` bytes says below its heading of next steps, else its last paragraphs
/// that fit, or the last sentences of a paragraph that does not. One that begins with what did not work stays as it is: that is what comes of it.
pub(super) fn closing_part(reply: &str, room: usize) -> &str {
    let reply = reply.trim();
    if reply.len() <= room {
        return reply;
    }
    if SETBACKS.has_words(reply.lines().next().unwrap_or_default()) {
        return reply;
    }
    if let Some(heading) = steps_heading(reply) {
        return &reply[heading..];
    }
    let mut ends = reply
        .rmatch_indices(PARAGRAPH_END)
        .map(|(at, end)| at + end.len());
    let Some(mut start) = ends.next() else {
        return last_sentences(reply, room);
    };
    for earlier in ends {
        if reply.len() - earlier > room {
            break;
        }
        start = earlier;
    }
    last_sentences(&reply[start..], room)
}

/// Returns the last sentences of a paragraph that fit in `room` bytes. One that is longer stays as it is: its end says
/// nothing alone. So does a list.
fn last_sentences(paragraph: &str, room: usize) -> &str {
    if paragraph.len() <= room || paragraph.contains('\n') {
        return paragraph;
    }
    let mut start = 0;
    for sentence in split_sentences(paragraph) {
        if paragraph.len() - start <= room {
            return paragraph[start..].trim_start();
        }
        // What holds only if, and what did not work, is not left out.
        if SETBACKS.has_words(sentence)
            || sentence.contains([':', '：'])
            || CONDITIONS.has_words(sentence)
        {
            return paragraph;
        }
        start += sentence.len();
    }
    paragraph
}

static CONDITIONS: LazyLock<PhraseSearch> = LazyLock::new(|| PhraseSearch::new(&[CONDITION_WORDS]));

/// Searches for the words of a sentence that says what did not work, or can't be done.
pub(crate) static SETBACKS: LazyLock<PhraseSearch> =
    LazyLock::new(|| PhraseSearch::new(&[DENIAL_WORDS, UNABLE_WORDS]));

/// Returns a reply without the sentence at its end that only announces a call: `Let me look at it:`.
pub(super) fn without_announcement(reply: &str) -> &str {
    let reply = reply.trim_end();
    let start = reply.rfind('\n').map_or(0, |end| end + 1);
    let Some(last) = split_sentences(&reply[start..]).last() else {
        return reply;
    };
    let before = reply[..reply.len() - last.len()].trim_end();
    if begins_with_intent(last.trim_start()) && before.len() >= LEAST_LEFT {
        before
    } else {
        reply
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_long_reply_says_what_comes_of_it() {
        let reply = "We looked at the mill.\n\n1. **Wheel**: it turns.\n\n2. **Valve**: it leaks.";
        assert_eq!(closing_part(reply, 30), "2. **Valve**: it leaks.");
        assert_eq!(
            closing_part(reply, 55),
            "1. **Wheel**: it turns.\n\n2. **Valve**: it leaks."
        );
        assert_eq!(closing_part(reply, 200), reply);
        let planned =
            format!("{reply}\n\n### Next steps\n- Oil it\n\nAll else is fine, as far as I know.");
        assert!(closing_part(&planned, 30).starts_with("### Next steps\n- Oil it"));
        assert_eq!(
            closing_part(
                "The mill is old. Its wheel turns. I oil the valve next.",
                40
            ),
            "Its wheel turns. I oil the valve next."
        );
        let failed = format!("I could not mend the valve: it is not ours.\n\n{reply}");
        assert_eq!(closing_part(&failed, 30), failed);
        assert_eq!(
            closing_part("One long line of words", 5),
            "One long line of words"
        );
    }

    #[test]
    fn what_only_announces_a_call_is_left_out() {
        let reply = "The valve leaks because its seal is old and dry. Let me replace it:";
        assert_eq!(
            without_announcement(reply),
            "The valve leaks because its seal is old and dry."
        );
        assert_eq!(
            without_announcement("Let me replace it:"),
            "Let me replace it:"
        );
    }
}
