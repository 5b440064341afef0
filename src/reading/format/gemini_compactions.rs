//! The compactions that Gemini CLI made itself: the list of messages is set anew, begins with a
//! message of the user that was not there before, and is shorter.

use crate::reading::format::prelude::*;

/// The search for compactions.
#[derive(Default)]
pub(super) struct GeminiCompactionFinder {
    /// The ids of all messages so far.
    ids: HashSet<String>,
    /// The number of messages in the list.
    messages: usize,
}

impl CompactionFinder for GeminiCompactionFinder {
    fn observe_record(&mut self, at: usize, record: JsonNode<'_>, spans: &mut Vec<CompactionSpan>) {
        let Some(set) = record.get("$set").filter(|set| set.has_key("messages")) else {
            if let Some(id) = record.non_empty_text("id").filter(|_| record.has_key("type")) {
                self.messages += usize::from(self.ids.insert(id));
            }
            return;
        };
        let messages: Vec<JsonNode<'_>> = set.items_of("messages").collect();
        let begins_anew = messages.first().is_some_and(|first| {
            let id = first.non_empty_text("id");
            first.has_text("type", "user") && id.is_none_or(|id| !self.ids.contains(&id))
        });
        if begins_anew && messages.len() < self.messages {
            spans.push(CompactionSpan::of_records(at, at));
        }
        self.messages = messages.len();
        let ids = messages.iter().filter_map(|message| message.non_empty_text("id"));
        self.ids.extend(ids);
    }
}
