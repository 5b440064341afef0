//! One summary: from the cache, else from the server, with all that may go wrong.

use super::pace::{RequestPacing, backoff, sleep_until};
use super::purse::CallBudget;
use super::wire::{CallError, ModelConnection};
use crate::report::SummaryUsage;
use crate::summary::SummaryAnswer;
use crate::summary::cache::{AnswerCache, CachedAnswer};
use crate::summary::model::{ModelEndpoint, ModelQuestion, ModelReply, SummaryTask, request_body};
use crate::summary::stop::{StopCause, StopFlag};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// So many failures with no answer between them are no accident.
const FAILURES_IN_A_ROW: u64 = 10;

/// What all threads share.
pub(super) struct ModelCaller {
    pub(super) target: ModelEndpoint,
    wire: ModelConnection,
    cache: Option<AnswerCache>,
    pace: RequestPacing,
    purse: CallBudget,
    stop: Arc<StopFlag>,
    /// Calls that failed since the last answer.
    failed: AtomicU64,
}

impl ModelCaller {
    pub(super) fn new(target: ModelEndpoint, stop: Arc<StopFlag>) -> Result<Self, String> {
        let cache = match &target.cache {
            Some(directory) => {
                let opened = AnswerCache::open(directory);
                Some(opened.map_err(|error| {
                    format!(
                        "can't use the cache {}: {error}; name another with --cache",
                        directory.display()
                    )
                })?)
            }
            None => None,
        };
        let purse = CallBudget::new(target.max_calls, target.max_cost, target.price);
        let wire = ModelConnection::new(&target)?;
        Ok(Self {
            wire,
            cache,
            pace: RequestPacing::default(),
            purse,
            stop,
            failed: AtomicU64::new(0),
            target,
        })
    }

    /// The summary; a question that was answered before is not asked again.
    pub(super) fn answer(&self, task: &SummaryTask) -> SummaryAnswer {
        let id = task.question.id();
        let mut asked = SummaryUsage {
            id,
            model: self.target.model.clone(),
            ..SummaryUsage::default()
        };
        let text = match self.cached(task, &mut asked) {
            Some(text) => Ok(text),
            None => {
                // Held until the answer is in the cache: who asks the same waits, and finds it there.
                let _lock = self
                    .cache
                    .as_ref()
                    .and_then(|cache| cache.lock(&asked.id, || self.stop.cause().is_some()));
                self.cached(task, &mut asked)
                    .map_or_else(|| self.ask(task, &mut asked), Ok)
            }
        };
        SummaryAnswer {
            text: text.map_err(|why| self.target.mask(&why)),
            asked: Some(asked),
        }
    }

    fn cached(&self, task: &SummaryTask, asked: &mut SummaryUsage) -> Option<String> {
        let stored = self.cache.as_ref()?.get(&asked.id)?;
        // By today's rules, which may be stricter.
        let text = task.check(&stored.text, &self.target).ok()?;
        asked.cache_hit = true;
        Some(text)
    }

    fn ask(&self, task: &SummaryTask, asked: &mut SummaryUsage) -> Result<String, String> {
        let deadline = Instant::now() + self.target.deadline;
        let reply = match self.call(&task.question, task.prompt_tokens, deadline, asked) {
            Err(CallError::Overflow(_)) => self.call_cut(task, deadline, asked),
            other => other,
        };
        let reply = match reply {
            Ok(reply) => reply,
            Err(trouble) => return Err(self.give_up(trouble)),
        };
        self.failed.store(0, Ordering::SeqCst);
        let text = task.check(&reply.text?, &self.target)?;
        if let Some(cache) = &self.cache {
            let stored = CachedAnswer::new(
                &asked.id,
                &self.target.model,
                &text,
                reply.input_tokens,
                reply.output_tokens,
            );
            // The answer is good without it, but a rerun would pay again.
            asked.warning = cache
                .put(&stored)
                .err()
                .map(|error| format!("the answer can't be kept in the cache: {error}"));
        }
        Ok(text)
    }

    /// The same question once more, with the middle of the conversation cut out (spec: deepagents, section 5).
    fn call_cut(
        &self,
        task: &SummaryTask,
        deadline: Instant,
        asked: &mut SummaryUsage,
    ) -> Result<ModelReply, CallError> {
        let (question, tokens) = task.cut(self.target.input_limit);
        self.call(&question, tokens, deadline, asked)
    }

    /// One call, repeated while there is hope and time.
    fn call(
        &self,
        question: &ModelQuestion,
        tokens: usize,
        deadline: Instant,
        asked: &mut SummaryUsage,
    ) -> Result<ModelReply, CallError> {
        if let Some(cause) = self.stop.cause() {
            return Err(stopped(cause));
        }
        let reserved = self
            .purse
            .reserve(tokens as u64, question.most_output())
            .map_err(CallError::NotAsked)?;
        asked.calls += 1;
        let body = request_body(question, self.target.dialect, self.target.spelling())
            .to_string()
            .into_bytes();
        let reply = self.attempts(&body, deadline, asked);
        let (input, output) = reply
            .as_ref()
            .map_or((0, 0), |reply| (reply.input_tokens, reply.output_tokens));
        self.purse.settle(reserved, input, output);
        if reply.is_ok() {
            asked.input_tokens += input;
            asked.output_tokens += output;
            asked.cost = self.purse.cost(asked.input_tokens, asked.output_tokens);
        }
        reply
    }

    fn attempts(
        &self,
        body: &[u8],
        deadline: Instant,
        asked: &mut SummaryUsage,
    ) -> Result<ModelReply, CallError> {
        let mut attempt = 0;
        loop {
            if !self.pace.wait(deadline, &self.stop) {
                let why = "the server wants a longer pause than the time that is left (--deadline)"
                    .to_owned();
                return Err(self.stop.cause().map_or(CallError::Never(why), stopped));
            }
            let left = deadline.saturating_duration_since(Instant::now());
            let (why, after, unreachable) = match self.wire.ask(
                &self.target,
                body.to_vec(),
                self.target.timeout.min(left),
                |pause| self.pace.hold(pause),
            ) {
                Err(CallError::Again {
                    why,
                    after,
                    unreachable,
                }) => (why, after, unreachable),
                done => return done,
            };
            let wait = backoff(attempt, after);
            let up = |reason: String| CallError::Again {
                why: format!("{why}; {reason}"),
                after: None,
                unreachable,
            };
            if attempt >= self.target.retries {
                return Err(up(format!("given up after {} attempts", attempt + 1)));
            }
            if Instant::now() + wait > deadline {
                return Err(up(format!(
                    "given up after {} attempts: no time is left to wait (--deadline)",
                    attempt + 1
                )));
            }
            if let Some(after) = after {
                self.pace.hold(after);
            }
            if !sleep_until(Instant::now() + wait, &self.stop) {
                return Err(self.stop.cause().map_or(CallError::Never(why), stopped));
            }
            attempt += 1;
            asked.retries += 1;
        }
    }

    /// Why there is no summary; ends the run where no further one can succeed.
    fn give_up(&self, trouble: CallError) -> String {
        match trouble {
            CallError::Hopeless(why)
            | CallError::Again {
                why,
                unreachable: true,
                ..
            } => {
                self.stop.set_failure(&self.target.mask(&why));
                why
            }
            CallError::Overflow(why) => {
                format!("{why}; also with the middle of the conversation cut out")
            }
            CallError::NotAsked(why) => why,
            CallError::Never(why) | CallError::Again { why, .. } => {
                if self.failed.fetch_add(1, Ordering::SeqCst) + 1 >= FAILURES_IN_A_ROW {
                    self.stop.set_failure(&self.target.mask(&format!(
                        "{FAILURES_IN_A_ROW} calls in a row failed, the last because {why}"
                    )));
                }
                why
            }
        }
    }
}

fn stopped(cause: StopCause<'_>) -> CallError {
    CallError::NotAsked(match cause {
        StopCause::Signal(_) => "not asked: the run was interrupted".to_owned(),
        StopCause::Failed(why) => format!("not asked: {why}"),
    })
}
