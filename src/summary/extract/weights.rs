//! What makes it likely that an identifier will be needed again.

/// What is known of one identifier, as numbers from 0 to `ONE`.
pub(super) type Features = [i32; NAMES.len()];

/// A feature's full value.
pub(super) const ONE: i32 = 64;

/// The features, in their order.
pub(super) const NAMES: [&str; 28] = [
    "seen",
    "recency",
    "in_call",
    "in_user",
    "in_assistant",
    "in_result",
    "messages",
    "result_only",
    "path",
    "code",
    "number",
    "quoted",
    "other",
    "words",
    "in_last_4",
    "in_last_10",
    "in_last_30",
    "last_message",
    "length",
    "long",
    "linked",
    "linked_used",
    "keyed",
    "key_from_call",
    "key_used",
    "first_message",
    "user_only",
    "once",
];

/// Weights in thousandths of a natural logarithm of the odds, for the full value of each feature.
pub(super) const WEIGHTS: Features =
    [-430, 1577, 783, 75, 755, 591, -460, -575, 1058, 1010, -566, 1487, 0, -1500, 1201, 0, 0, 0, -3592, 0, 47, 989, 0, 0, 0, 0, 0, 0];
