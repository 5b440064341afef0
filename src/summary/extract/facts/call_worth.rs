//! Weighs a call by what it does, by what came of it, and by how long ago it was made.

use super::call_effects::CallWeight;
use super::exchanges::Exchange;

/// The worth of a call in the newest message. That of others falls evenly to 0 in the first one.
const RECENCY: usize = 1800;
/// The worth of a call that changes or runs something, and of one whose name does not tell.
const CHANGE_WORTH: i32 = 2800;
const UNKNOWN_WORTH: i32 = 700;
/// The worth of a call that failed.
const FAILURE_WORTH: i32 = 700;
/// What the newest call is worth more, and besides if it failed. A few calls before, half of that is
/// left.
const NEWEST_WORTH: i32 = 3000;
const NEWEST_FAILURE_WORTH: i32 = 2500;
const CALLS_PER_HALF: usize = 6;
const MOST_HALVINGS: usize = 12;
/// What a call of a finished task is worth less.
const FINISHED_LOSS: i32 = 2500;

/// How long ago a call was made in its conversation.
pub(super) struct CallAge {
    /// Number of later calls.
    pub(super) age: usize,
    /// Number of messages of the conversation, and the index of the one that begins the current task.
    pub(super) message_count: usize,
    pub(super) begin: usize,
}

impl CallAge {
    /// Returns what a call of this age is worth.
    pub(super) fn worth_of(&self, exchange: &Exchange<'_>, weight: CallWeight) -> i32 {
        let recency = (exchange.message + 1) * RECENCY / self.message_count.max(1);
        let by_weight = match weight {
            CallWeight::Changes => CHANGE_WORTH,
            CallWeight::Unknown => UNKNOWN_WORTH,
            CallWeight::Looks => 0,
        };
        let by_failure = if exchange.failed {
            FAILURE_WORTH + self.left_of(NEWEST_FAILURE_WORTH)
        } else {
            0
        };
        let finished = if exchange.message < self.begin {
            FINISHED_LOSS
        } else {
            0
        };
        i32::try_from(recency).unwrap_or(i32::MAX)
            + by_weight
            + by_failure
            + self.left_of(NEWEST_WORTH)
            - finished
    }

    /// Returns what is left of a worth of the newest call.
    fn left_of(&self, worth: i32) -> i32 {
        worth >> (self.age / CALLS_PER_HALF).min(MOST_HALVINGS)
    }
}
