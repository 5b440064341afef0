//! The graph of a Claude Code session: lines linked by `parentUuid`.
//!
//! The live conversation is the path from the last line to its root, which is the last compaction
//! if there is one. Sub-agents in the file (`isSidechain`) are separate threads. See
//! `docs/reference/formats.md`.

use crate::error::RecordError;
use crate::format::claude_lines::{ClaudeLines, ParentPath};
use crate::format::claude_live_lines::LineGroups;
use crate::format::claude_turns::{ClaudeTurn, build_thread};
use crate::format::journal::{JournalReader, JournalThread};
use crate::format::tree::JsonNode;
use crate::transcript::journal::WriteMode;
use std::collections::HashMap;

/// A session, read line by line.
pub(super) struct ClaudeSession {
    lines: ClaudeLines,
    /// The number of attachments.
    attachments: usize,
    write_mode: WriteMode,
}

/// The identity of a thread.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct ClaudeThreadKey {
    session: Option<String>,
    /// The id of a sub-agent, or the uuid of its first line; `None` for the main agent.
    agent: Option<String>,
}

/// The end of a thread.
struct ThreadLeaf<'s> {
    key: ClaudeThreadKey,
    /// The uuid of the last turn.
    leaf: &'s str,
    /// The number of turns, on all branches.
    turns: usize,
}

impl JournalReader for ClaudeSession {
    fn observe_record(&mut self, at: usize, record: JsonNode<'_>) -> Result<(), RecordError> {
        // Titles, snapshots of files and notes of queues have no uuid: they are not in the graph.
        let Some(uuid) = record.non_empty_text("uuid") else {
            return Ok(());
        };
        self.attachments += usize::from(record.has_text("type", "attachment"));
        self.lines.insert(uuid, at, record);
        Ok(())
    }

    fn into_threads(self: Box<Self>, records: &[&[u8]]) -> Vec<JournalThread> {
        let mut threads: Vec<(ThreadLeaf<'_>, ParentPath<'_>)> = self
            .find_leaves()
            .into_iter()
            .map(|leaf| {
                let path = self.lines.path_to(leaf.leaf);
                (leaf, path)
            })
            .collect();
        // A session that continues under another id is one conversation: a path that leads into a
        // longer one is a part of it.
        let is_part: Vec<bool> = threads
            .iter()
            .map(|(leaf, path)| {
                leaf.key.agent.is_none()
                    && threads
                        .iter()
                        .any(|(other, longer)| other.key != leaf.key && longer.contains_path(path))
            })
            .collect();
        let mut is_part = is_part.into_iter();
        threads.retain(|_| !is_part.next().unwrap_or_default());
        let groups = LineGroups::new(&self.lines);
        threads
            .into_iter()
            .map(|(leaf, path)| {
                let turns: Vec<&ClaudeTurn> = groups
                    .live_lines(&path)
                    .into_iter()
                    .filter_map(|uuid| self.lines.turn_of(uuid))
                    .collect();
                self.build_thread(&leaf, &path, &turns, records)
            })
            .filter(|thread| thread.len() > 0)
            .collect()
    }
}

impl ClaudeSession {
    pub(super) fn new(write_mode: WriteMode) -> Self {
        Self {
            lines: ClaudeLines::default(),
            attachments: 0,
            write_mode,
        }
    }

    /// Returns the threads in the order of their first turns.
    fn find_leaves(&self) -> Vec<ThreadLeaf<'_>> {
        let mut leaves: Vec<ThreadLeaf<'_>> = Vec::new();
        let mut index_of: HashMap<ClaudeThreadKey, usize> = HashMap::new();
        for uuid in self.lines.uuids() {
            if self.lines.turn_of(uuid).is_none() {
                continue;
            }
            let key = self.thread_key(uuid);
            let index = *index_of.entry(key.clone()).or_insert(leaves.len());
            if index == leaves.len() {
                leaves.push(ThreadLeaf {
                    key,
                    leaf: uuid,
                    turns: 0,
                });
            }
            leaves[index].leaf = uuid;
            leaves[index].turns += 1;
        }
        leaves
    }

    fn thread_key(&self, uuid: &str) -> ClaudeThreadKey {
        let line = self.lines.line(uuid);
        let agent = line.is_sidechain.then(|| {
            line.agent
                .clone()
                .unwrap_or_else(|| self.lines.first_of_sidechain(uuid).to_owned())
        });
        ClaudeThreadKey {
            session: line.session.clone(),
            agent,
        }
    }

    /// Builds a thread from the turns that are sent.
    fn build_thread(
        &self,
        leaf: &ThreadLeaf<'_>,
        path: &ParentPath<'_>,
        turns: &[&ClaudeTurn],
        records: &[&[u8]],
    ) -> JournalThread {
        let last = records.len().saturating_sub(1);
        let mut thread = build_thread(turns, records, self.write_mode, last);
        thread.id = match (&leaf.key.session, &leaf.key.agent) {
            (Some(session), Some(agent)) => Some(format!("{session}-agent-{agent}")),
            (session, agent) => session.clone().or(agent.clone()),
        };
        thread.warnings.extend(path.warning.clone());
        let starts_at_boundary = path
            .lines
            .first()
            .is_some_and(|root| self.lines.line(root).is_boundary);
        let lines = leaf.turns;
        if lines > turns.len() && !starts_at_boundary {
            thread.warnings.push(format!(
                "{} of its {lines} lines lie on branches that were left: they are not sent",
                lines - turns.len()
            ));
        }
        if self.attachments > 0 && leaf.key.agent.is_none() {
            thread.warnings.push(format!(
                "{} attachments are not counted: what of them is sent is not in the log",
                self.attachments
            ));
        }
        thread
    }
}
