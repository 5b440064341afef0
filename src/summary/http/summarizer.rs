//! The summarizer that asks a model. Calls are made on threads of their own, and
//! the caller only waits.

use crate::base::stop_flag::StopFlag;
use crate::reporting::report::SummaryUsage;
use crate::summary::error::SummaryError;
use crate::summary::http::call_threads::CallThreads;
use crate::summary::http::caller::ModelCaller;
use crate::summary::http::setup_error::HttpSetupError;
use crate::summary::model::{ModelEndpoint, SummaryTask};
use crate::summary::summarizer::{PendingAnswer, Summarizer, SummaryAnswer, SummaryRequest};
use std::sync::Arc;

/// A summarizer that asks a model.
pub(crate) struct HttpSummarizer {
    caller: Arc<ModelCaller>,
    threads: CallThreads,
}

impl HttpSummarizer {
    /// Creates the summarizer of an endpoint. `stop` is checked before every call, and set if no
    /// further call can succeed. Fails if the address is invalid, or the certificates or the cache
    /// can't be used.
    pub(crate) fn new(target: ModelEndpoint, stop: Arc<StopFlag>) -> Result<Self, HttpSetupError> {
        let threads = CallThreads::new(target.concurrency)
            .map_err(|error| HttpSetupError::Threads(error.to_string()))?;
        Ok(Self { caller: Arc::new(ModelCaller::new(target, stop)?), threads })
    }
}

impl Summarizer for HttpSummarizer {
    fn summarize(&self, request: &SummaryRequest<'_>) -> Result<String, SummaryError> {
        self.begin(request).wait().text
    }

    fn begin<'s>(&'s self, request: &SummaryRequest<'_>) -> PendingAnswer<'s> {
        let task = SummaryTask::new(&self.caller.target, request);
        let caller = Arc::clone(&self.caller);
        let model = caller.target.model.clone();
        let answer = self.threads.submit(move || caller.answer_task(&task));
        PendingAnswer::Later(Box::new(move || {
            answer.recv().unwrap_or_else(|_| SummaryAnswer {
                text: Err(SummaryError::Panicked),
                asked: Some(SummaryUsage { model, ..SummaryUsage::default() }),
            })
        }))
    }

    fn concurrent_calls(&self) -> usize {
        self.caller.target.concurrency
    }
}
