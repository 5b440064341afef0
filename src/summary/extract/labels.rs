//! Labels of the lines that a summary is written in and read back from.

/// Before a quotation of the user.
pub(crate) const USER_QUOTE: &str = "> ";
/// The line before the quotations of the user.
pub(crate) const USER_HEADING: &str = "User, newest first:";
/// Before the tools that were called.
pub(crate) const DONE: &str = "Done: ";
/// Before prose of an earlier summary.
pub(crate) const EARLIER: &str = "Earlier: ";
/// Before the user's last request, if nobody answered it.
pub(crate) const NOT_ANSWERED: &str = "Not answered yet: ";
/// Before the todos that are open.
pub(crate) const OPEN_TODOS: &str = "Open: ";
/// Before the last call and its result.
pub(crate) const LAST_ACTION: &str = "Last action: ";
/// Before the last words of the assistant.
pub(crate) const LAST_REPLY: &str = "Last reply: ";
/// In place of the key of references that have none.
pub(crate) const NO_KEY: &str = "also";
