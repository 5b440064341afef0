//! Features of a reference and their weights.
//!
//! The weights begin with those published with the summary's metric, learnt on 243
//! sessions of tau-bench, SWE-agent and OpenHands. They were moved half of the way
//! to the weights that `scripts/refit-weights.py` learnt on 647 cuts of tau-bench
//! airline (single customers and eight in a row), SWE-agent, pi, Claude Code and
//! Glaive sessions, with the same weight for each data set.
//!
//! Learnt without a data set, they rank the references that it needs as well as the
//! published weights do. Learnt without the pull towards the published weights, they
//! rank worse: the sessions are too few to start from nothing.

/// The features of a reference, as numbers from 0 to `FULL_FEATURE`.
pub(crate) type Features = [i32; FEATURE_NAMES.len()];

/// The full value of a feature.
pub(crate) const FULL_FEATURE: i32 = 64;

/// The names of the features, in their order.
pub(crate) const FEATURE_NAMES: [&str; 28] = [
    "seen",          // logarithm of the number of times it is named, 1 from 19 on
    "recency",       // position of the last message that names it
    "in_call",       // in a call's argument
    "in_user",       // in the user's words
    "in_assistant",  // in the assistant's words
    "in_result",     // in a tool's result
    "messages",      // number of messages that name it, 1 from four on
    "result_only",   // only in results
    "path",          // a path, file name, URL or address
    "code",          // letters with digits or underscores
    "number",        // a number
    "quoted",        // in quotation marks
    "other",         // a date, an acronym or the complete value of an argument
    "words",         // an everyday phrase
    "in_last_4",     // 1 in the last message, falling to 0 four messages before
    "in_last_10",    // over ten messages
    "in_last_30",    // over thirty messages
    "last_message",  // in the last message
    "length",        // 1 from 40 characters on
    "long",          // 1 from 72 characters on, 0 up to 12
    "linked",        // its messages share references with those that stay
    "linked_used",   // `linked` if a call or the user named it
    "keyed",         // it has a key
    "key_from_call", // the key is an argument's name
    "key_used",      // share of the key's values that were used in calls
    "first_message", // in the first message
    "user_only",     // only in the user's words
    "once",          // named a single time
];

/// The change of the log odds by the full value of each feature, in thousandths.
pub(crate) const WEIGHTS: Features = [
    -410, 1256, 887, -63, 486, 596, -472, -245, 967, 787, -450, 1298, 190, -1490, 872, -68, 569,
    -58, -3034, 352, 207, 778, 275, -146, 38, 84, -422, -216,
];
