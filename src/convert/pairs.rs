//! Every call with its results right behind it, and ids that are one of a kind:
//! what all targets want. Who answers whom is decided by the rule for all of
//! epitome, adjacency first and id second ([`Transcript::caller_of`]).
//!
//! [`Transcript::caller_of`]: crate::transcript::Transcript::caller_of

use crate::convert::chat::{ChatPart, ChatTurn};
use crate::convert::literal::EscapedText;
use crate::convert::notes::ConversionNotes;
use crate::convert::{IdRule, TargetRules};
use crate::format::tree::JsonTree;
use crate::json::JsonKind;
use crate::transcript::Role;
use crate::transcript::view::TranscriptView;
use std::collections::{HashMap, HashSet};

/// Stands for a result that the log does not have.
pub(super) const NO_RESULT: &str = "[no result in the log]";
/// Stands for a result that another one holds.
pub(super) const TOLD_BEFORE: &str = "[told in the result of the call before]";

/// A call: its turn, and its number there.
type At = (usize, usize);

/// What is known about the pairs.
pub(super) struct Pairing<'p, 't, 'a> {
    pub(super) view: TranscriptView<'t, 'a>,
    pub(super) rules: TargetRules,
    pub(super) notes: &'p mut ConversionNotes,
}

impl Pairing<'_, '_, '_> {
    /// The turns in the order that targets want.
    pub(super) fn pair(&mut self, turns: Vec<ChatTurn>) -> Vec<ChatTurn> {
        let (answered, owner) = self.match_results(&turns);
        let mut results: HashMap<usize, Vec<ChatTurn>> = HashMap::new();
        let mut others: Vec<(usize, ChatTurn)> = Vec::new();
        for (at, turn) in turns.into_iter().enumerate() {
            match owner.get(&at) {
                Some(calls) => {
                    let (caller, _) = calls[0];
                    if others.last().is_some_and(|(last, _)| *last != caller) {
                        self.note(&turn, "tool result", "moved to its call");
                    }
                    results
                        .entry(caller)
                        .or_default()
                        .extend(share_out(turn, calls));
                }
                None if turn.role == Role::Tool => {
                    self.note(
                        &turn,
                        "tool result",
                        "its call is not in the log: written as what the user says",
                    );
                    others.push((
                        at,
                        ChatTurn {
                            role: Role::User,
                            answers: None,
                            name: None,
                            failed: false,
                            ..turn
                        },
                    ));
                }
                None => others.push((at, turn)),
            }
        }
        let last = others.last().map(|(at, _)| *at);
        let mut all = Vec::new();
        for (at, turn) in others {
            let mut own = results.remove(&at).unwrap_or_default();
            // What the log ends with may still be answered; in part is not at all.
            if last != Some(at) || !own.is_empty() {
                for number in
                    (0..turn.calls.len()).filter(|number| !answered.contains(&(at, *number)))
                {
                    self.note(
                        &turn,
                        "tool result",
                        "put in: the log has none for this call",
                    );
                    let name = Some(turn.calls[number].name.clone());
                    own.push(ChatTurn {
                        place: number,
                        name,
                        ..ChatTurn::says(Role::Tool, turn.message, NO_RESULT)
                    });
                }
            }
            all.push(turn);
            all.extend(own);
        }
        self.name_calls(&mut all);
        all
    }

    fn note(&mut self, turn: &ChatTurn, what: &str, why: &'static str) {
        self.notes.add(what, why, (0, turn.message));
    }

    /// Which calls are answered, and the calls that each result answers.
    fn match_results(&self, turns: &[ChatTurn]) -> (HashSet<At>, HashMap<usize, Vec<At>>) {
        let mut turn_of: HashMap<usize, usize> = HashMap::new();
        let (mut answered, mut owner) = (HashSet::new(), HashMap::new());
        let mut last_caller = None;
        for (at, turn) in turns.iter().enumerate() {
            if turn.role != Role::Tool {
                if !turn.calls.is_empty() {
                    last_caller = Some(at);
                }
                turn_of.extend(turn.calls.iter().map(|call| (call.origin.0, at)));
                continue;
            }
            let caller = turn
                .message
                .and_then(|index| self.view.transcript.caller_of(index))
                .and_then(|message| turn_of.get(&message).copied());
            let open = |at: usize| {
                let calls = turns[at]
                    .calls
                    .iter()
                    .enumerate()
                    .filter(|(number, _)| !answered.contains(&(at, *number)));
                calls.collect::<Vec<_>>()
            };
            let by_id = caller.and_then(|at| {
                Some((
                    at,
                    open(at)
                        .into_iter()
                        .find(|(_, call)| call.id.is_some() && call.id == turn.answers)?
                        .0,
                ))
            });
            let calls: Vec<At> = match (by_id, caller.or(last_caller)) {
                (Some(call), _) => vec![call],
                (None, Some(at)) => {
                    // By order: where either of them has no id.
                    let open: Vec<_> = open(at)
                        .into_iter()
                        .filter(|(_, call)| call.id.is_none() || turn.answers.is_none())
                        .collect();
                    let named = || {
                        open.iter()
                            .position(|(_, call)| turn.name.as_ref() == Some(&call.name))
                    };
                    let is_alone = turns.get(at + 2).is_none_or(|next| next.role != Role::Tool)
                        && turns
                            .get(at + 1)
                            .is_some_and(|next| next.role == Role::Tool);
                    match open.len() {
                        0 => Vec::new(),
                        several
                            if is_alone
                                && several > 1
                                && turn.answers.is_none()
                                && caller.is_some() =>
                        {
                            open.iter().map(|(number, _)| (at, *number)).collect()
                        }
                        several if turn.answers_each => open
                            .iter()
                            .take(several.min(turn.parts.len()))
                            .map(|(number, _)| (at, *number))
                            .collect(),
                        _ => {
                            let first = if caller.is_none() {
                                named().unwrap_or(0)
                            } else {
                                0
                            };
                            vec![(at, open[first].0)]
                        }
                    }
                }
                (None, None) => Vec::new(),
            };
            answered.extend(calls.iter().copied());
            if !calls.is_empty() {
                owner.insert(at, calls);
            }
        }
        (answered, owner)
    }

    /// Gives every call an id of its own, and its result the same.
    fn name_calls(&mut self, turns: &mut [ChatTurn]) {
        let Some(rule) = self.rules.ids else { return };
        let logged: HashSet<String> = turns
            .iter()
            .flat_map(|turn| turn.calls.iter().filter_map(|call| call.id.clone()))
            .collect();
        let mut given: HashSet<String> = HashSet::new();
        let mut ids: Vec<String> = Vec::new();
        let mut made_up = 0;
        for turn in turns {
            if turn.role == Role::Tool {
                turn.answers = ids.get(turn.place).cloned();
                continue;
            }
            let mut own = Vec::with_capacity(turn.calls.len());
            for number in 0..turn.calls.len() {
                let id = match turn.calls[number].id.clone().filter(|id| !id.is_empty()) {
                    Some(id) if rule.fits(&id) && !given.contains(&id) => id,
                    Some(id) => {
                        let why = if rule.fits(&id) {
                            "renumbered: another call has it"
                        } else {
                            "respelled: it has characters, or so many, that the target refuses"
                        };
                        self.note(turn, "call id", why);
                        rule.distinct(&id, |id| !given.contains(id) && !logged.contains(id))
                    }
                    None => {
                        self.note(turn, "call id", "made up: the log has none");
                        loop {
                            made_up += 1;
                            let id = format!("call_{made_up}");
                            if !given.contains(&id) && !logged.contains(&id) {
                                break id;
                            }
                        }
                    }
                };
                given.insert(id.clone());
                turn.calls[number].id = Some(id.clone());
                own.push(id);
            }
            if !own.is_empty() {
                ids = own;
            }
        }
    }
}

/// One result a call: of a result that answers several each gets its own part, where the parts can be told.
fn share_out(turn: ChatTurn, calls: &[At]) -> Vec<ChatTurn> {
    let [(_, first), ..] = calls else {
        return Vec::new();
    };
    if calls.len() == 1 {
        return vec![ChatTurn {
            place: *first,
            ..turn
        }];
    }
    let parts = if turn.answers_each {
        turn.parts.clone()
    } else {
        elements(&turn).unwrap_or_default()
    };
    let mut shares: Vec<Vec<ChatPart>> = calls
        .iter()
        .enumerate()
        .map(|(number, _)| parts.get(number).cloned().into_iter().collect())
        .collect();
    if parts.len() < calls.len() {
        shares = std::iter::once(turn.parts.clone())
            .chain(
                calls[1..]
                    .iter()
                    .map(|_| vec![ChatPart::Text(TOLD_BEFORE.into())]),
            )
            .collect();
    } else if let Some(last) = shares.last_mut() {
        last.extend_from_slice(&parts[calls.len()..]);
    }
    let share = |((_, number), parts): (&At, Vec<ChatPart>)| ChatTurn {
        place: *number,
        parts,
        name: None,
        ..turn.clone()
    };
    calls.iter().zip(shares).map(share).collect()
}

/// The elements of a result that is a JSON list: strings as their text, all else as JSON.
fn elements(turn: &ChatTurn) -> Option<Vec<ChatPart>> {
    let [ChatPart::Text(text)] = turn.parts.as_slice() else {
        return None;
    };
    let wtf8 = text.wtf8();
    let tree = JsonTree::new(&wtf8).ok()?;
    let element = |node: crate::format::tree::JsonNode<'_>| {
        let text = if node.is_kind(JsonKind::String) {
            EscapedText::of_literal(node.bytes())
        } else {
            EscapedText::of_wtf8(node.bytes())
        };
        ChatPart::Text(text)
    };
    tree.root()
        .is_kind(JsonKind::Array)
        .then(|| tree.root().items().map(element).collect())
}

impl IdRule {
    /// Whether the target takes such an id.
    fn fits(self, id: &str) -> bool {
        id.len() <= self.longest && id.chars().all(self.takes)
    }

    /// An id of its own, made of this one.
    fn distinct(self, id: &str, is_free: impl Fn(&str) -> bool) -> String {
        let spelled: String = id
            .chars()
            .map(|c| if (self.takes)(c) { c } else { '_' })
            .collect();
        let cut = |length: usize| {
            spelled
                .char_indices()
                .take_while(|(at, c)| at + c.len_utf8() <= length)
                .map(|(_, c)| c)
                .collect::<String>()
        };
        let plain = cut(self.longest);
        if is_free(&plain) {
            return plain;
        }
        let mut number = 2;
        loop {
            let ending = format!("_{number}");
            let id = cut(self.longest - ending.len()) + &ending;
            if is_free(&id) {
                return id;
            }
            number += 1;
        }
    }
}
