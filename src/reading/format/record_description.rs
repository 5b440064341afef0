//! A short description of a record's content, for messages about records of no known format.

use crate::base::foreign_text::shorten_value;
use crate::reading::format::foreign_log::{ForeignLog, recognize_foreign_log};
use crate::reading::format::tree::JsonTree;
use crate::reading::json::{JsonKind, decode_literal};

/// The most keys that are named.
const MAX_KEYS: usize = 10;
/// The most characters of a key or another name that are shown.
const MAX_NAME_CHARS: usize = 40;

/// Returns a name from a log as messages show it: its secrets masked, escaped, and cut.
pub(crate) fn shown_name(name: &str) -> String {
    let name = shorten_value(name);
    name.escape_debug().take(MAX_NAME_CHARS).collect()
}

/// Describes a record by the program whose log it is, if that is known, and else by its keys, or by
/// those of the first object if it is a list.
pub(crate) fn describe_record(record: &[u8]) -> String {
    let Ok(tree) = JsonTree::new(record) else {
        return "it is not JSON".to_owned();
    };
    let root = tree.root();
    if let Some(log) = recognize_foreign_log(root) {
        let ForeignLog { name, remedy, .. } = log;
        return format!("it is {name}, which is not read: {remedy}");
    }
    let (node, whose) = match root.items().next() {
        Some(first) => (first, "a list whose first element has the keys"),
        None => (root, "its keys"),
    };
    let mut keys: Vec<String> =
        node.entries().map(|(key, _)| shown_name(&decode_literal(key.slice(record)))).collect();
    if keys.len() > MAX_KEYS {
        keys.truncate(MAX_KEYS);
        keys.push("…".to_owned());
    }
    match root.kind() {
        JsonKind::Object if keys.is_empty() => "it has no keys".to_owned(),
        JsonKind::Object | JsonKind::Array if !keys.is_empty() => {
            format!("{whose}: {}", keys.join(", "))
        }
        JsonKind::Array => "it is a list without objects".to_owned(),
        kind => format!("it is {}, no object with keys", kind.noun()),
    }
}
