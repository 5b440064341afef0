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
    /// The policy as TOML.
    pub policy: String,
}
