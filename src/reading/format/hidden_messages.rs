//! Messages that Roo Code keeps in its history and no longer sends: each names the summary, or the
//! mark of a truncation, that hides it as long as it is in the list.

use crate::reading::format::prelude::*;

/// The key of a hidden message, and the key of the message that hides it.
const HIDERS: [(&str, &str); 2] =
    [("condenseParent", "condenseId"), ("truncationParent", "truncationId")];

pub(super) struct HiddenMessages {
    /// The ids of the messages that hide others.
    hiders: HashSet<String>,
    hidden: u64,
}

impl HiddenMessages {
    pub(super) fn in_list(list: JsonNode<'_>) -> Self {
        let ids = list.items().flat_map(|message| {
            let keys = HIDERS.iter();
            keys.filter_map(move |(_, id)| message.non_empty_text(id))
        });
        let mut found = Self { hiders: ids.collect(), hidden: 0 };
        if !found.hiders.is_empty() {
            let hidden = list.items().filter(|message| found.contains(*message));
            found.hidden = hidden.count() as u64;
        }
        found
    }

    /// Returns true if a message is hidden.
    pub(super) fn contains(&self, message: JsonNode<'_>) -> bool {
        let mut keys = HIDERS.iter();
        !self.hiders.is_empty()
            && keys.any(|(parent, _)| {
                let parent = message.non_empty_text(parent);
                parent.is_some_and(|parent| self.hiders.contains(&parent))
            })
    }

    /// Notes the hidden messages of a record as left out.
    pub(super) fn note_left_out(&self, transcript: &mut Transcript<'_>, record: usize) {
        if self.hidden > 0 {
            let line = transcript.records[record].line;
            transcript.omitted.push(OmittedRecords {
                what: "messages that a summary or a truncation replaced".to_owned(),
                line,
                times: self.hidden,
            });
        }
    }
}
