//! A function over a list, on several threads.

use crate::running::batch::error::RunError;
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use rayon::{ThreadPool, ThreadPoolBuilder};

/// Threads that apply a function to the elements of lists.
pub(crate) struct ParallelMap {
    /// None for a single thread: that of the caller works.
    pool: Option<ThreadPool>,
}

impl ParallelMap {
    /// Starts the threads. Fails if they can't be started.
    pub(crate) fn new(jobs: usize) -> Result<Self, RunError> {
        let start = || ThreadPoolBuilder::new().num_threads(jobs).build();
        let pool = (jobs > 1).then(start).transpose();
        Ok(Self { pool: pool.map_err(RunError::StartThreads)? })
    }

    /// Returns the results in the order of the elements.
    pub(crate) fn map<T: Send, R: Send>(
        &self,
        elements: Vec<T>,
        function: impl Fn(T) -> R + Sync + Send,
    ) -> Vec<R> {
        match &self.pool {
            Some(pool) if elements.len() > 1 => {
                pool.install(|| elements.into_par_iter().map(function).collect())
            }
            _ => elements.into_iter().map(function).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_have_the_order_of_the_elements() {
        for jobs in [1, 3] {
            let doubled = ParallelMap::new(jobs).unwrap().map((0..500).collect(), |n: u32| n * 2);
            assert!(doubled.iter().zip(0..).all(|(double, n)| *double == n * 2));
        }
    }
}
