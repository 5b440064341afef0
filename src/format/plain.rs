//! Plain messages: a role, a text and nothing else. Whoever writes a log spells
//! them all alike, so that one which begins as another did is read without a
//! look at its keys. Most messages of a chat are such.

use crate::json::{Scanner, Span};
use crate::transcript::summary_frame::is_framed_summary;
use crate::transcript::{Content, Message, Role};
use std::iter;

/// How the plain messages of one list begin.
#[derive(Debug, Default)]
pub(super) struct MessagePrefixes {
    user: Option<Span>,
    assistant: Option<Span>,
}

impl MessagePrefixes {
    fn of(&mut self, role: Role) -> Option<&mut Option<Span>> {
        match role {
            Role::User => Some(&mut self.user),
            Role::Assistant => Some(&mut self.assistant),
            Role::System | Role::Developer | Role::Tool | Role::Function => None,
        }
    }

    /// Sees a message of `keys` keys that was read key by key.
    pub(super) fn learn(&mut self, keys: usize, message: Option<&Message>) {
        // Its text ends it, so that all else stands before that.
        if let Some(message) = message.filter(|_| keys == 2)
            && let Content::Text(text) = message.content
            && text.end + 1 == message.span.end
            && let Some(known) = self.of(message.role)
        {
            *known = Some(Span {
                start: message.span.start,
                end: text.start + 1,
            });
        }
    }

    /// Reads the next message and adds it, if it is spelled as one that was seen; else nothing is read.
    #[inline]
    pub(super) fn read(
        &mut self,
        scanner: &mut Scanner<'_>,
        bytes: &[u8],
        record: usize,
        messages: &mut Vec<Message>,
    ) -> bool {
        // They speak in turn.
        let turns = match messages.last().map(|last| last.role) {
            Some(Role::User) => [Role::Assistant, Role::User],
            _ => [Role::User, Role::Assistant],
        };
        for role in turns {
            let Some(known) = self.of(role) else { continue };
            let Some(begun) = known.and_then(|known| scanner.match_known_start(known)) else {
                continue;
            };
            let Some((span, text)) = scanner.finish_with_text(begun) else {
                // The next one may hold more, too: its text is not to be walked twice.
                *known = None;
                return false;
            };
            // Made where it is to stay: pushed, it would be moved there, and that waits for its parts to be written.
            messages.extend(iter::once_with(|| Message {
                content: Content::Text(text),
                content_span: Some(text),
                points: Some(scanner.last_string_points()),
                earlier_summary: role == Role::User && is_framed_summary(text.slice(bytes)),
                ..Message::new(record, span, role)
            }));
            return true;
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use crate::error::RecordError;
    use crate::format::openai_messages::OpenAiMessageReader;
    use crate::json::Scanner;
    use crate::transcript::Message;
    use proptest::prelude::*;
    use std::cell::Cell;

    /// Read as one list, and one by one as messages of which nothing is known.
    fn both(messages: &[String]) -> [Result<Vec<Message>, String>; 2] {
        let text = format!("[{}]", messages.join(", "));
        let (times, bytes) = (Cell::new(false), text.as_bytes());
        let reader = OpenAiMessageReader {
            bytes,
            record: 3,
            list: "messages",
            times: &times,
        };
        let told = |error: RecordError| format!("{error:?}");
        let mut scanner = Scanner::new(bytes);
        let as_list = reader.messages(&mut scanner).map_err(told);
        let mut alone = Vec::new();
        let mut scanner = Scanner::new(bytes);
        let walked =
            scanner.read_array(|s| reader.message(s, Some(alone.len()), &mut alone).map(drop));
        [as_list, walked.map(|_| alone).map_err(told)]
    }

    fn message() -> impl Strategy<Value = String> {
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
        fn a_message_is_read_the_same_whatever_stands_before_it(messages in prop::collection::vec(message(), 0..8)) {
            let [as_list, alone] = both(&messages);
            prop_assert_eq!(as_list, alone);
        }
    }
}
