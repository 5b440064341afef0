//! `epitome replay`: every model call of a log, as a policy would have sent it.

mod cache;
mod calls;
mod eviction;
mod patched_calls;
mod policies;
mod pruned_results;
mod pruning;
mod sample_length;
mod sample_messages;
mod samples;
mod support;
