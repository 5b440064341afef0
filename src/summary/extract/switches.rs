//! The mechanisms of the embedded summarizer, which a build for measurements can switch off:
//! `scripts/ablate.py` prints what each of them wins.

/// A mechanism that can be switched off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mechanism {
    /// What the user asked for.
    Requests,
    /// What the user forbids, requires, prefers or sets.
    Constraints,
    /// What earlier summaries say.
    Earlier,
    /// Calls with their outcomes.
    Calls,
    /// Records with their newest state.
    Records,
    /// Sentences in which the assistant finds or decides something.
    Findings,
    /// Errors in results.
    Errors,
    /// Files written, read and deleted.
    Files,
    /// Lists of todos.
    Steps,
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
