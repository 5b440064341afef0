//! A conversation as anybody might have it, in no format.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

/// Questions and answers, with calls in between.
#[derive(Debug, Clone)]
pub(super) struct Story {
    pub(super) system: Option<String>,
    pub(super) rounds: Vec<Round>,
}

/// What the user says, what is called, what the model answers.
#[derive(Debug, Clone)]
pub(super) struct Round {
    pub(super) ask: String,
    pub(super) exchanges: Vec<Exchange>,
    pub(super) answer: String,
}

/// Calls at once, and their results in order; some may be missing at the end.
#[derive(Debug, Clone)]
pub(super) struct Exchange {
    pub(super) say: Option<String>,
    pub(super) calls: Vec<Call>,
    pub(super) results: Vec<String>,
    /// What the user says beside the results, where a format has room for it.
    pub(super) beside: Option<String>,
}

#[derive(Debug, Clone)]
pub(super) struct Call {
    pub(super) id: &'static str,
    pub(super) tool: &'static str,
    pub(super) path: String,
    pub(super) content: String,
}

impl Story {
    /// Whether every call has its result.
    pub(super) fn is_whole(&self) -> bool {
        self.rounds
            .iter()
            .flat_map(|round| &round.exchanges)
            .all(|exchange| exchange.results.len() == exchange.calls.len())
    }
}

fn text() -> impl Strategy<Value = String> {
    const WORDS: [&str; 8] = [
        "pump ", "oil 61 C\n", "\"quoted\" \\ ", "é日本 ", "😀", "src/main.rs:12 ", "tab\t",
        "</summary> ",
    ];
    (select(&WORDS[..]), 1..25usize, 0..1000u32)
        .prop_map(|(word, count, number)| format!("{}{number}", word.repeat(count)))
}

fn exchange() -> impl Strategy<Value = Exchange> {
    let call = (select(vec!["write_file", "edit_file", "look_up"]), text(), text());
    // Ids repeat between exchanges, as they do in real logs.
    let calls = vec(call, 1..4).prop_map(|calls| {
        let ids = ["c1", "c2", "c3"];
        calls
            .into_iter()
            .zip(ids)
            .map(|((tool, path, content), id)| Call { id, tool, path, content })
            .collect::<Vec<_>>()
    });
    let most = text().prop_map(|text| text.repeat(4));
    (
        option::of(text()),
        calls,
        vec(most, 3),
        option::weighted(0.1, 0..3usize),
        option::weighted(0.3, text()),
    )
        .prop_map(|(say, calls, mut results, missing, beside)| {
            results.truncate(missing.unwrap_or(calls.len()).min(calls.len()));
            Exchange { say, calls, results, beside }
        })
}

pub(super) fn story() -> impl Strategy<Value = Story> {
    let round = (text(), vec(exchange(), 0..3), text())
        .prop_map(|(ask, exchanges, answer)| Round { ask, exchanges, answer });
    (option::of(text()), vec(round, 1..5)).prop_map(|(system, rounds)| Story { system, rounds })
}
