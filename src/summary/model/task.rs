//! A summary to be asked for: the question, and what is known of it beforehand.

use super::{ModelEndpoint, ModelQuestion, check_summary};
use crate::report::ExpectedUsage;
use crate::summary::cache::AnswerCache;
use crate::summary::{SummaryPrompt, SummaryRequest};

/// One summary to be asked for.
pub struct SummaryTask {
    /// What is asked.
    pub question: ModelQuestion,
    prompt: SummaryPrompt,
    /// Tokens of the conversation, estimated.
    conversation_tokens: usize,
    /// Tokens of the whole question, estimated.
    pub prompt_tokens: usize,
}

impl SummaryTask {
    /// What this model is asked for a summary.
    #[must_use]
    pub fn new(target: &ModelEndpoint, request: &SummaryRequest<'_>) -> Self {
        let prompt = (request.prompt)();
        let conversation_tokens = (request.count)(&prompt.messages);
        let question = target.question(prompt.text(), request.budget);
        let prompt_tokens = (request.count)(&question.prompt) + (request.count)(&question.system());
        Self {
            question,
            prompt,
            conversation_tokens,
            prompt_tokens,
        }
    }

    /// An answer as a summary.
    ///
    /// # Errors
    /// Why it is none.
    pub fn check(&self, text: &str, target: &ModelEndpoint) -> Result<String, String> {
        check_summary(text, self.prompt.messages.chars().count(), &target.headings)
    }

    /// What it is expected to take.
    #[must_use]
    pub fn expected(&self, target: &ModelEndpoint, cache: Option<&AnswerCache>) -> ExpectedUsage {
        let id = self.question.id();
        let cache_hit = cache
            .and_then(|cache| cache.get(&id))
            .is_some_and(|stored| self.check(&stored.text, target).is_ok());
        ExpectedUsage {
            id,
            cache_hit,
            input_tokens: self.prompt_tokens as u64,
            output_tokens: self.question.budget as u64,
        }
    }

    /// The question with the middle of the conversation cut out, and its tokens: half of the conversation is left, and
    /// no more than two fifths of what the model takes (spec: deepagents, section 5).
    #[must_use]
    pub fn cut(&self, input_limit: Option<u64>) -> (ModelQuestion, usize) {
        let half = self.conversation_tokens / 2;
        let limit = input_limit.and_then(|limit| usize::try_from(limit.saturating_mul(2) / 5).ok());
        let budget = limit.map_or(half, |limit| limit.min(half));
        let cut = self.prompt.cut(self.conversation_tokens, budget);
        let tokens = self.prompt_tokens.saturating_sub(self.conversation_tokens) + budget;
        (
            ModelQuestion {
                prompt: cut.text(),
                ..self.question.clone()
            },
            tokens,
        )
    }
}
