//! The prompt for a model: the conversation, and the text around it.

use crate::base::text::first_chars;

/// The placeholder of the conversation in a template.
pub(crate) const CONVERSATION_PLACEHOLDER: &str = "{messages}";
/// The text in the place of the part that is cut out. deepagents writes the same.
const OMISSION: &str = "\n\n[... middle of conversation omitted ...]\n\n";

/// A prompt whose conversation can still be shortened.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct SummaryPrompt {
    before: String,
    /// The conversation as text.
    pub messages: String,
    after: String,
}

impl SummaryPrompt {
    /// Puts the conversation in the place of the first `{messages}` of a template. Nothing else in
    /// the template is interpreted.
    pub(crate) fn new(template: &str, messages: String) -> Self {
        let (before, after) =
            template.split_once(CONVERSATION_PLACEHOLDER).unwrap_or((template, ""));
        Self { before: before.to_owned(), messages, after: after.to_owned() }
    }

    /// Changes the text around the conversation.
    pub(crate) fn map_frame(self, change: impl Fn(&str) -> String) -> Self {
        Self { before: change(&self.before), after: change(&self.after), ..self }
    }

    /// Returns the entire prompt.
    pub(crate) fn text(&self) -> String {
        [self.before.as_str(), &self.messages, &self.after].concat()
    }

    /// Cuts out the middle of the conversation, so that about `budget` of its `tokens` are left: a
    /// quarter of them at its beginning, the rest at its end. deepagents does the same, see
    /// `docs/reference/deepagents.md`.
    pub(crate) fn without_middle(&self, tokens: usize, budget: usize) -> Self {
        let length = self.messages.chars().count();
        let keep = usize::try_from(length as u128 * budget as u128 / tokens.max(1) as u128)
            .unwrap_or(length)
            .min(length);
        let head = keep / 4;
        let before_end = first_chars(&self.messages, length - (keep - head));
        let messages =
            [first_chars(&self.messages, head), OMISSION, &self.messages[before_end.len()..]]
                .concat();
        Self { messages, ..self.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_first_placeholder_is_filled() {
        let prompt = SummaryPrompt::new("a {messages} b {messages} {x}", "{messages}".to_owned());
        assert_eq!(prompt.text(), "a {messages} b {messages} {x}");
        assert_eq!(SummaryPrompt::new("none", "lost".to_owned()).before, "none");
    }

    #[test]
    fn the_middle_is_cut_out_and_most_of_the_rest_is_at_the_end() {
        let prompt = SummaryPrompt::new(
            "<{messages}>",
            "0123456789abcdefghijklmnopqrstuvwxyzäöüß".to_owned(),
        );
        assert_eq!(prompt.without_middle(10, 2).text(), format!("<01{OMISSION}yzäöüß>"));
        assert_eq!(prompt.without_middle(0, 0).text(), format!("<{OMISSION}>"));
    }
}
