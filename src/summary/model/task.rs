//! A summary to be written by a model: the question, and its expected cost.

use crate::reporting::report::ExpectedUsage;
use crate::summary::answer_cache::AnswerCache;
use crate::summary::error::SummaryError;
use crate::summary::model::endpoint::ModelEndpoint;
use crate::summary::model::question::ModelQuestion;
use crate::summary::summarizer::{SummaryPrompt, SummaryRequest, check_summary};

/// A summary to be written by a model.
pub(crate) struct SummaryTask {
    /// The question.
    pub question: ModelQuestion,
    prompt: SummaryPrompt,
    /// The estimated number of tokens in the conversation.
    conversation_tokens: usize,
    /// The estimated number of tokens in the entire question.
    pub prompt_tokens: usize,
}

impl SummaryTask {
    /// Creates the task of answering a request with this model.
    pub(crate) fn new(target: &ModelEndpoint, request: &SummaryRequest<'_>) -> Self {
        let prompt = (request.prompt)();
        let conversation_tokens = (request.count)(&prompt.messages);
        let question = target.question(prompt.text(), request.budget);
        let prompt_tokens =
            (request.count)(&question.prompt) + (request.count)(&question.system_prompt());
        Self { question, prompt, conversation_tokens, prompt_tokens }
    }

    /// Checks an answer as the summary of the conversation. Returns the summary. Fails if the
    /// answer breaks a rule for summaries.
    pub(crate) fn check_answer(
        &self,
        text: &str,
        target: &ModelEndpoint,
    ) -> Result<String, SummaryError> {
        check_summary(text, self.prompt.messages.chars().count(), &target.headings)
    }

    /// Returns the usage that the task is expected to have.
    pub(crate) fn expected_usage(
        &self,
        target: &ModelEndpoint,
        cache: Option<&AnswerCache>,
    ) -> ExpectedUsage {
        let id = self.question.id();
        let cache_hit = cache
            .and_then(|cache| cache.get(&id))
            .is_some_and(|stored| self.check_answer(&stored.text, target).is_ok());
        ExpectedUsage {
            id,
            cache_hit,
            input_tokens: self.prompt_tokens as u64,
            output_tokens: self.question.budget as u64,
        }
    }

    /// Returns the question with the middle of the conversation cut out, with its estimated number
    /// of tokens. Half of the conversation is kept, and at most two fifths of the model's input
    /// limit, as `docs/reference/deepagents.md` explains.
    pub(crate) fn shortened_question(&self, input_limit: Option<u64>) -> (ModelQuestion, usize) {
        let half = self.conversation_tokens / 2;
        let limit = input_limit.and_then(|limit| usize::try_from(limit.saturating_mul(2) / 5).ok());
        let budget = limit.map_or(half, |limit| limit.min(half));
        let shortened = self.prompt.without_middle(self.conversation_tokens, budget);
        let tokens = self.prompt_tokens.saturating_sub(self.conversation_tokens) + budget;
        let question = ModelQuestion { prompt: shortened.text(), ..self.question.clone() };
        (question, tokens)
    }
}
