//! A model behind an HTTP interface as summarizer. Calls are made on threads of
//! their own, as many as may run at the same time; who asks only waits.

mod ask;
mod batches;
mod pace;
mod pool;
mod purse;
mod tls;
mod wire;

pub use batches::{Batches, Open, State};

use crate::report::SummaryUsage;
use crate::summary::model::{Target, Task};
use crate::summary::stop::Stop;
use crate::summary::{Answer, Pending, Request, Summarizer};
use ask::Asker;
use pool::Pool;
use std::sync::Arc;

/// Asks a model.
pub struct Http {
    asker: Arc<Asker>,
    pool: Pool,
}

impl Http {
    /// For this model; `stop` is looked at before every call, and set where no further call can succeed.
    ///
    /// # Errors
    /// If the address is none, or the system's certificates or the cache can't be used.
    pub fn new(target: Target, stop: Arc<Stop>) -> Result<Self, String> {
        let pool = Pool::new(target.concurrency)
            .map_err(|error| format!("can't start threads: {error}"))?;
        Ok(Self {
            asker: Arc::new(Asker::new(target, stop)?),
            pool,
        })
    }
}

impl Summarizer for Http {
    fn summarize(&self, request: &Request<'_>) -> Result<String, String> {
        self.begin(request).wait().text
    }

    fn begin<'s>(&'s self, request: &Request<'_>) -> Pending<'s> {
        let task = Task::new(&self.asker.target, request);
        let asker = Arc::clone(&self.asker);
        let model = asker.target.model.clone();
        let answer = self.pool.submit(move || asker.answer(&task));
        Pending::Later(Box::new(move || {
            let lost = || Answer {
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
