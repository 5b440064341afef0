//! Errors in results. They come from results only, and those that were overcome are gone.

use super::outcomes::{brief, is_error_line, said_lines};
use crate::summary::extract::choose::{Candidate, Kind, Signs};
use crate::summary::extract::session::{Call, Effect, Reading, SymbolMap};
use crate::summary::extract::text::symbol_of;
use std::borrow::Cow;

/// The longest error in bytes.
const LONGEST: usize = 200;
/// The most errors that are offered, and the most of one result.
const MOST: usize = 30;
const MOST_OF_RESULT: usize = 2;

/// Offers the newest errors of calls that failed or ran something.
pub(crate) fn offer<'s>(reading: &'s Reading<'s>, _: &[i64], lines: &mut Vec<Candidate<'s>>) {
    let calls = &reading.session.calls;
    let mut worked: SymbolMap<()> = SymbolMap::default();
    let mut seen: SymbolMap<()> = SymbolMap::default();
    let mut left = MOST;
    for (number, call) in calls.iter().enumerate().rev() {
        let Some(result) = &call.result else { continue };
        let program = symbol_of(program_of(call));
        if !call.failed() {
            worked.insert(program, ());
        }
        let may_report = call.failed() || call.effect == Effect::Run;
        if left == 0
            || !may_report
            || result.json.is_some()
            || call.failed() && worked.contains_key(&program)
        {
            continue;
        }
        let all = said_lines(result);
        let errors = all
            .iter()
            .rev()
            .filter(|line| is_error_line(line))
            .take(MOST_OF_RESULT);
        for (place, error) in errors.enumerate() {
            if seen.insert(error_symbol(error), ()).is_some() {
                continue;
            }
            left = left.saturating_sub(1);
            let signs = Signs {
                number,
                of: calls.len(),
                failed: true,
                is_newest: left + 1 == MOST,
                ..Signs::default()
            };
            let text = Cow::Owned(brief(error, LONGEST).into_owned());
            lines.push(Candidate::new(
                Kind::Error,
                (result.message, place),
                text,
                signs,
                reading,
            ));
        }
    }
}

/// Returns what an error shares with the same one elsewhere: its text without digits.
fn error_symbol(error: &str) -> crate::summary::extract::text::Symbol {
    let text: String = error.chars().filter(|c| !c.is_ascii_digit()).collect();
    symbol_of(&text)
}

/// Returns what a call runs: the program of its command, else the tool.
fn program_of<'c>(call: &'c Call<'_>) -> &'c str {
    match &call.command {
        Some(command) => command
            .split("&&")
            .last()
            .unwrap_or_default()
            .split_whitespace()
            .next()
            .unwrap_or_default(),
        None => &call.tool,
    }
}
