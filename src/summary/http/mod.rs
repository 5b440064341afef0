//! A model behind an HTTP interface as summarizer. Calls are made on threads of
//! their own, as many as may run at the same time; who asks only waits.

mod ask;
mod batches;
mod pace;
mod pool;
mod purse;
mod tls;
mod wire;

pub use batches::{BatchClient, BatchStatus, OpenUpload};

use crate::report::SummaryUsage;
use crate::summary::model::{ModelEndpoint, SummaryTask};
use crate::summary::stop::StopFlag;
use crate::summary::{PendingAnswer, Summarizer, SummaryAnswer, SummaryRequest};
use ask::ModelCaller;
use pool::CallThreads;
use std::sync::Arc;

/// Asks a model.
pub struct HttpSummarizer {
    asker: Arc<ModelCaller>,
    pool: CallThreads,
}

impl HttpSummarizer {
    /// For this model; `stop` is looked at before every call, and set where no further call can succeed.
    ///
    /// # Errors
    /// If the address is none, or the system's certificates or the cache can't be used.
    pub fn new(target: ModelEndpoint, stop: Arc<StopFlag>) -> Result<Self, String> {
        let pool = CallThreads::new(target.concurrency)
            .map_err(|error| format!("can't start threads: {error}"))?;
        Ok(Self {
            asker: Arc::new(ModelCaller::new(target, stop)?),
            pool,
        })
    }
}

impl Summarizer for HttpSummarizer {
    fn summarize(&self, request: &SummaryRequest<'_>) -> Result<String, String> {
        self.begin(request).wait().text
    }

    fn begin<'s>(&'s self, request: &SummaryRequest<'_>) -> PendingAnswer<'s> {
        let task = SummaryTask::new(&self.asker.target, request);
        let asker = Arc::clone(&self.asker);
        let model = asker.target.model.clone();
        let answer = self.pool.submit(move || asker.answer(&task));
        PendingAnswer::Later(Box::new(move || {
            let lost = || SummaryAnswer {
                text: Err("internal error: asking the model panicked; please report it".to_owned()),
                asked: Some(SummaryUsage {
                    model,
                    ..SummaryUsage::default()
                }),
            };
            answer.recv().unwrap_or_else(|_| lost())
        }))
    }

    fn waits_for(&self) -> usize {
        self.asker.target.concurrency
    }
}
