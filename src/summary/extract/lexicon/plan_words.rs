//! Words of requests about a plan that the assistant wrote.

/// What a request says to do with a plan.
pub(crate) const PLAN_ACTIONS: &[&str] = &[
    "implement",
    "execute",
    "follow",
    "proceed",
    "go ahead",
    "go with",
    "approve",
    "approved",
    "carry out",
    "run with",
];

/// Words of a request that ends a plan.
pub(crate) const PLAN_ENDS: &[&str] = &[
    "stop",
    "undo",
    "revert",
    "drop",
    "forget",
    "cancel",
    "never mind",
];

/// What a report says at its beginning that proposes something.
pub(crate) const PROPOSAL_WORDS: &[&str] = &[
    "plan",
    "approach",
    "option",
    "options",
    "recommend",
    "recommendation",
    "recommendations",
    "propose",
    "proposal",
    "proposed",
    "suggest",
    "suggestion",
    "suggestions",
];

/// What the status of a row says that is not done.
pub(crate) const DENIED_WORDS: &[&str] = &[
    "not", "no", "failed", "fails", "refused", "blocked", "pending", "todo", "open", "missing",
    "skipped", "partial", "wip", "❌", "✗", "⏳", "🔴",
];

/// What a question says that asks for leave to do what stands before it.
pub(crate) const LEAVE_WORDS: &[&str] = &[
    "shall i",
    "should i",
    "go ahead",
    "proceed",
    "may i",
    "sound good",
    "okay to",
    "ok to",
];

/// What a request says that does not go on with a plan as it is.
pub(crate) const PLAN_DENIALS: &[&str] = &[
    "start over",
    "bad",
    "wrong",
    "change",
    "revise",
    "update",
    "instead",
    "only",
    "except",
    "not",
];

/// What a heading says above what nobody has seen yet: what is expected, or is to be tried.
pub(crate) const UNTRIED_HEADING_WORDS: &[&str] = &[
    "indicator",
    "indicators",
    "expected result",
    "expected results",
    "expected outcome",
    "expected behavior",
    "what to expect",
    "to observe",
    "look for",
    "watch for",
    "should see",
    "should happen",
    "how to test",
    "to test it",
    "testing steps",
    "test steps",
    "test plan",
    "manual test",
    "manual testing",
    "if it works",
    "if this works",
    "if successful",
    "report back",
    "please report",
];
