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
