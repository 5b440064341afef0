//! The prompt for a model: the conversation, and what stands around it.

/// Where the conversation goes in a template.
pub const PLACE: &str = "{messages}";
/// What takes the place of what is cut out (spec: deepagents, section 5).
const CUT: &str = "\n\n[... middle of conversation omitted ...]\n\n";

/// A prompt with the conversation still apart.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SummaryPrompt {
    before: String,
    /// The conversation as text.
    pub messages: String,
    after: String,
}

impl SummaryPrompt {
    /// A template with the conversation in the place of its first `{messages}`; nothing else in it is interpreted.
    #[must_use]
    pub fn new(template: &str, messages: String) -> Self {
        let (before, after) = template.split_once(PLACE).unwrap_or((template, ""));
        Self {
            before: before.to_owned(),
            messages,
            after: after.to_owned(),
        }
    }

    /// With what stands around the conversation changed.
    #[must_use]
    pub fn around(self, change: impl Fn(&str) -> String) -> Self {
        Self {
            before: change(&self.before),
            after: change(&self.after),
            ..self
        }
    }

    /// All of it.
    #[must_use]
    pub fn text(&self) -> String {
        [self.before.as_str(), &self.messages, &self.after].concat()
    }

    /// With the middle of the conversation cut out, so that about `budget` of its `tokens` are left: a quarter of
    /// that from its beginning, the rest from its end (spec: deepagents, section 5).
    #[must_use]
    pub fn cut(&self, tokens: usize, budget: usize) -> Self {
        let length = self.messages.chars().count();
        let keep = usize::try_from(length as u128 * budget as u128 / tokens.max(1) as u128)
            .unwrap_or(length)
            .min(length);
        let head = keep / 4;
        let place = |chars: usize| {
            self.messages
                .char_indices()
                .nth(chars)
                .map_or(self.messages.len(), |(at, _)| at)
        };
        let messages = [
            &self.messages[..place(head)],
            CUT,
            &self.messages[place(length - (keep - head))..],
        ]
        .concat();
        Self {
            messages,
            ..self.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_first_place_is_filled() {
        let prompt = SummaryPrompt::new("a {messages} b {messages} {x}", "{messages}".to_owned());
        assert_eq!(prompt.text(), "a {messages} b {messages} {x}");
        assert_eq!(SummaryPrompt::new("none", "lost".to_owned()).before, "none");
    }

    #[test]
    fn the_middle_goes_and_the_end_weighs_more() {
        let prompt = SummaryPrompt::new(
            "<{messages}>",
            "0123456789abcdefghijklmnopqrstuvwxyzäöüß".to_owned(),
        );
        assert_eq!(prompt.cut(10, 2).text(), format!("<01{CUT}yzäöüß>"));
        assert_eq!(prompt.cut(0, 0).text(), format!("<{CUT}>"));
    }
}
