//! Puts each result right after its call, as all targets require.
//!
//! Results are matched to calls as everywhere in this program: by adjacency first,
//! then by id ([`Transcript::caller_of`]).
//!
//! [`Transcript::caller_of`]: crate::reading::transcript::Transcript::caller_of

use crate::convert::open_calls::OpenCalls;
use crate::convert::prelude::*;

/// The text of a result that the log doesn't have.
pub(super) const NO_RESULT: &str = "[no result in the log]";
/// The text of a result whose content is in another result.
const RESULT_ABOVE: &str = "[told in the result of the call before]";

/// Reorders turns so that results follow their calls.
///
/// Calls without a result get a placeholder, except in the last turn if none of
/// its calls is answered. A result without a call becomes a turn of the user.
pub(super) fn pair_results(
    turns: Vec<ChatTurn>,
    view: TranscriptView<'_, '_>,
    notes: &mut ConversionNotes,
) -> Vec<ChatTurn> {
    let matches = ResultMatches::from_turns(&turns, view);
    let mut results: HashMap<usize, Vec<ChatTurn>> = HashMap::new();
    let mut others: Vec<(usize, ChatTurn)> = Vec::new();
    for (at, turn) in turns.into_iter().enumerate() {
        let place = turn.message;
        match matches.answered.get(&at) {
            Some(Answered { caller, numbers }) => {
                if others.last().is_some_and(|(last, _)| last != caller) {
                    notes.add_note("tool result", "moved to its call", place);
                }
                results.entry(*caller).or_default().extend(split_result(turn, numbers));
            }
            None if turn.role == Role::Tool => {
                let why = "its call is not in the log: written as what the user says";
                notes.add_note("tool result", why, place);
                let turn = ChatTurn {
                    role: Role::User,
                    answers: None,
                    name: None,
                    failed: false,
                    gap: Some(TurnGap::Call),
                    ..turn
                };
                others.push((at, turn));
            }
            None => others.push((at, turn)),
        }
    }
    let last = others.last().map(|(at, _)| *at);
    let mut paired = Vec::new();
    for (at, turn) in others {
        let mut own_results = results.remove(&at).unwrap_or_default();
        // The log may end before the results of its last turn, but not between them.
        if last != Some(at) || !own_results.is_empty() {
            for number in 0..turn.calls.len() {
                if !matches.unanswered.contains(&(at, number)) {
                    continue;
                }
                let why = "put in: the log has none for this call";
                notes.add_note("tool result", why, turn.message);
                own_results.push(ChatTurn {
                    call_number: number,
                    name: Some(turn.calls[number].name.clone()),
                    ..ChatTurn::with_text(Role::Tool, turn.message, NO_RESULT)
                });
            }
        }
        paired.push(turn);
        paired.extend(own_results);
    }
    paired
}

/// The calls that a result answers: the index of their turn, and their numbers there.
struct Answered {
    caller: usize,
    /// Never empty.
    numbers: Vec<usize>,
}

/// The matches between calls and results.
struct ResultMatches {
    /// What each result answers, by the index of its turn.
    answered: HashMap<usize, Answered>,
    /// The calls without a result, by turn and number.
    unanswered: HashSet<(usize, usize)>,
}

impl ResultMatches {
    /// Matches all results.
    fn from_turns(turns: &[ChatTurn], view: TranscriptView<'_, '_>) -> Self {
        let mut matches = Self { answered: HashMap::new(), unanswered: HashSet::new() };
        let mut open: HashMap<usize, OpenCalls<'_>> = HashMap::new();
        // The turn of each message with calls.
        let mut caller_turns: HashMap<usize, usize> = HashMap::new();
        let mut last_caller = None;
        for (at, turn) in turns.iter().enumerate() {
            if turn.role != Role::Tool {
                last_caller = if turn.calls.is_empty() { last_caller } else { Some(at) };
                caller_turns.extend(turn.calls.iter().map(|call| (call.message, at)));
                matches.unanswered.extend((0..turn.calls.len()).map(|number| (at, number)));
                continue;
            }
            let logged = turn.message.and_then(|index| view.transcript.caller_of(index));
            let logged = logged.and_then(|message| caller_turns.get(&message).copied());
            let Some(caller) = logged.or(last_caller) else { continue };
            let calls = open.entry(caller).or_insert_with(|| OpenCalls::new(&turns[caller].calls));
            let is_alone = logged.is_some() && is_only_result(turns, caller);
            let numbers = answered_numbers(calls, turn, logged.is_some(), is_alone);
            if !numbers.is_empty() {
                for number in &numbers {
                    matches.unanswered.remove(&(caller, *number));
                }
                matches.answered.insert(at, Answered { caller, numbers });
            }
        }
        matches
    }
}

/// Answers the calls of a turn that a result belongs to, and returns their numbers. `is_logged` is
/// true if the transcript says that it is this turn's, and `is_alone` if no other result is.
fn answered_numbers(
    open: &mut OpenCalls<'_>,
    result: &ChatTurn,
    is_logged: bool,
    is_alone: bool,
) -> Vec<usize> {
    let by_id = result.answers.as_ref().filter(|_| is_logged);
    if let Some(number) = by_id.and_then(|id| open.first_with_id(id)) {
        open.answer(number);
        return vec![number];
    }
    // The remaining calls are matched by order, if the call or the result has no id.
    let only_without_id = result.answers.is_some();
    let count = open.count(only_without_id);
    if count > 1 && is_alone && result.answers.is_none() {
        return open.answer_first(count, only_without_id);
    }
    if result.answers_each {
        return open.answer_first(result.parts.len(), only_without_id);
    }
    let name = result.name.as_ref().filter(|_| !is_logged);
    let named = name.and_then(|name| open.first(Some(name), only_without_id));
    let first = named.or_else(|| open.first(None, only_without_id));
    first.inspect(|number| open.answer(*number)).into_iter().collect()
}

/// Returns true if exactly one result follows the turn `caller`.
fn is_only_result(turns: &[ChatTurn], caller: usize) -> bool {
    let mut following = turns.iter().skip(caller + 1);
    following.next().is_some_and(|turn| turn.role == Role::Tool)
        && following.next().is_none_or(|turn| turn.role != Role::Tool)
}

/// Splits a result that answers several calls into a result for each.
///
/// Its parts, or the elements of a JSON array, are shared out in order. If there
/// are too few, the first call gets all content and the others a placeholder.
fn split_result(mut turn: ChatTurn, numbers: &[usize]) -> Vec<ChatTurn> {
    if let [call_number] = *numbers {
        return vec![ChatTurn { call_number, ..turn }];
    }
    // Taken out: the turn is copied for each call.
    let turn_parts = std::mem::take(&mut turn.parts);
    let parts = if turn.answers_each {
        turn_parts.clone()
    } else {
        array_elements(&turn_parts).unwrap_or_default()
    };
    let mut shares: Vec<Vec<ChatPart>>;
    if parts.len() < numbers.len() {
        shares = vec![vec![ChatPart::Text(RESULT_ABOVE.into())]; numbers.len()];
        if let Some(first) = shares.first_mut() {
            *first = turn_parts;
        }
    } else {
        shares = parts[..numbers.len()].iter().map(|part| vec![part.clone()]).collect();
        if let Some(last) = shares.last_mut() {
            last.extend_from_slice(&parts[numbers.len()..]);
        }
    }
    let shared = numbers.iter().zip(shares);
    shared
        .map(|(&call_number, parts)| ChatTurn { call_number, parts, name: None, ..turn.clone() })
        .collect()
}

/// Returns the elements of a result that is a JSON array, as texts. Strings are unquoted.
fn array_elements(parts: &[ChatPart]) -> Option<Vec<ChatPart>> {
    let [ChatPart::Text(text)] = parts else {
        return None;
    };
    let wtf8 = text.wtf8();
    let tree = JsonTree::new(&wtf8).ok()?;
    tree.root().is_kind(JsonKind::Array).then(|| tree.root().items().map(element_text).collect())
}

fn element_text(node: JsonNode<'_>) -> ChatPart {
    ChatPart::Text(if node.is_kind(JsonKind::String) {
        EscapedText::from_literal(node.bytes())
    } else {
        EscapedText::from_wtf8(node.bytes())
    })
}
