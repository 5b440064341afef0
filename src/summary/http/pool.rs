//! Threads that do nothing but wait for servers.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

type CallJob = Box<dyn FnOnce() + Send>;

/// A fixed number of threads. They end when the pool is dropped and its jobs are done.
pub(super) struct CallThreads {
    jobs: Sender<CallJob>,
}

impl CallThreads {
    /// Starts so many threads.
    pub(super) fn new(threads: usize) -> std::io::Result<Self> {
        let (jobs, queue) = channel::<CallJob>();
        let queue = Arc::new(Mutex::new(queue));
        for _ in 0..threads {
            let queue = Arc::clone(&queue);
            std::thread::Builder::new()
                .name("http".to_owned())
                .spawn(move || work(&queue))?;
        }
        Ok(Self { jobs })
    }

    /// Runs a job when a thread is free. If it panics, its receiver gets nothing.
    pub(super) fn submit<T: Send + 'static>(
        &self,
        job: impl FnOnce() -> T + Send + 'static,
    ) -> Receiver<T> {
        let (sender, receiver) = channel();
        let job = move || {
            // Nobody waits any more if the run has ended; what was paid is in the cache by then.
            let _ = sender.send(job());
        };
        // The threads live as long as the sender.
        let _ = self.jobs.send(Box::new(job));
        receiver
    }
}

fn work(queue: &Mutex<Receiver<CallJob>>) {
    loop {
        // Held only while one thread waits for a job, never while it works.
        let next = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(job) = next else { return };
        // The receiver learns of a panic because its sender is gone.
        let _ = catch_unwind(AssertUnwindSafe(job));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn no_more_jobs_than_threads_and_a_panic_costs_one() {
        let pool = CallThreads::new(2).unwrap();
        let (working, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let job = |number: usize| {
            let (working, most) = (Arc::clone(&working), Arc::clone(&most));
            pool.submit(move || {
                most.fetch_max(working.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                std::thread::sleep(std::time::Duration::from_millis(5));
                working.fetch_sub(1, Ordering::SeqCst);
                assert!(number != 3, "this one panics");
                number
            })
        };
        let answers: Vec<_> = (0..8).map(job).collect();
        let answers: Vec<Option<usize>> = answers
            .into_iter()
            .map(|answer| answer.recv().ok())
            .collect();
        assert_eq!(
            answers,
            (0..8)
                .map(|number| (number != 3).then_some(number))
                .collect::<Vec<_>>()
        );
        assert_eq!(most.load(Ordering::SeqCst), 2);
    }
}
