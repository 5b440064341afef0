//! The fast reader of OpenAI chat messages: it recognizes a message by its first bytes.
//!
//! There are two readers of this dialect. `openai_messages` reads every message, key by key. This
//! reader is in front of it and handles only messages of the user or the assistant with exactly
//! two keys, of which the second is a `content` that is a string: the writer of a log spells them
//! all alike, so a message that begins with the same bytes as an earlier one has the same keys, and
//! only its text must be scanned. Everything else (further keys, tool calls, content blocks, other
//! roles, the first message of each role, and all errors) is left to `openai_messages`, from which
//! this reader learns the prefixes.
//!
//! Switching this reader off cost 0 % on logs with tool calls, and 22 to 50 % on plain chat, in
//! `count` and `replay`. That is the reason to keep both. Measured by `cargo bench --features
//! benching --bench tricks` (2026-11): reading plain chat key by key takes 3.0 times as long.

use crate::reading::format::prelude::*;
use std::iter;

/// The bytes before the text of a message, for each role that has a known spelling in a list.
#[derive(Debug, Default)]
pub(super) struct MessagePrefixes {
    user: Option<Span>,
    assistant: Option<Span>,
}

impl MessagePrefixes {
    fn prefix_of(&mut self, role: Role) -> Option<&mut Option<Span>> {
        match role {
            Role::User => Some(&mut self.user),
            Role::Assistant => Some(&mut self.assistant),
            Role::System | Role::Developer | Role::Tool | Role::Function => None,
        }
    }

    /// Learns the prefix of a message that was read key by key and has `keys` keys.
    pub(super) fn learn_prefix(&mut self, keys: usize, message: Option<&Message>) {
        // The text must end the message, so that the role comes before it.
        if let Some(message) = message.filter(|_| keys == 2)
            && let Content::Text(text) = message.content
            && text.end + 1 == message.span.end
            && let Some(prefix) = self.prefix_of(message.role)
        {
            *prefix = Some(Span { start: message.span.start, end: text.start + 1 });
        }
    }

    /// Reads the next message and appends it if it begins with a known prefix. Otherwise returns
    /// false and leaves the scanner where it is.
    #[inline]
    pub(super) fn read_alike(
        &mut self,
        scanner: &mut Scanner<'_>,
        record: usize,
        messages: &mut Vec<Message>,
    ) -> bool {
        // Roles usually alternate.
        let roles = match messages.last().map(|last| last.role) {
            Some(Role::User) => [Role::Assistant, Role::User],
            _ => [Role::User, Role::Assistant],
        };
        for role in roles {
            let Some(known) = self.prefix_of(role) else {
                continue;
            };
            let Some(begun) = known.and_then(|prefix| scanner.match_known_start(prefix)) else {
                continue;
            };
            let Some((span, text)) = scanner.finish_object_with_last_string(begun) else {
                // The next message may have more keys, too, and its text must not be scanned twice.
                *known = None;
                return false;
            };
            // `extend` constructs the message in the vector. `push` would move it there, and the
            // move would have to wait until all its parts are written.
            messages.extend(iter::once_with(|| Message {
                content: Content::Text(text),
                content_span: Some(text),
                code_points: Some(scanner.last_string_code_points()),
                earlier_summary: role == Role::User
                    && is_framed_summary(text.slice(scanner.bytes())),
                ..Message::new(record, span, role)
            }));
            return true;
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use crate::base::error::RecordError;
    use crate::reading::format::openai_messages::OpenAiMessageReader;
    use crate::reading::json::Scanner;
    use crate::reading::transcript::{Message, UnreadMessage};
    use proptest::prelude::*;
    use std::cell::{Cell, RefCell};

    type ReadMessages = Result<(Vec<Message>, Vec<UnreadMessage>), String>;

    /// Reads the messages as a list, and each of them without knowledge of the others.
    fn read_as_list_and_alone(messages: &[String]) -> [ReadMessages; 2] {
        let text = format!("[{}]", messages.join(", "));
        let (times, bytes) = (Cell::new(false), text.as_bytes());
        let unread = RefCell::default();
        let reader =
            OpenAiMessageReader { record: 3, list: "messages", times: &times, unread: &unread };
        let mut scanner = Scanner::new(bytes);
        let as_list = reader.read_messages(&mut scanner).map_err(error_text);
        let unread_in_list = unread.take();
        let (mut alone, mut index) = (Vec::new(), 0);
        let mut scanner = Scanner::new(bytes);
        let read_alone = scanner.read_array(|s| {
            index += 1;
            reader.read_message(s, Some(index - 1), &mut alone).map(drop)
        });
        let read_alone = read_alone.map(|_| (alone, unread.take()));
        [as_list.map(|messages| (messages, unread_in_list)), read_alone.map_err(error_text)]
    }

    fn error_text(error: RecordError) -> String {
        format!("{error:?}")
    }

    fn message_json() -> impl Strategy<Value = String> {
        let role = prop::sample::select(vec!["user", "assistant", "system", "tool", "nobody"]);
        let text = prop::sample::select(vec![
            "",
            "a",
            "Hi\\n",
            "\\u00e9\\ud83d",
            "\"",
            "\u{1}",
            "\\x",
            "Here is a summary of the conversation to date:\\n\\nx",
            "long long long long",
        ]);
        let shape = prop::sample::select(vec![
            r#"{"role": "ROLE", "content": "TEXT"}"#,
            r#"{"role":"ROLE","content":"TEXT"}"#,
            r#"{"role": "ROLE", "content": "TEXT", "tool_calls": [{"id": "c", "function": {"name": "f", "arguments": "{}"}}]}"#,
            r#"{"role": "ROLE", "content": "TEXT" }"#,
            r#"{"content": "TEXT", "role": "ROLE"}"#,
            r#"{"role": "ROLE", "name": "n", "content": "TEXT"}"#,
            r#"{"role": "ROLE", "content": null}"#,
            r#"{"role": "ROLE", "content": "TEXT"#,
            r#"{"content": "a", "content": "TEXT"}"#,
        ]);
        (role, text, shape)
            .prop_map(|(role, text, shape)| shape.replace("ROLE", role).replace("TEXT", text))
    }

    proptest! {
        #[test]
        fn a_message_is_read_the_same_whatever_precedes_it(messages in prop::collection::vec(message_json(), 0..8)) {
            let [as_list, alone] = read_as_list_and_alone(&messages);
            prop_assert_eq!(as_list, alone);
        }
    }
}
