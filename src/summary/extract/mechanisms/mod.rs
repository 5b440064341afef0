//! The mechanisms: each reads the session and offers lines of its kind. None knows another, and none
//! decides what is in the summary: `choose` does.

pub(super) mod calls;
pub(super) mod earlier;
mod files;
mod findings;
mod outcomes;
mod records;
mod requests;
mod rows;

use crate::summary::extract::prelude::*;

/// Offers lines of a mechanism; the numbers are what each name is worth.
type Offer<'s> = fn(&'s Reading<'s>, &[i64], &mut Vec<Candidate<'s>>);

/// Collects the lines of all mechanisms that are switched on.
pub(super) fn collect_candidates<'s>(
    reading: &'s Reading<'s>,
    values: &[i64],
) -> Vec<Candidate<'s>> {
    let offers: [(Mechanism, Offer<'s>); 8] = [
        (Mechanism::Requests, requests::offer),
        (Mechanism::Constraints, requests::offer_constraints),
        (Mechanism::Earlier, earlier::offer),
        (Mechanism::Calls, calls::offer),
        (Mechanism::Records, records::offer),
        (Mechanism::Findings, findings::offer),
        (Mechanism::Files, files::offer),
        (Mechanism::References, files::offer_names),
    ];
    let mut lines = Vec::new();
    for (_, offer) in offers.iter().filter(|(mechanism, _)| !mechanism.is_off()) {
        offer(reading, values, &mut lines);
    }
    lines
}

/// A mechanism that can be switched off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mechanism {
    /// What the user asked for.
    Requests,
    /// What the user forbids, requires, prefers or sets.
    Constraints,
    /// What earlier summaries say.
    Earlier,
    Calls,
    /// Records with their newest state.
    Records,
    /// Sentences in which the assistant finds or decides something.
    Findings,
    /// Files written, read and deleted.
    Files,
    /// Single names.
    References,
}

/// The names of the mechanisms that are switched off, with commas between them.
#[cfg(feature = "benching")]
static SWITCHED_OFF: std::sync::OnceLock<String> = std::sync::OnceLock::new();

/// Switches mechanisms off for the rest of the run. The first call counts.
#[cfg(feature = "benching")]
pub(crate) fn switch_off(mechanisms: String) {
    SWITCHED_OFF.get_or_init(|| mechanisms);
}

impl Mechanism {
    /// Returns true if the mechanism is switched off.
    #[cfg(feature = "benching")]
    pub(crate) fn is_off(self) -> bool {
        SWITCHED_OFF
            .get()
            .is_some_and(|names| names.split(',').any(|name| name == format!("{self:?}")))
    }

    /// Returns false: only builds with the feature `benching` switch mechanisms off.
    #[cfg(not(feature = "benching"))]
    pub(crate) const fn is_off(self) -> bool {
        false
    }
}
