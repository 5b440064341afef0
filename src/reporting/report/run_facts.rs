//! The facts about a run that its page shows: what was run, when, on what, by which policy.

/// What was run.
#[derive(Debug, Clone)]
pub(crate) struct RunFacts {
    /// The command, as `epitome compact`.
    pub command: String,
    /// The time at which it began, as in `2026-11-29T01:25:39Z`.
    pub time: String,
    /// The inputs as the user named them.
    pub inputs: Vec<String>,
    /// True if the data on the run are part of `report.json`. Otherwise that depends on the records
    /// and the policy only, as the rows of `stream` do.
    pub is_reported: bool,
    /// The policy as TOML.
    pub policy: String,
}
