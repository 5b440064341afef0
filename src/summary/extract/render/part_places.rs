//! Weighs the parts of a request by their places: its beginning, its end, and what the user says behind a document.

use super::request_parts::RequestPart;

/// Room in bytes below which one sentence fits, and the first need not be it.
const LITTLE_ROOM: usize = 220;
/// The most that a story says.
const STORY_WORTH: i32 = 15;
/// Maximum length in bytes of a title.
const LONGEST_TITLE: usize = 110;
/// The same of the first sentence of all, which says what the request is about.
const LONGEST_OPENING: usize = 220;

/// Returns true for a sentence that says who the agent is to be: `Act as an expert in Rust.`
fn sets_role(sentence: &str) -> bool {
    let lower = sentence.to_ascii_lowercase();
    ROLE_OPENINGS
        .iter()
        .any(|opening| lower.starts_with(opening))
}

/// Returns true for a short sentence that only asks to think: `ULTRATHINK this one.`
fn urges(sentence: &str) -> bool {
    sentence.len() <= LONGEST_URGE && sentence.to_ascii_lowercase().contains("think")
}

/// Maximum length in bytes of such a sentence.
const LONGEST_URGE: usize = 32;

/// The openings of such a sentence.
const ROLE_OPENINGS: [&str; 3] = ["act as ", "you are a", "you're a"];

/// Adds what the sentences of the last line say more behind a list or a document: what the user says of it.
fn weigh_own_end(parts: &mut [RequestPart<'_>]) {
    let Some(last) = parts.last().map(|part| part.line) else {
        return;
    };
    let is_end = |part: &&mut RequestPart<'_>| part.line == last && part.group.is_none();
    let sentences = parts.iter_mut().filter(is_end).count();
    if last >= LONG_DOCUMENT && sentences >= LEAST_OWN_SENTENCES {
        for part in parts.iter_mut().filter(is_end) {
            part.worth += OWN_WORTH;
        }
    }
}

/// The number of lines of a long document, the least sentences that a user says behind it, and what each says more.
const LONG_DOCUMENT: usize = 12;
const LEAST_OWN_SENTENCES: usize = 3;
const OWN_WORTH: i32 = 40;

/// Adds what the place of a part says: the beginning is what the request is about, and its end often
/// what is wanted. With little room, the one sentence that fits is that with a wish.
pub(super) fn weigh_places(parts: &mut [RequestPart<'_>], room: usize) {
    const FIRST: [i32; 3] = [120, 45, 25];
    const FIRST_OF_LITTLE: [i32; 3] = [40, 10, 5];
    const LAST: [i32; 2] = [30, 15];
    let first = if room < LITTLE_ROOM {
        FIRST_OF_LITTLE
    } else {
        FIRST
    };
    weigh_own_end(parts);
    let is_prose = |part: &&mut RequestPart<'_>| !part.is_heading && part.worth > -30;
    // A title is short; a long opening or end that asks for nothing tells a story.
    let is_story = |part: &RequestPart<'_>, longest: usize| {
        part.text.len() > longest && part.worth <= STORY_WORTH
    };
    // What leads in to the request is not its first sentence: `Consider the following issue:`.
    let leads_in = |part: &&mut RequestPart<'_>| {
        is_prose(part)
            && (part.text.ends_with([':', '：']) || sets_role(part.text) || urges(part.text))
    };
    let lead = parts.iter_mut().take(1).filter(leads_in).count();
    let opening = parts.iter_mut().skip(lead).filter(is_prose);
    for (number, (part, worth)) in opening.zip(first).enumerate() {
        let longest = if number == 0 {
            LONGEST_OPENING
        } else {
            LONGEST_TITLE
        };
        part.worth += if is_story(part, longest) {
            worth / 3
        } else {
            worth
        };
    }
    for (part, worth) in parts.iter_mut().rev().filter(is_prose).zip(LAST) {
        part.worth += if is_story(part, LONGEST_TITLE) {
            worth / 3
        } else {
            worth
        };
    }
}
