//! What makes it likely that an identifier will be needed again.
//!
//! Origin of the weights: those published with the metric (spec: summary,
//! "Recommended embedded summariser"), learnt on 243 sessions of tau-bench,
//! SWE-agent and OpenHands; moved half of the way to what
//! `scripts/refit-weights.py` learnt on 647 cuts of tau-bench airline (alone and
//! eight customers in a row), SWE-agent, pi, Claude Code and Glaive sessions, each
//! data set weighing the same. Learnt without a data set they rank what it needs
//! as well as the published ones do; learnt freely, without the pull towards
//! those, worse: there are too few sessions to start from nothing.

/// What is known of one identifier, as numbers from 0 to `ONE`.
pub type Features = [i32; NAMES.len()];

/// A feature's full value.
pub const ONE: i32 = 64;

/// The features, in their order.
pub const NAMES: [&str; 28] = [
    "seen",          // logarithm of how often, 1 from 19 times on
    "recency",       // how far into the conversation it was last seen
    "in_call",       // in a tool's argument
    "in_user",       // in the user's words
    "in_assistant",  // in the assistant's words
    "in_result",     // in a tool's result
    "messages",      // how many messages name it, 1 from four on
    "result_only",   // in nothing but results
    "path",          // a path, file name, URL or address
    "code",          // letters with digits or underscores
    "number",        // a number
    "quoted",        // in quotation marks
    "other",         // a date, an acronym, an argument's whole value
    "words",         // an everyday phrase
    "in_last_4",     // 1 in the last message, falling to 0 four messages before
    "in_last_10",    // the same over ten
    "in_last_30",    // the same over thirty
    "last_message",  // in the last message
    "length",        // 1 from 40 characters on
    "long",          // 1 from 72 characters on, 0 up to 12
    "linked",        // its messages name what stays in the conversation
    "linked_used",   // the same, if it was used in a call or by the user
    "keyed",         // it has a key
    "key_from_call", // the key is an argument's name
    "key_used",      // share of the key's values that were used in calls
    "first_message", // in the first message
    "user_only",     // in nothing but the user's words
    "once",          // seen once
];

/// Weights in thousandths of a natural logarithm of the odds, for the full value of each feature.
pub(crate) const WEIGHTS: Features = [
    -410, 1256, 887, -63, 486, 596, -472, -245, 967, 787, -450, 1298, 190, -1490, 872, -68, 569,
    -58, -3034, 352, 207, 778, 275, -146, 38, 84, -422, -216,
];
