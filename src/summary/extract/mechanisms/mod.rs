//! The mechanisms: each reads the session and offers lines of its kind. None knows another, and none
//! decides what stands in the summary: `choose` does.

mod calls;
mod constraints;
mod earlier;
mod errors;
mod files;
mod findings;
mod outcomes;
mod records;
mod references;
mod requests;
mod rows;
mod steps;

use super::choose::Candidate;
use super::session::Reading;
use super::switches::Mechanism;

/// Collects the lines of all mechanisms that are switched on.
pub(super) fn collect_candidates<'s>(
    reading: &'s Reading<'s>,
    values: &[i64],
) -> Vec<Candidate<'s>> {
    let mut lines = Vec::new();
    let mut offer =
        |mechanism: Mechanism, offered: fn(&'s Reading<'s>, &[i64], &mut Vec<Candidate<'s>>)| {
            if !mechanism.is_off() {
                offered(reading, values, &mut lines);
            }
        };
    offer(Mechanism::Requests, requests::offer);
    offer(Mechanism::Constraints, constraints::offer);
    offer(Mechanism::Earlier, earlier::offer);
    offer(Mechanism::Calls, calls::offer);
    offer(Mechanism::Records, records::offer);
    offer(Mechanism::Findings, findings::offer);
    offer(Mechanism::Errors, errors::offer);
    offer(Mechanism::Files, files::offer);
    offer(Mechanism::Steps, steps::offer);
    offer(Mechanism::References, references::offer);
    lines
}
