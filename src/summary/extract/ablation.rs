//! Rules of the embedded summarizer that a build for measurements can switch off, so that
//! `scripts/ablate.py` prints what each of them wins.

/// A rule that can be switched off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SummaryRule {
    /// The choice among the sentences of a long request.
    LongRequests,
    /// What a long request says of the work in hand weighs more.
    FocusWords,
    /// What a harness says around a request: limits, last steps and tips.
    FrameRules,
    /// What the user said once for all that follows.
    StandingWishes,
    /// What the form of an issue tracker adds to a request is left out.
    IssueForms,
    /// Quotations of the user besides the goal and the newest request.
    Quotations,
    /// Requests that others repeat are left out.
    RepeatedRequests,
    /// Sentences in which the assistant finds or decides something.
    Findings,
    /// The ledger of calls.
    Calls,
    /// The line of the commands that were run most.
    FrequentCommands,
    /// The worth of commits.
    Commits,
    /// What the files define that the agent wrote.
    Definitions,
    /// What files hold that were read.
    Outlines,
    /// Lines of results in which references stand.
    Passages,
    /// Tables of records.
    Records,
    /// Rows without their long lists.
    ShortRecords,
    /// The floor of rows where results are records.
    RecordFloors,
    /// Error lines.
    Errors,
    /// Errors whose call worked later stand last.
    WorkedLater,
    /// The list of files.
    Files,
    /// Folders that paths share are written once.
    SharedFolders,
    /// The list of references.
    References,
    /// The weight of the company of a reference.
    Crowding,
    /// The state at the end.
    State,
}

/// The names of the rules that are switched off, with commas between them.
#[cfg(feature = "benching")]
static SWITCHED_OFF: std::sync::OnceLock<String> = std::sync::OnceLock::new();

/// Switches rules off for the rest of the run. The first call counts.
#[cfg(feature = "benching")]
pub(crate) fn switch_off(rules: String) {
    SWITCHED_OFF.get_or_init(|| rules);
}

impl SummaryRule {
    /// Returns true if the rule is switched off.
    #[cfg(feature = "benching")]
    pub(crate) fn is_off(self) -> bool {
        SWITCHED_OFF
            .get()
            .is_some_and(|rules| rules.split(',').any(|name| name == format!("{self:?}")))
    }

    /// Returns false: only builds with the feature `benching` switch rules off.
    #[cfg(not(feature = "benching"))]
    pub(crate) const fn is_off(self) -> bool {
        false
    }
}
