//! The values of a record that its reader asks for. Those that hold something and that nobody asks
//! for are unread, which the cases in `fixtures/told` show for every log.

use crate::reading::format::message_builder::filled_keys;
use crate::reading::format::tree::JsonNode;
use std::cell::RefCell;
use std::collections::{BTreeSet, HashSet};

/// Values by the addresses and lengths of their bytes.
type Values = HashSet<(usize, usize)>;

#[derive(Default)]
struct AskedValues {
    asked: Values,
    /// Those whose bytes were taken, with all that they hold.
    whole: Values,
}

thread_local! {
    /// The values, while they are watched.
    static ASKED: RefCell<Option<AskedValues>> = const { RefCell::new(None) };
}

fn address_of(value: JsonNode<'_>) -> (usize, usize) {
    let bytes = value.span().slice(value.record_bytes());
    (bytes.as_ptr() as usize, bytes.len())
}

/// Notes that a value was asked for.
pub(super) fn note_asked(value: JsonNode<'_>) {
    note(|values| &mut values.asked, value);
}

/// Notes that the bytes of a value were taken.
pub(super) fn note_whole(value: JsonNode<'_>) {
    note(|values| &mut values.whole, value);
}

fn note(set: impl Fn(&mut AskedValues) -> &mut Values, value: JsonNode<'_>) {
    ASKED.with_borrow_mut(|values| {
        if let Some(values) = values {
            set(values).insert(address_of(value));
        }
    });
}

/// Runs what asks for values, and returns the places in records that nobody asked for.
pub(super) fn unread_after(run: impl FnOnce(), records: &[JsonNode<'_>]) -> BTreeSet<String> {
    ASKED.set(Some(AskedValues::default()));
    run();
    let values = ASKED.take().unwrap_or_default();
    let mut places = BTreeSet::new();
    for record in records {
        values.find_unread(*record, "", &mut places);
    }
    places
}

impl AskedValues {
    /// Adds the places below `path`. A value of which nothing was asked for is read as a whole.
    fn find_unread(&self, node: JsonNode<'_>, path: &str, places: &mut BTreeSet<String>) {
        if self.whole.contains(&address_of(node)) {
            return;
        }
        for item in node.items() {
            self.find_unread(item, path, places);
        }
        for (key, value) in filled_keys(node, &[]) {
            let path = match path {
                "" => key,
                path => format!("{path}.{key}"),
            };
            if !self.asked.contains(&address_of(value)) {
                places.insert(path);
            } else if self.is_asked_below(value) {
                self.find_unread(value, &path, places);
            }
        }
    }

    fn is_asked_below(&self, node: JsonNode<'_>) -> bool {
        let mut below = node.items().chain(node.members().map(|(_, value)| value));
        below.any(|it| self.asked.contains(&address_of(it)) || self.is_asked_below(it))
    }
}
