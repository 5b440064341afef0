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
pub(super) const RESULT_ABOVE: &str = "[told in the result of the call before]";

/// A call, by the index of its turn and its number there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct TurnCall {
    turn: usize,
    number: usize,
}

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
        let place = NotePlace::in_message(turn.message);
        match matches.calls_of_result.get(&at) {
            Some(calls) => {
                let caller = calls[0].turn;
                if others.last().is_some_and(|(last, _)| *last != caller) {
                    notes.add_note("tool result", "moved to its call", place);
                }
                results.entry(caller).or_default().extend(split_result(turn, calls));
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
                if matches.is_answered(TurnCall { turn: at, number }) {
                    continue;
                }
                notes.add_note(
                    "tool result",
                    "put in: the log has none for this call",
                    NotePlace::in_message(turn.message),
                );
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

/// The matches between calls and results.
#[derive(Default)]
struct ResultMatches {
    /// True for each call that has a result, by the turn that makes the calls.
    answered: HashMap<usize, Vec<bool>>,
    /// The calls that each result answers, by the index of its turn. Never empty.
    calls_of_result: HashMap<usize, Vec<TurnCall>>,
}

impl ResultMatches {
    /// Matches all results.
    fn from_turns(turns: &[ChatTurn], view: TranscriptView<'_, '_>) -> Self {
        let mut calls_of_result = HashMap::new();
        let mut matcher = ResultMatcher::default();
        // The turn of each message with calls.
        let mut caller_turns: HashMap<usize, usize> = HashMap::new();
        let mut last_caller = None;
        for (at, turn) in turns.iter().enumerate() {
            if turn.role != Role::Tool {
                if !turn.calls.is_empty() {
                    last_caller = Some(at);
                }
                caller_turns.extend(turn.calls.iter().map(|call| (call.message, at)));
                continue;
            }
            let caller = turn
                .message
                .and_then(|index| view.transcript.caller_of(index))
                .and_then(|message| caller_turns.get(&message).copied());
            let calls = matcher.calls_for_result(turns, at, caller, last_caller);
            if !calls.is_empty() {
                calls_of_result.insert(at, calls);
            }
        }
        let answered = matcher.open.into_iter();
        Self {
            answered: answered.map(|(turn, open)| (turn, open.into_answered())).collect(),
            calls_of_result,
        }
    }

    /// Returns true if a call has a result.
    fn is_answered(&self, call: TurnCall) -> bool {
        self.answered.get(&call.turn).is_some_and(|answered| answered[call.number])
    }
}

/// A search for the calls of results.
#[derive(Default)]
struct ResultMatcher<'t> {
    /// The calls without a result, by the turn that makes them.
    open: HashMap<usize, OpenCalls<'t>>,
}

impl<'t> ResultMatcher<'t> {
    /// Answers the calls that the result in turn `at` belongs to, and returns them.
    ///
    /// `caller` is the turn of its call, if the transcript has it, and `last_caller`
    /// the last turn with calls.
    fn calls_for_result(
        &mut self,
        turns: &'t [ChatTurn],
        at: usize,
        caller: Option<usize>,
        last_caller: Option<usize>,
    ) -> Vec<TurnCall> {
        let result = &turns[at];
        let Some(turn) = caller.or(last_caller) else {
            return Vec::new();
        };
        let open = self.open.entry(turn).or_insert_with(|| OpenCalls::new(&turns[turn].calls));
        if let (Some(_), Some(id)) = (caller, &result.answers)
            && let Some(number) = open.first_with_id(id)
        {
            open.answer(number);
            return vec![TurnCall { turn, number }];
        }
        // The remaining calls are matched by order, if the call or the result has no id.
        let only_without_id = result.answers.is_some();
        let count = open.count(only_without_id);
        let answers_all = count > 1
            && caller.is_some()
            && result.answers.is_none()
            && is_only_result(turns, turn);
        let named = match (caller, &result.name) {
            (None, Some(name)) => open.first_with_name(name, only_without_id),
            _ => None,
        };
        let numbers = if answers_all {
            open.answer_first(count, only_without_id)
        } else if result.answers_each {
            open.answer_first(result.parts.len(), only_without_id)
        } else {
            let first = named.or_else(|| open.first(only_without_id));
            first.inspect(|number| open.answer(*number)).into_iter().collect()
        };
        let places = numbers.into_iter();
        places.map(|number| TurnCall { turn, number }).collect()
    }
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
fn split_result(mut turn: ChatTurn, calls: &[TurnCall]) -> Vec<ChatTurn> {
    if let [call] = calls {
        return vec![ChatTurn { call_number: call.number, ..turn }];
    }
    // Taken out: the turn is copied for each call.
    let turn_parts = std::mem::take(&mut turn.parts);
    let parts = if turn.answers_each {
        turn_parts.clone()
    } else {
        array_elements(&turn_parts).unwrap_or_default()
    };
    let mut shares: Vec<Vec<ChatPart>>;
    if parts.len() < calls.len() {
        shares = vec![vec![ChatPart::Text(RESULT_ABOVE.into())]; calls.len()];
        if let Some(first) = shares.first_mut() {
            *first = turn_parts;
        }
    } else {
        shares = parts[..calls.len()].iter().map(|part| vec![part.clone()]).collect();
        if let Some(last) = shares.last_mut() {
            last.extend_from_slice(&parts[calls.len()..]);
        }
    }
    calls
        .iter()
        .zip(shares)
        .map(|(call, parts)| ChatTurn {
            call_number: call.number,
            parts,
            name: None,
            ..turn.clone()
        })
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
