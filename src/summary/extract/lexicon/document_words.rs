//! Words about documents that a request names: what leaves the task to one, and what does not.

/// Words before the name of a document that leave the task to it, whatever else is to be changed.
pub(crate) const POINTING_WORDS: &[&str] = &[
    "according to",
    "based on",
    "described in",
    "do what",
    "execute",
    "follow",
    "following",
    "instructions in",
];

/// The same, unless the document is what is to be changed.
pub(crate) const WEAKLY_POINTING_WORDS: &[&str] = &[
    "complete",
    "implement",
    "per",
    "plan in",
    "spec in",
    "steps in",
    "task in",
    "tasks in",
    "work on",
    "work through",
];

/// Words before the name of a document that is to be changed.
pub(crate) const CHANGING_WORDS: &[&str] = &[
    "add", "append", "change", "create", "delete", "edit", "fix", "improve", "into", "remove",
    "rename", "rewrite", "update", "write",
];

/// Words in the name of a document that holds a task.
pub(crate) const TASK_FILE_WORDS: &[&str] = &[
    "instruction",
    "plan",
    "prd",
    "prompt",
    "requirement",
    "spec",
    "task",
    "ticket",
    "todo",
];

/// Words behind the name of such a document that say to do what it says.
pub(crate) const ACTING_WORDS: &[&str] = &[
    "begin",
    "carry out",
    "do it",
    "do so",
    "do that",
    "do what",
    "execute",
    "follow",
    "get going",
    "implement",
    "start",
    "work through",
];
