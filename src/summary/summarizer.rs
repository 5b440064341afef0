//! The interface of summarizers. A summarizer fills the hole that a plan leaves;
//! it takes no part in the decision or in the rewrite.
//!
//! An answer that breaks a rule is a failure and is never used: a text about an
//! error must not replace a conversation.

use crate::base::text::first_chars;
use crate::deciding::policy::SummaryTemplate;
use crate::reading::transcript::view::ViewedTurn;
use crate::reporting::report::SummaryUsage;
use crate::summary::error::SummaryError;

/// The number of bytes at the beginning and at the end of a long text that a summarizer without a
/// prompt reads. Later turns name what is there (a file, a listing): `evaluate` on the metric's
/// data sets gave no higher recall with 64 KB, at several times the cost.
pub(crate) const LONG_TEXT_END_BYTES: usize = 4 * 1024;
/// The number of bytes of kept messages that such a summarizer reads, the nearest messages first
/// and the system prompt last. With 4 KB `evaluate` gave the same recall on tau-bench and SWE-agent sessions,
/// but .515 instead of .561 on a long coding session.
pub(crate) const KEPT_TEXT_BYTES: usize = 16 * 1024;

/// The input of a summarizer.
pub(crate) struct SummaryRequest<'r> {
    pub thread_id: &'r str,
    /// The messages to summarise, after trimming and without system messages. Of long results both
    /// ends, of at least [`LONG_TEXT_END_BYTES`] bytes each.
    pub turns: &'r [ViewedTurn<'r>],
    /// The messages that stay beside the summary: those after the summarised ones, then the system
    /// prompt, up to at least [`KEPT_TEXT_BYTES`] bytes. Of long messages both ends.
    pub kept: &'r [ViewedTurn<'r>],
    pub template: SummaryTemplate,
    /// The maximum length of the summary in tokens of the policy's counter. At least 1.
    pub budget: usize,
    /// Counts the tokens of a text with the policy's counter.
    pub count: &'r dyn Fn(&str) -> usize,
    /// Builds the prompt for a model. Only called if it is needed.
    pub prompt: &'r dyn Fn() -> SummaryPrompt,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SummaryAnswer {
    /// The summary as the summarizer wrote it.
    pub text: Result<String, SummaryError>,
    /// The calls and tokens that it took, if a model was asked.
    pub asked: Option<SummaryUsage>,
}

/// An answer that may still be worked on.
pub(crate) enum PendingAnswer<'p> {
    Ready(SummaryAnswer),
    Later(Box<dyn FnOnce() -> SummaryAnswer + Send + 'p>),
}

impl PendingAnswer<'_> {
    /// Returns the answer, after waiting for it if needed.
    pub(crate) fn wait(self) -> SummaryAnswer {
        match self {
            Self::Ready(answer) => answer,
            Self::Later(wait) => wait(),
        }
    }
}

/// A writer of summaries.
pub(crate) trait Summarizer: Send + Sync {
    /// Writes a summary. Fails if there is no summary. The transcript then stays unchanged.
    fn summarize(&self, request: &SummaryRequest<'_>) -> Result<String, SummaryError>;

    /// Begins to write a summary, without waiting for others to finish it.
    fn begin<'s>(&'s self, request: &SummaryRequest<'_>) -> PendingAnswer<'s> {
        PendingAnswer::Ready(SummaryAnswer { text: self.summarize(request), asked: None })
    }

    /// Returns the most calls to a model that may be in flight at the same time; 0 if no model is
    /// asked.
    fn concurrent_calls(&self) -> usize {
        0
    }

    /// Returns true if summaries are the answers of a model: the caller waits for them without work
    /// of its own.
    fn asks_model(&self) -> bool {
        self.concurrent_calls() > 0
    }
}

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

/// Removes the white space that Python's `str.strip` removes from both ends of a summary. Fails if
/// nothing is left.
pub(crate) fn clean_summary(text: &str) -> Result<String, SummaryError> {
    let clean =
        text.trim_matches(|c: char| c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c));
    if clean.is_empty() { Err(SummaryError::Empty) } else { Ok(clean.to_owned()) }
}

/// Checks a model's answer as the summary of a conversation of `chars` code points. Returns the
/// summary. Fails if the text is empty, longer than the conversation, or lacks one of `headings`.
pub(super) fn check_summary(
    text: &str,
    chars: usize,
    headings: &[String],
) -> Result<String, SummaryError> {
    let text = clean_summary(without_thoughts(text))?;
    let length = text.chars().count();
    if length > chars {
        return Err(SummaryError::TooLong { length, replaced: chars });
    }
    match headings.iter().find(|heading| !has_heading(&text, heading)) {
        Some(missing) => Err(SummaryError::MissingHeading(missing.clone())),
        None => Ok(text),
    }
}

fn has_heading(text: &str, heading: &str) -> bool {
    text.lines().any(|line| heading_text(line).eq_ignore_ascii_case(heading_text(heading)))
}

/// Returns a line without the marks of a heading, as in `## SUMMARY` and `**Summary:**`.
fn heading_text(line: &str) -> &str {
    line.trim_matches(|c: char| c.is_whitespace() || "#*_:".contains(c))
}

/// Removes the model's thoughts, which some servers leave at the start of an answer.
fn without_thoughts(text: &str) -> &str {
    let thoughts = text.trim_start().strip_prefix("<think>");
    thoughts.and_then(|rest| rest.split_once("</think>")).map_or(text, |(_, answer)| answer)
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
        let messages = "0123456789abcdefghijklmnopqrstuvwxyzäöüß".to_owned();
        let prompt = SummaryPrompt::new("<{messages}>", messages);
        assert_eq!(prompt.without_middle(10, 2).text(), format!("<01{OMISSION}yzäöüß>"));
        assert_eq!(prompt.without_middle(0, 0).text(), format!("<{OMISSION}>"));
    }

    #[test]
    fn a_summary_that_breaks_a_rule_is_an_error() {
        let headings = ["SUMMARY".to_owned(), "NEXT STEPS".to_owned()];
        let good = "## Summary\nBooked.\n\n**NEXT STEPS:**\nNone";
        assert_eq!(check_summary(good, 100, &headings), Ok(good.to_owned()));
        assert_eq!(check_summary(" \n", 100, &[]), Err(SummaryError::Empty));
        for (text, most, told) in [
            ("<think>x</think>", 100, "the summary is empty"),
            ("12345", 4, "longer than what it replaces"),
            ("## SUMMARY\nin NEXT STEPS", 100, "\"NEXT STEPS\""),
        ] {
            let error = check_summary(text, most, &headings).unwrap_err().to_string();
            assert!(error.contains(told), "{error}");
        }
    }

    #[test]
    fn thoughts_are_removed() {
        assert_eq!(check_summary("<think>hm</think>\n\nDone.", 100, &[]), Ok("Done.".to_owned()));
        assert_eq!(check_summary("a <think>", 100, &[]), Ok("a <think>".to_owned()));
    }
}
