//! Spells messages and conversations with a pen.

use super::conversation::{Arguments, Block, Call, Content, Conversation, Text};
use super::drafts::{Draft, drafts, read};
use super::pen::Pen;
use super::sample::{Message, TAG, THREAD_KEY};

impl Pen {
    pub(crate) fn arguments(&mut self, arguments: &Arguments) -> Option<String> {
        let object = |pen: &mut Self, entries: &[(&'static str, Text)]| {
            let entries = entries.iter().map(|(key, text)| {
                let value = pen.string(&text.write());
                (*key, if *key == "nested" { format!("[{value}]") } else { value })
            });
            let entries = entries.collect::<Vec<_>>();
            pen.object(entries)
        };
        match arguments {
            Arguments::Literal(entries) => {
                let json = object(self, entries);
                Some(self.string(&json))
            }
            Arguments::Object(entries) => Some(object(self, entries)),
            Arguments::Invalid(text) => Some(self.string(text)),
            Arguments::Missing => None,
        }
    }

    pub(crate) fn function(&mut self, tool: &str, arguments: &Arguments) -> String {
        let mut entries = vec![("name", self.string(tool))];
        entries.extend(self.arguments(arguments).map(|arguments| ("arguments", arguments)));
        self.object(entries)
    }

    pub(crate) fn block(&mut self, block: &Block, texts: &mut Vec<String>) -> String {
        match block {
            Block::Text(text) => {
                let text = text.write();
                texts.push(text.clone());
                let entries = vec![("type", self.string("text")), ("text", self.string(&text))];
                self.object(entries)
            }
            Block::Bare(text) => {
                let text = text.write();
                texts.push(text.clone());
                self.string(&text)
            }
            Block::Image => self.object(vec![
                ("type", "\"image_url\"".to_owned()),
                ("image_url", "{\"url\": \"data:image/png;base64,iVBORw0KGgo=\"}".to_owned()),
            ]),
            Block::Other => self.object(vec![
                ("type", "\"input_audio\"".to_owned()),
                ("input_audio", "{\"data\": \"UklGRg==\", \"text\": \"no\"}".to_owned()),
            ]),
        }
    }

    pub(crate) fn message(&mut self, draft: &Draft, thread: Option<&str>) -> Message {
        self.tag += 1;
        let tag = self.tag;
        let mark = format!("«{tag}»");
        let mut texts = Vec::new();
        let mut marked = false;
        let content = match &draft.content {
            Content::Text(text) => {
                let mut text = text.write();
                if !draft.earlier_summary {
                    text.push_str(&mark);
                    marked = true;
                }
                texts.push(text.clone());
                // A summary is known by its frame, which nobody spells in odd ways.
                let state = if draft.earlier_summary {
                    std::mem::take(&mut self.state)
                } else {
                    self.state
                };
                let literal = self.string(&text);
                self.state = state;
                Some(literal)
            }
            Content::Null => Some("null".to_owned()),
            Content::Missing => None,
            Content::Empty => Some(self.list(&[])),
            Content::Blocks(blocks) => {
                let blocks: Vec<String> =
                    blocks.iter().map(|block| self.block(block, &mut texts)).collect();
                Some(self.list(&blocks))
            }
        };
        let mut entries = vec![("role", self.string(draft.role))];
        entries.extend(content.map(|content| ("content", content)));
        if !draft.calls.is_empty() {
            let calls: Vec<String> = draft.calls.iter().map(|call| self.call(call)).collect();
            entries.push(("tool_calls", self.list(&calls)));
        }
        if let Some((tool, arguments)) = &draft.legacy {
            entries.push(("function_call", self.function(tool, arguments)));
        }
        if let Some(id) = draft.answers {
            entries.push(("tool_call_id", self.string(id)));
        }
        if draft.role == "function" {
            entries.push(("name", "\"lookup\"".to_owned()));
        }
        // Some answers report their usage, some results that they are none.
        if draft.role == "assistant" && tag.is_multiple_of(5) {
            entries.push((
                "usage",
                format!("{{\"prompt_tokens\": {}, \"completion_tokens\": 50}}", tag * 40),
            ));
        }
        if draft.role == "tool" && tag.is_multiple_of(7) {
            entries.push(("status", "\"error\"".to_owned()));
        }
        entries.extend(thread.map(|thread| (THREAD_KEY, thread.to_owned())));
        entries.push((TAG, tag.to_string()));
        Message {
            tag,
            raw: self.object(entries),
            role: draft.role,
            text: read(&texts.concat()),
            lines: read(&texts.join("\n")),
            calls: draft.calls.iter().filter_map(|call| call.id).map(read).collect(),
            legacy_call: draft.legacy.is_some(),
            answers: draft.answers.map(read),
            earlier_summary: draft.earlier_summary,
            mark: marked.then_some(mark),
        }
    }

    pub(crate) fn call(&mut self, call: &Call) -> String {
        let mut entries = vec![
            ("type", "\"function\"".to_owned()),
            ("function", self.function(call.tool, &call.arguments)),
        ];
        entries.extend(call.id.map(|id| ("id", self.string(id))));
        self.object(entries)
    }

    pub(crate) fn messages(
        &mut self,
        conversation: &Conversation,
        thread: Option<&str>,
    ) -> Vec<Message> {
        let head = conversation.head.iter().map(|content| Draft::new("system", content.clone()));
        let drafts: Vec<Draft> = head.chain(conversation.turns.iter().flat_map(drafts)).collect();
        drafts.iter().map(|draft| self.message(draft, thread)).collect()
    }

    /// A conversation as one record.
    pub(crate) fn record(&mut self, conversation: &Conversation) -> (String, Vec<Message>) {
        let messages = self.messages(conversation, None);
        let raws: Vec<String> = messages.iter().map(|message| message.raw.clone()).collect();
        let list = self.list(&raws);
        if conversation.bare {
            return (list, messages);
        }
        let mut entries = vec![("messages", list)];
        if let Some((key, id)) = conversation.id {
            entries.push((key, self.string(id)));
        }
        entries.extend(conversation.model.map(|model| ("model", self.string(model))));
        if conversation.tools {
            entries.push(("tools", "[{\"type\": \"function\", \"function\": {\"name\": \"grep\", \"description\": \"é\", \"parameters\": {}}}]".to_owned()));
        }
        (self.object(entries), messages)
    }
}
