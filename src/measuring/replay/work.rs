//! The work on one unit of input: its conversations are read once and replayed under each policy.

use crate::base::stop_flag::StopFlag;
use crate::deciding::model::Prices;
use crate::files::input::InputUnit;
use crate::measuring::replay::receiver::{PolicyOutput, ReplayedUnit};
use crate::measuring::replay::thread::{ReplaySettings, ReplayedThread, replay_thread};
use crate::measuring::replay::{thread_report::ThreadReport, training::TrainingOptions};
use crate::running::batch::{UnitWork, WorkerSlot};
use crate::running::conversation::{Conversation, Panicked, UnitRecord, catch_panic, read_unit};
use crate::settings::Settings;
use crate::summary::Summarizer;
use time::OffsetDateTime;

pub(crate) struct ReplayPolicy {
    pub(crate) name: String,
    pub(crate) settings: Settings,
    /// The summarizer, built when the run begins.
    pub(crate) summarizer: Option<Box<dyn Summarizer>>,
}

impl ReplayPolicy {
    /// Returns the most calls to a model that may be in flight at the same time.
    fn concurrent_calls(&self) -> usize {
        self.summarizer.as_ref().map_or(0, |summarizer| summarizer.concurrent_calls())
    }

    /// Returns true if a model writes the summaries.
    fn asks_model(&self) -> bool {
        self.concurrent_calls() > 0
    }
}

pub(crate) struct ReplayWork<'s> {
    pub(crate) policies: &'s [ReplayPolicy],
    /// The output directories, in the order of the policies.
    pub(crate) outputs: &'s [PolicyOutput],
    pub(crate) training: Option<&'s TrainingOptions>,
    pub(crate) prices: &'s Prices,
    /// The time in the headings of archive sections.
    pub(crate) now: OffsetDateTime,
    pub(crate) stop: &'s StopFlag,
}

impl UnitWork for ReplayWork<'_> {
    type Output = ReplayedUnit;

    /// Reads each conversation once and returns it under each policy.
    fn read_records<'u>(&self, unit: &'u InputUnit) -> Vec<UnitRecord<'u>> {
        let first = &self.policies[0].settings;
        let mut under_policies = Vec::new();
        for mut record in read_unit(unit, first) {
            record.allow_all_edits();
            let UnitRecord::Conversation(conversation) = record else {
                under_policies.push(record);
                continue;
            };
            let others: Vec<UnitRecord<'u>> = (1..self.policies.len())
                .map(|policy_index| {
                    let settings = &self.policies[policy_index].settings;
                    conversation.under(first, settings, policy_index)
                })
                .map(|other| UnitRecord::Conversation(Box::new(other)))
                .collect();
            under_policies.push(UnitRecord::Conversation(conversation));
            under_policies.extend(others);
        }
        under_policies
    }

    fn finish_unit(
        &self,
        unit: &InputUnit,
        records: Vec<UnitRecord<'_>>,
        slot: &mut WorkerSlot<'_>,
    ) -> ReplayedUnit {
        let file = &unit.file.name;
        let mut threads_by_policy: Vec<Vec<ReplayedThread>> =
            self.policies.iter().map(|_| Vec::new()).collect();
        for record in records {
            match record {
                UnitRecord::Unreadable(failure) => {
                    let format = unit.file.format.map(crate::reading::format::Format::name);
                    for (threads, policy) in threads_by_policy.iter_mut().zip(self.policies) {
                        let counter = policy.settings.counter(None, None).name();
                        let report = ThreadReport::unreadable(
                            file,
                            failure.line,
                            failure.column,
                            format,
                            counter,
                            failure.error.clone(),
                        );
                        threads.push(ReplayedThread::failed(report));
                    }
                }
                UnitRecord::Conversation(conversation) => {
                    let policy_index = conversation.policy_index();
                    let mut thread = if self.policies[policy_index].asks_model() {
                        slot.wait_without(|| self.replay_guarded(*conversation, file))
                    } else {
                        self.replay_guarded(*conversation, file)
                    };
                    thread.report.finish(self.prices);
                    threads_by_policy[policy_index].push(thread);
                }
            }
        }
        ReplayedUnit::new(threads_by_policy)
    }

    fn units_waiting(&self) -> usize {
        self.policies.iter().map(ReplayPolicy::concurrent_calls).max().unwrap_or(0)
    }

    fn has_stopped(&self) -> bool {
        self.stop.cause().is_some()
    }
}

impl ReplayWork<'_> {
    /// Replays a conversation. A panic costs only this conversation.
    fn replay_guarded(&self, conversation: Conversation<'_>, file: &str) -> ReplayedThread {
        let policy = &self.policies[conversation.policy_index()];
        let tree = &self.outputs[conversation.policy_index()].tree;
        let setting = ReplaySettings {
            settings: &policy.settings,
            summarizer: policy.summarizer.as_deref(),
            training: self.training,
            prices: self.prices,
            now: self.now,
            stop: self.stop,
        };
        let counter = policy
            .settings
            .counter(conversation.model.as_deref(), conversation.provider.as_deref());
        let mut report = ThreadReport::new(&conversation, file, counter.name());
        let replayed =
            catch_panic::<_, Panicked>(|| Ok(replay_thread(conversation, file, &setting, tree)));
        replayed.unwrap_or_else(|error| {
            report.fail(error.to_string());
            ReplayedThread::failed(report)
        })
    }
}
