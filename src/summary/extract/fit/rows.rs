//! Rows of features and what came of them, for the cuts of a session.

use super::shares;
use crate::summary::extract::choose::Measures;
use crate::summary::extract::choose::weights::{LINE_FEATURES, NAME_FEATURES};
use crate::summary::extract::mechanisms::collect_candidates;
use crate::summary::extract::prelude::*;
use crate::summary::extract::session::{read_session, read_texts};

/// A name before a cut.
#[derive(Debug)]
pub(crate) struct NameRow {
    pub features: [f32; NAME_FEATURES.len()],
    pub is_needed: bool,
    /// How many names it stands for.
    pub weight: f32,
}

/// A line that a summary at a cut could have.
#[derive(Debug)]
pub(crate) struct LineRow {
    pub features: [f32; LINE_FEATURES.len()],
    /// How many of its rare words the assistant used later.
    pub used: f32,
    /// How many lines it stands for.
    pub weight: f32,
}

#[derive(Debug, Default)]
pub(crate) struct CutRows {
    pub names: Vec<NameRow>,
    pub lines: Vec<LineRow>,
}

/// The messages before a cut that stay.
const KEPT: usize = 4;
/// A session is cut where this much of it is past, in hundredths; a long one also in between.
const CUTS: [usize; 3] = [40, 60, 80];
const CUTS_OF_LONG: [usize; 7] = [30, 40, 50, 60, 70, 80, 90];
const LONG: usize = 120;
/// The shortest session, and the least messages to summarise.
const SHORTEST: usize = 10;
const LEAST_SUMMARIZED: usize = 3;
/// The most names that are not needed, and the most lines, of a cut. The others are left out evenly.
const MOST_NAMES: usize = 250;
const MOST_LINES: usize = 220;
/// The most used words of a line that count, and what a call is worth whose needed names it all has.
const MOST_USED: i64 = 8_000;
const CALL_WORTH: i64 = 1_500;

/// Returns the rows of a session's cuts. `system` is the number of messages of the system prompt.
pub(crate) fn session_cuts(
    turns: &[ViewedTurn<'_>],
    system: usize,
    weights: &Weights,
) -> Vec<CutRows> {
    let all = turns.len() - system;
    if all < SHORTEST {
        return Vec::new();
    }
    let shares: &[usize] = if all < LONG { &CUTS } else { &CUTS_OF_LONG };
    let mut cuts: Vec<usize> = Vec::new();
    for share in shares {
        let mut end = system + all * share / 100;
        while end < turns.len() && turns[end].role != Role::Assistant {
            end += 1;
        }
        if end < turns.len() && !cuts.contains(&end) {
            cuts.push(end);
        }
    }
    cuts.into_iter().filter_map(|end| cut_rows(turns, system, end, weights)).collect()
}

fn cut_rows(
    turns: &[ViewedTurn<'_>],
    system: usize,
    end: usize,
    weights: &Weights,
) -> Option<CutRows> {
    let mut tail = end.saturating_sub(KEPT);
    while tail > system && turns[tail].role.is_result() {
        tail -= 1;
    }
    if tail < system + LEAST_SUMMARIZED {
        return None;
    }
    let kept: Vec<ViewedTurn<'_>> =
        turns[tail..end].iter().chain(&turns[..system]).cloned().collect();
    let session = read_session(&turns[system..tail]);
    let reading = read_texts(&session, &kept);
    let measures = Measures::new(&reading);
    let values = measures.name_values(weights);
    let needs = Needs::read(&turns[end..]);
    let mut rows = CutRows::default();
    push_names(&reading, &measures, &needs, &mut rows);
    let lines = collect_candidates(&reading, &values);
    let terms = TermsOfLines::read(&lines, &reading.glossary);
    let sentences: Vec<usize> =
        (0..lines.len()).filter(|&at| lines[at].kind <= Kind::Earlier).collect();
    let step = sentences.len().div_ceil(MOST_LINES).max(1);
    for at in sentences.into_iter().step_by(step) {
        let line = &lines[at];
        rows.lines.push(LineRow {
            features: shares(measures.of_line(line, at, &terms, &values)),
            used: used_words(line, &reading, &needs),
            weight: step as f32,
        });
    }
    Some(rows)
}

fn push_names(reading: &Reading<'_>, measures: &Measures<'_>, needs: &Needs, rows: &mut CutRows) {
    let glossary = &reading.glossary;
    let is_needed = |name: &Name<'_>| needs.names.contains_key(&name.symbol);
    let names = glossary.names.iter();
    let names: Vec<&Name<'_>> = names.filter(|name| !glossary.is_known(name)).collect();
    let needed = names.iter().filter(|name| is_needed(name)).count();
    let step = (names.len() - needed).div_ceil(MOST_NAMES).max(1);
    let mut others = 0;
    for name in names {
        let is_needed = is_needed(name);
        others += usize::from(!is_needed);
        if is_needed || others % step == 0 {
            let weight = if is_needed { 1.0 } else { step as f32 };
            rows.names.push(NameRow {
                features: shares(measures.of_name(name)),
                is_needed,
                weight,
            });
        }
    }
}

/// Returns how many rare words of a line the assistant used later that no kept message has.
fn used_words(line: &Candidate<'_>, reading: &Reading<'_>, needs: &Needs) -> f32 {
    let glossary = &reading.glossary;
    let mut words: SymbolMap<()> = SymbolMap::default();
    let mut used = 0;
    visit_tokens(&line.text, &mut |token| {
        if words.insert(token.symbol, ()).is_none() && needs.words.contains_key(&token.symbol) {
            let place = glossary.find(token.symbol).unwrap_or(glossary.len());
            // A word of the kept messages links the line to them.
            let links = i64::from(glossary.says_kept(token.symbol));
            used += i64::from(glossary.word(place).rarity) / (1 + links);
        }
    });
    for call in &needs.calls {
        let needed: Vec<&Symbol> = call
            .iter()
            .filter(|&&symbol| {
                needs.names.contains_key(&symbol)
                    && glossary.name_place(symbol).is_some()
                    && !glossary.says_kept(symbol)
            })
            .collect();
        if needed.len() >= 2 && needed.iter().all(|symbol| words.contains_key(*symbol)) {
            used += CALL_WORTH;
        }
    }
    used.min(MOST_USED) as f32 / 1000.0
}

/// What is written behind a cut.
#[derive(Debug, Default)]
struct Needs {
    /// Names that the assistant writes before anybody else says them again.
    names: SymbolMap<()>,
    words: SymbolMap<()>,
    /// The names in the arguments of each call.
    calls: Vec<Vec<Symbol>>,
}

/// The most bytes of a text that are read.
const MOST_BYTES: usize = 20_000;

impl Needs {
    /// Reads the messages behind a cut.
    fn read(turns: &[ViewedTurn<'_>]) -> Self {
        let mut needs = Self::default();
        let mut said: SymbolMap<()> = SymbolMap::default();
        for turn in turns {
            let is_assistant = turn.role == Role::Assistant;
            let mut names = Vec::new();
            let text = &turn.text[..floor_char(&turn.text, MOST_BYTES)];
            let mut read = |text: &str, names: &mut Vec<Symbol>| {
                visit_tokens(text, &mut |token| {
                    if is_assistant {
                        needs.words.insert(token.symbol, ());
                    }
                    if token.kind != TokenKind::Word {
                        names.push(token.symbol);
                    }
                });
            };
            read(text, &mut names);
            for call in &turn.calls {
                let mut of_call = Vec::new();
                let raw = String::from_utf8_lossy(&call.arguments);
                match parse_json(&raw) {
                    Some(json) => json.visit_leaves("", &mut |_, leaf| read(leaf, &mut of_call)),
                    None => read(&raw, &mut of_call),
                }
                names.extend(&of_call);
                needs.calls.push(of_call);
            }
            if is_assistant {
                for name in &names {
                    if !said.contains_key(name) {
                        needs.names.insert(*name, ());
                    }
                }
            }
            said.extend(names.into_iter().map(|name| (name, ())));
        }
        needs
    }
}
