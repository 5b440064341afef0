//! The summarizer that asks a model. Calls are made on threads of their own, and
//! the caller only waits.

use crate::summary::http::caller::ModelCaller;
use crate::summary::http::prelude::*;
use crate::summary::summarizer::{PendingAnswer, Summarizer, SummaryAnswer, SummaryRequest};
use anyhow::anyhow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};

/// A summarizer that asks a model.
pub(crate) struct HttpSummarizer {
    caller: Arc<ModelCaller>,
    threads: CallThreads,
}

impl HttpSummarizer {
    /// Creates the summarizer of an endpoint. `stop` is checked before every call, and set if no
    /// further call can succeed. Fails if the address is invalid, or the certificates or the cache
    /// can't be used.
    pub(crate) fn new(target: ModelEndpoint, stop: Arc<StopFlag>) -> anyhow::Result<Self> {
        let threads = CallThreads::new(target.concurrency)
            .map_err(|error| anyhow!("can't start threads: {error}"))?;
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

type CallJob = Box<dyn FnOnce() + Send>;

/// A fixed number of threads. They end when the value is dropped and all jobs are finished.
pub(super) struct CallThreads {
    jobs: Sender<CallJob>,
}

impl CallThreads {
    pub(super) fn new(threads: usize) -> std::io::Result<Self> {
        let (jobs, queue) = channel::<CallJob>();
        let queue = Arc::new(Mutex::new(queue));
        for _ in 0..threads {
            let queue = Arc::clone(&queue);
            std::thread::Builder::new().name("http".to_owned()).spawn(move || run_jobs(&queue))?;
        }
        Ok(Self { jobs })
    }

    /// Queues a job for the next free thread. If the job panics, the receiver is disconnected.
    pub(super) fn submit<T: Send + 'static>(
        &self,
        job: impl FnOnce() -> T + Send + 'static,
    ) -> Receiver<T> {
        let (sender, receiver) = channel();
        let job = move || {
            // The receiver is gone if the run has ended. The answer is in the cache by then.
            let _ = sender.send(job());
        };
        // The threads live as long as the sender, so that sending does not fail.
        let _ = self.jobs.send(Box::new(job));
        receiver
    }
}

fn run_jobs(queue: &Mutex<Receiver<CallJob>>) {
    loop {
        // The lock is held while a thread waits for a job, not while it runs the job.
        let next = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(job) = next else { return };
        // A panic drops the sender, which disconnects the receiver.
        let _ = catch_unwind(AssertUnwindSafe(job));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn jobs_are_limited_by_threads_and_a_panic_loses_a_single_job() {
        let pool = CallThreads::new(2).unwrap();
        let (working, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let job = |number: usize| {
            let (working, most) = (Arc::clone(&working), Arc::clone(&most));
            pool.submit(move || {
                most.fetch_max(working.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                std::thread::sleep(Duration::from_millis(5));
                working.fetch_sub(1, Ordering::SeqCst);
                assert!(number != 3, "this job panics");
                number
            })
        };
        let answers: Vec<_> = (0..8).map(job).collect();
        let answers: Vec<Option<usize>> =
            answers.into_iter().map(|answer| answer.recv().ok()).collect();
        let but_one = (0..8).map(|number| (number != 3).then_some(number));
        assert_eq!(answers, but_one.collect::<Vec<_>>());
        assert_eq!(most.load(Ordering::SeqCst), 2);
    }
}
