//! What the ledger of calls is written for, and what it knows of newer calls.

use super::exchanges::Exchanges;
use super::fact::Fact;
use super::question_answers::UserAnswer;
use hashbrown::{HashMap, HashSet};

/// What the calls of a conversation are listed for.
pub(crate) struct LedgerScope<'s> {
    /// Indices of the calls that the records tell.
    pub(crate) told: &'s HashSet<usize>,
    /// What the user answered to questions of tools, which stands with the wishes.
    pub(crate) answers: &'s [UserAnswer],
    /// Most results are records.
    pub(crate) is_tabular: bool,
    /// Number of messages of the conversation, and the index of the one that begins the current task.
    pub(crate) message_count: usize,
    pub(crate) begin: usize,
    /// The names of the files whose edits stand elsewhere.
    pub(crate) digested: &'s HashSet<String>,
    /// Maximum number of calls.
    pub(crate) most: usize,
    /// The messages that stay hold later calls.
    pub(crate) goes_on: bool,
}

/// The calls so far, newest first.
pub(super) struct CallLedger<'l, 'r> {
    pub(super) calls: &'l Exchanges<'r>,
    pub(super) scope: LedgerScope<'l>,
    pub(super) facts: Vec<Fact>,
    /// Indices into `facts` by the beginnings of the lines.
    pub(super) lines: HashMap<String, usize>,
    /// The programs, with their first operands, whose newer runs counted something.
    pub(super) counted: HashSet<String>,
    /// A newer call counted tests.
    pub(super) is_counted: bool,
    /// How newer calls failed.
    pub(super) failures: HashSet<String>,
    /// The files that newer calls edited.
    pub(super) edited: HashSet<String>,
    /// Number of looks, and of commits.
    pub(super) looks: usize,
    pub(super) commits: u32,
    /// A newer call made something elsewhere.
    pub(super) is_outward_told: bool,
    /// A newer call edited a file.
    pub(super) edits_later: bool,
    /// A newer call commits, perhaps without a message.
    pub(super) commits_later: bool,
    /// The folder in which a newer call took back all that was not committed. The inner value is `None`
    /// for any.
    pub(super) undone: Option<Option<String>>,
}
