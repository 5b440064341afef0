//! Features of a reference and their weights.
//!
//! The weights are pulled towards those published with the summary's metric, learnt
//! on 243 sessions of tau-bench, SWE-agent and OpenHands: the sessions are too few
//! to start from nothing.
//!
//! Those for prose and code are learnt on SWE-agent, AutoCodeRover, SWE-smith, OpenHands,
//! Claude Code, Gemini CLI, OpenCode, pi and Cline, each with the same weight. They are the
//! mean of two fits: one over all references together, and one within each cut, which asks
//! only which of its references were needed. The second ranks the references of a kind of
//! session that it never saw about as well as those of the kinds that it was learnt on.
//! Those for records are learnt on tau-bench airline, single customers and eight in a row.

/// The features of a reference, as numbers from 0 to `FULL_FEATURE`.
pub(crate) type Features = [i32; FEATURE_NAMES.len()];

/// The full value of a feature.
pub(crate) const FULL_FEATURE: i32 = 64;

/// The names of the features, in their order.
pub(crate) const FEATURE_NAMES: [&str; 33] = [
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
    "crowded",       // logarithm of the references in the poorest message that names it
    "spoken",        // number of times that the assistant names it, 1 from four on
    "acronym",       // capital letters only
    "camel_case",    // letters with a capital inside
    "called",        // in a call, falling to 0 twenty messages before the last
];

/// The change of the log odds by the full value of each feature, and the log odds of a reference
/// without features, in thousandths.
#[derive(Debug)]
pub(crate) struct Weights {
    pub(crate) features: Features,
    pub(crate) base: i32,
}

/// The weights of conversations whose results are prose and code.
pub(crate) static PROSE_WEIGHTS: Weights = Weights {
    features: [
        -260, 890, 190, 30, 40, -90, -60, -540, 1140, 220, -340, 370, 800, -760, 280, -270, 20,
        -170, -1220, 530, 30, 360, 200, -230, -150, 450, -210, -270, -2850, 80, -60, 150, 70,
    ],
    base: -2300,
};

/// The weights of conversations whose results are records.
pub(crate) static RECORD_WEIGHTS: Weights = Weights {
    features: [
        -510, 870, 670, 40, 470, 590, -570, 100, 870, 640, -440, 1350, 230, -1540, 610, 20, 1530,
        -390, -2770, 400, 400, 890, 380, -300, -100, 190, -420, -400, -510, -200, 0, 0, 0,
    ],
    base: -4790,
};
