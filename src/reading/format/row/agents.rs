//! The agents that share a log: each has a thread of its own.

use crate::reading::format::journal::JournalThread;
use std::collections::HashMap;

/// The agents in the order of their first lines. The main agent has no name.
pub(crate) struct Agents<T> {
    agents: Vec<(Option<String>, T)>,
    by_name: HashMap<Option<String>, usize>,
}

impl<T> Default for Agents<T> {
    fn default() -> Self {
        Self { agents: Vec::new(), by_name: HashMap::new() }
    }
}

impl<T> Agents<T> {
    /// Returns the agent with this name, which may be new.
    pub(crate) fn agent(&mut self, name: Option<String>, new: impl FnOnce() -> T) -> &mut T {
        let count = self.agents.len();
        let index = *self.by_name.entry(name.clone()).or_insert(count);
        if index == count {
            self.agents.push((name, new()));
        }
        &mut self.agents[index].1
    }

    /// Builds the threads of the agents that said anything. `id` is the one of the main agent.
    pub(crate) fn into_threads(
        self,
        id: Option<String>,
        mut build: impl FnMut(T) -> JournalThread,
    ) -> Vec<JournalThread> {
        let threads = self.agents.into_iter().map(|(name, agent)| {
            let mut thread = build(agent);
            thread.id = match (&id, name) {
                (Some(id), Some(name)) => Some(format!("{id}-agent-{name}")),
                (id, name) => id.clone().or(name),
            };
            thread
        });
        threads.filter(|thread| thread.len() > 0).collect()
    }
}
