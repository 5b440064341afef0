//! Responses of VS Code's chats as the screen shows them: Markdown in pieces, calls, and results
//! where they were kept.

use crate::reading::format::prelude::*;

/// Appends a response as the screen shows it: its Markdown in pieces, and its calls with their
/// results.
pub(crate) fn push_shown(thread: &mut JournalThread, request: JsonNode<'_>) {
    let Some(response) = request.get("response") else {
        return;
    };
    let mut shown = ShownResponse {
        thread,
        element: MessageBuilder::new("assistant").with_place(response.place()),
        markdown: Vec::new(),
        results: Vec::new(),
        place: response.place(),
    };
    for part in response.items() {
        shown.push_part(part);
    }
    shown.end_step();
}

/// A response, built part by part.
struct ShownResponse<'t, 'n> {
    thread: &'t mut JournalThread,
    element: MessageBuilder,
    /// The literals of the pieces of a text.
    markdown: Vec<&'n [u8]>,
    results: Vec<MessageBuilder>,
    place: EventPlace,
}

impl<'n> ShownResponse<'_, 'n> {
    fn push_part(&mut self, part: JsonNode<'n>) {
        let kind = part.get_text("kind");
        match kind.as_deref() {
            None => self.push_markdown(part.get("value")),
            Some("markdownContent") => self.push_markdown(part.get_path(&["content", "value"])),
            Some("inlineReference") => self.push_markdown(part.get("name")),
            Some("thinking") => {
                if let Some(value) = part.get("value") {
                    if self.element.has_calls() {
                        self.end_step();
                    }
                    self.end_markdown();
                    push_thinking(&mut self.element, value);
                }
            }
            Some("toolInvocationSerialized") => self.push_call(part),
            // Parts of other kinds are found in the response when it is converted.
            Some(_) => {}
        }
    }

    fn push_markdown(&mut self, value: Option<JsonNode<'n>>) {
        let value = value.filter(|value| value.as_non_empty_text().is_some());
        let Some(value) = value else {
            return;
        };
        let is_blank = value.as_text().is_some_and(|text| text.trim().is_empty());
        // What follows a call follows its result.
        if self.element.has_calls() && !is_blank {
            self.end_step();
        }
        self.markdown.push(value.bytes());
    }

    /// Adds the text whose pieces were collected.
    fn end_markdown(&mut self) {
        match self.markdown.as_slice() {
            [] => {}
            [literal] => self.element.push_text(literal),
            pieces => {
                let texts: Vec<Cow<'_, str>> =
                    pieces.iter().map(|piece| decode_literal(piece)).collect();
                let text = texts.concat();
                if !text.trim().is_empty() {
                    self.element.push_text(&encode_literal(&text));
                }
                for piece in pieces {
                    self.element.keep_spelling(piece);
                }
            }
        }
        self.markdown.clear();
    }

    /// Adds a call, and its result if the response holds it.
    fn push_call(&mut self, call: JsonNode<'n>) {
        self.end_markdown();
        let id = call.literal_or_empty("toolCallId");
        let name = call.literal_or_empty("toolId");
        let details = call.get("resultDetails");
        let input = details.and_then(|details| details.literal_bytes("input"));
        match input {
            Some(input) => self.element.push_call_of_text(id, name, input),
            None => self.element.push_call(id, name, call.get("toolSpecificData")),
        }
        let mut result = MessageBuilder::new_result(Some(id)).with_place(self.place);
        let outputs = details.into_iter().flat_map(|details| details.items_of("output"));
        for value in outputs.filter_map(|output| output.get("value")) {
            result.push_string(value);
        }
        if result.is_empty()
            && let Some(message) = call.get("pastTenseMessage")
        {
            result.push_string(message.get("value").unwrap_or(message));
        }
        if !result.is_empty() {
            self.results.push(result);
        }
    }

    /// Appends what was said and called so far, and the results.
    fn end_step(&mut self) {
        self.end_markdown();
        let next = MessageBuilder::new("assistant").with_place(self.place);
        std::mem::replace(&mut self.element, next).push_if_said(self.thread);
        for result in std::mem::take(&mut self.results) {
            result.push_onto(self.thread);
        }
    }
}

/// Adds reasoning: a text, or a list of texts.
pub(crate) fn push_thinking(element: &mut MessageBuilder, thinking: JsonNode<'_>) {
    for text in std::iter::once(thinking).chain(thinking.items()) {
        if text.is_kind(JsonKind::String) {
            element.push_reasoning(text.bytes());
        }
    }
}
