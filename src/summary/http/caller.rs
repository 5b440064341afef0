//! Answers to tasks, from the cache or from the server, with retries and limits.

use crate::base::stop_flag::StopCause;
use crate::summary::answer_cache::{AnswerCache, CachedAnswer};
use crate::summary::http::call_budget::CallBudget;
use crate::summary::http::call_error::CallError;
use crate::summary::http::connection::ModelConnection;
use crate::summary::http::pacing::{RequestPacing, backoff, sleep_until};
use crate::summary::http::prelude::*;
use crate::summary::model::{ModelQuestion, request_body};
use crate::summary::summarizer::SummaryAnswer;
use anyhow::anyhow;
use std::sync::atomic::{AtomicU64, Ordering};

/// The number of failed calls in a row that ends the run.
const MAX_FAILURES_IN_A_ROW: u64 = 10;

/// The state that all calling threads share.
pub(super) struct ModelCaller {
    pub(super) target: ModelEndpoint,
    connection: ModelConnection,
    cache: Option<AnswerCache>,
    pacing: RequestPacing,
    budget: CallBudget,
    stop: Arc<StopFlag>,
    /// The number of failed calls since the last answer.
    failures: AtomicU64,
}

impl ModelCaller {
    pub(super) fn new(target: ModelEndpoint, stop: Arc<StopFlag>) -> anyhow::Result<Self> {
        let cache = match &target.cache {
            Some(directory) => Some(AnswerCache::open(directory).map_err(|error| {
                anyhow!(
                    "can't use the cache {}: {error}; name another with summarizer.cache",
                    directory.display()
                )
            })?),
            None => None,
        };
        Ok(Self {
            connection: ModelConnection::new(&target)?,
            cache,
            pacing: RequestPacing::default(),
            budget: CallBudget::new(target.max_calls, target.max_cost, target.price),
            stop,
            failures: AtomicU64::new(0),
            target,
        })
    }

    /// Returns the summary of a task. A question with a cached answer is not asked again.
    pub(super) fn answer_task(&self, task: &SummaryTask) -> SummaryAnswer {
        let usage = SummaryUsage {
            id: task.question.id(),
            model: self.target.model.clone(),
            ..SummaryUsage::default()
        };
        let mut call = SummaryCall {
            caller: self,
            task,
            usage,
            deadline: Instant::now() + self.target.deadline,
        };
        let in_flight = self.stop.begin_call();
        let text = call.cached_or_asked();
        drop(in_flight);
        SummaryAnswer {
            text: text.map_err(|error| error.masked(|text| self.target.mask(text))),
            asked: Some(call.usage),
        }
    }

    /// Turns the failure of a call into the failure of the summary. Stops the run if no further
    /// call can succeed.
    fn give_up(&self, error: CallError) -> SummaryError {
        match error {
            CallError::Fatal(reason)
            | CallError::Temporary { reason, is_unreachable: true, .. } => {
                self.stop.set_failure(&self.target.mask(&reason));
                SummaryError::RequestFailed(reason)
            }
            CallError::ContextOverflow(reason) => SummaryError::InputTooLong(reason),
            CallError::NotAsked(reason) => SummaryError::NotAsked(reason),
            CallError::Rejected(reason) | CallError::Temporary { reason, .. } => {
                if self.failures.fetch_add(1, Ordering::SeqCst) + 1 >= MAX_FAILURES_IN_A_ROW {
                    self.stop.set_failure(&self.target.mask(&format!(
                        "{MAX_FAILURES_IN_A_ROW} calls in a row failed, the last because {reason}"
                    )));
                }
                SummaryError::RequestFailed(reason)
            }
        }
    }

    /// Returns the error of a call that the stop flag ended, or `otherwise` if the flag is not set.
    fn stopped_or(&self, otherwise: CallError) -> CallError {
        self.stop.cause().map_or(otherwise, stopped_error)
    }
}

/// The code points of a token, at most, where a call is paid.
const CHARS_PER_TOKEN: usize = 4;

struct SummaryCall<'c> {
    caller: &'c ModelCaller,
    task: &'c SummaryTask,
    usage: SummaryUsage,
    deadline: Instant,
}

impl SummaryCall<'_> {
    fn cached_or_asked(&mut self) -> Result<String, SummaryError> {
        if let Some(text) = self.cached_text() {
            return Ok(text);
        }
        // The lock is held until the answer is in the cache. Others who ask the same wait, and find
        // it there.
        let _lock =
            self.caller.cache.as_ref().and_then(|cache| {
                cache.lock(&self.usage.id, || self.caller.stop.cause().is_some())
            });
        match self.cached_text() {
            Some(text) => Ok(text),
            None => self.ask_model(),
        }
    }

    /// Returns the cached answer, if it keeps the rules of this run, which may be stricter than
    /// those of earlier runs.
    fn cached_text(&mut self) -> Option<String> {
        let stored = self.caller.cache.as_ref()?.get(&self.usage.id)?;
        let text = self.task.check_answer(&stored.text, &self.caller.target).ok()?;
        self.usage.cache_hit = true;
        Some(text)
    }

    fn ask_model(&mut self) -> Result<String, SummaryError> {
        let ModelCaller { target, cache, .. } = self.caller;
        self.deadline = Instant::now() + target.deadline;
        let reply = match self.call_within_budget(&self.task.question, self.task.prompt_tokens) {
            // The same question is asked again with the middle of the conversation cut out.
            Err(CallError::ContextOverflow(_)) => {
                let (question, tokens) = self.task.shortened_question(target.input_limit);
                self.call_within_budget(&question, tokens)
            }
            other => other,
        };
        let reply = reply.map_err(|error| self.caller.give_up(error))?;
        self.caller.failures.store(0, Ordering::SeqCst);
        let text = self.task.check_answer(&reply.text?, target)?;
        if let Some(cache) = cache {
            let stored = CachedAnswer::new(
                &self.usage.id, &target.model, &text, reply.input_tokens, reply.output_tokens,
            );
            // The answer is good without the cache, but another run would pay again.
            self.usage.warning = cache
                .put(&stored)
                .err()
                .map(|error| format!("the answer can't be kept in the cache: {error}"));
        }
        Ok(text)
    }

    /// Makes a call within the budget, with retries until the deadline.
    fn call_within_budget(
        &mut self,
        question: &ModelQuestion,
        tokens: usize,
    ) -> Result<ModelReply, CallError> {
        let ModelCaller { target, budget, stop, .. } = self.caller;
        if let Some(cause) = stop.cause() {
            return Err(stopped_error(cause));
        }
        // The counter of a configuration that was found may estimate far too little.
        let tokens = tokens.max(question.prompt.chars().count() / CHARS_PER_TOKEN) as u64;
        let reserved =
            budget.reserve(tokens, question.max_output_tokens()).map_err(CallError::NotAsked)?;
        self.usage.calls += 1;
        let body = request_body(question, target.dialect, target.output_limit_field())
            .to_string()
            .into_bytes();
        let reply = self.call_with_retries(&body);
        let (input, output) =
            reply.as_ref().map_or((0, 0), |reply| (reply.input_tokens, reply.output_tokens));
        // Where the server does not say what an answer used, the reservation is what it cost.
        if reply.is_err() || input > 0 {
            budget.settle(reserved, input, output);
        }
        if reply.is_ok() {
            self.usage.input_tokens += input;
            self.usage.output_tokens += output;
            self.usage.cost = budget.cost(self.usage.input_tokens, self.usage.output_tokens);
        }
        reply
    }

    fn call_with_retries(&mut self, body: &[u8]) -> Result<ModelReply, CallError> {
        let caller = self.caller;
        let mut attempt = 0;
        loop {
            let (reason, after, is_unreachable) = match self.send_when_clear(body) {
                Err(CallError::Temporary { reason, after, is_unreachable }) => {
                    (reason, after, is_unreachable)
                }
                other => return other,
            };
            let next = Instant::now() + backoff(attempt, after);
            let given_up = if attempt >= caller.target.retries {
                Some("")
            } else if next > self.deadline {
                Some(": no time is left to wait (summarizer.deadline)")
            } else {
                None
            };
            if let Some(detail) = given_up {
                return Err(CallError::Temporary {
                    reason: format!("{reason}; gave up after {} attempts{detail}", attempt + 1),
                    after: None,
                    is_unreachable,
                });
            }
            if let Some(after) = after {
                caller.pacing.hold_requests(after);
            }
            if !sleep_until(next, &caller.stop) {
                return Err(caller.stopped_or(CallError::Rejected(reason)));
            }
            attempt += 1;
            self.usage.retries += 1;
        }
    }

    /// Sends the question once, after the pause that the server asked for.
    fn send_when_clear(&self, body: &[u8]) -> Result<ModelReply, CallError> {
        let caller = self.caller;
        if !caller.pacing.wait_until_clear(self.deadline, &caller.stop) {
            let reason =
                "the server wants a longer pause than the time that is left (summarizer.deadline)";
            return Err(caller.stopped_or(CallError::Rejected(reason.to_owned())));
        }
        let left = self.deadline.saturating_duration_since(Instant::now());
        let timeout: Duration = caller.target.timeout.min(left);
        caller.connection.send_question(&caller.target, body.to_vec(), timeout, |pause| {
            caller.pacing.hold_requests(pause);
        })
    }
}

fn stopped_error(cause: StopCause<'_>) -> CallError {
    CallError::NotAsked(match cause {
        StopCause::Signal(_) => NotAskedReason::Interrupted,
        StopCause::Failed(reason) => NotAskedReason::RunFailed(reason.to_owned()),
    })
}
