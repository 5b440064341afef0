//! OpenCode's rules, case by case: both sides of every constant and comparison.
//!
//! `fixtures/presets/opencode.jsonl` holds one case a line: a policy, messages (a content of `["x",
//! 5]` is that text five times), and what must come of it: the messages that are `pruned`, whether
//! the overflow trigger `fires`, the `first_kept` message of a compaction. It was written from
//! OpenCode's rules, with a model of them of its own.

mod decisions;
mod exports;
mod pruning;
mod replays;
mod summaries;
mod support;
