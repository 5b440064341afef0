//! The graph of a Claude Code session: lines linked by `parentUuid`.
//!
//! The live conversation is the path from the last line to its root, which is the last compaction
//! if there is one. Sub-agents in the file (`isSidechain`) are separate threads. See
//! `docs/reference/formats.md`.

use crate::base::foreign_text::shorten_value;
use crate::reading::format::claude_lines::{ClaudeLines, ParentPath};
use crate::reading::format::claude_live_lines::LineGroups;
use crate::reading::format::claude_turns::{ClaudeTurn, build_thread};
use crate::reading::format::prelude::*;
use std::collections::BTreeMap;

/// The length of all threads together, as a multiple of the length of the journal.
const MAX_REPEATS: usize = 4;
/// The length in bytes that all threads together may have in any case.
const FREE_BYTES: usize = 16 << 20;

/// A session, read line by line.
#[derive(Default)]
pub(super) struct ClaudeSession {
    lines: ClaudeLines,
    write_mode: WriteMode,
    /// The length of all records.
    bytes: usize,
    /// Index of the next record.
    next: usize,
    /// Index of the first record behind the last state that was asked for.
    since: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct ClaudeThreadKey {
    session: Option<String>,
    /// The id of a sub-agent, or the uuid of its first line; `None` for the main agent.
    agent: Option<String>,
}

struct ThreadLeaf<'s> {
    key: ClaudeThreadKey,
    /// The uuid of the last turn.
    leaf: &'s str,
    /// The number of turns, on all branches.
    turns: usize,
}

impl JournalReader for ClaudeSession {
    fn observe_record(&mut self, record: JsonNode<'_>) -> Result<()> {
        self.bytes += record.record_bytes().len();
        self.next = record.record_index() + 1;
        // Titles, snapshots of files and notes of queues have no uuid: they are not in the graph.
        let Some(uuid) = record.non_empty_text("uuid") else {
            return Ok(());
        };
        self.lines.insert(uuid, record)
    }

    fn threads_so_far(&mut self, records: &[&[u8]]) -> Vec<JournalThread> {
        let live = self.live_threads();
        let threads = live.threads.iter();
        let threads = threads.map(|thread| self.build_thread(thread, records));
        let mut threads: Vec<JournalThread> = threads.filter(|thread| thread.len() > 0).collect();
        if let Some(first) = threads.first_mut() {
            let reason = format!(
                "its conversation is left out: the sessions of this file that begin with the same lines would be more than {MAX_REPEATS} times as long as the file"
            );
            let left_out = live.left_out.into_iter();
            first.unread = left_out.map(|at| (at, RecordError::new(reason.clone()))).collect();
        }
        threads
    }

    /// A long session with many compactions and sub-agents is not passed through for each of them.
    fn forget(&mut self) {
        let live = self.live_threads();
        let kept = live.threads.iter().flat_map(|thread| {
            let path = thread.path.lines.iter().chain(&thread.path.passed);
            path.chain(&thread.lines).map(|uuid| (*uuid).to_owned())
        });
        let kept: HashSet<String> = kept.collect();
        self.lines.set_aside_all_but(kept);
        self.since = self.next;
    }
}

/// A thread, and the lines of it that are sent.
struct LiveThread<'s> {
    leaf: ThreadLeaf<'s>,
    path: ParentPath<'s>,
    lines: Vec<&'s str>,
}

#[derive(Default)]
struct LiveThreads<'s> {
    threads: Vec<LiveThread<'s>>,
    /// The indices of the last records of threads that would repeat too much.
    left_out: Vec<usize>,
}

impl ClaudeSession {
    pub(super) fn new(write_mode: WriteMode) -> Self {
        Self { write_mode, ..Self::default() }
    }

    /// Returns the threads to which something was added since the last state.
    fn live_threads(&self) -> LiveThreads<'_> {
        let mut leaves = self.find_leaves();
        // A session that continues under another id is one conversation: a path that leads into a
        // longer one is a part of it.
        let inner = self.inner_lines(&leaves);
        leaves.retain(|leaf| {
            self.lines.line(leaf.leaf).at >= self.since && !inner.contains(leaf.leaf)
        });
        let groups = LineGroups::new(&self.lines);
        // Sessions that part from one another repeat the lines before. Each by itself is as long as
        // the journal at most, but they may be many.
        let most = self.bytes.saturating_mul(MAX_REPEATS).max(FREE_BYTES);
        let (mut left, mut passed) = (most, 0);
        let mut live = LiveThreads::default();
        for leaf in leaves {
            let at = self.lines.line(leaf.leaf).at;
            // Those that do not fit are not all passed through to find out.
            if passed > most.saturating_mul(2) {
                live.left_out.push(at);
                continue;
            }
            let path = self.lines.path_to(leaf.leaf);
            let lines = groups.live_lines(&path);
            let bytes = lines.iter().map(|uuid| self.lines.line(uuid).bytes).sum();
            passed = passed.saturating_add(bytes);
            if bytes > left {
                live.left_out.push(at);
                continue;
            }
            left -= bytes;
            live.threads.push(LiveThread { leaf, path, lines });
        }
        live
    }

    /// Returns the threads in the order of their first turns.
    fn find_leaves(&self) -> Vec<ThreadLeaf<'_>> {
        let mut leaves: Vec<ThreadLeaf<'_>> = Vec::new();
        let mut index_of: HashMap<ClaudeThreadKey, usize> = HashMap::new();
        let starts = self.lines.sidechain_starts();
        for uuid in self.lines.uuids() {
            if self.lines.turn_of(uuid).is_none() {
                continue;
            }
            let key = self.thread_key(uuid, &starts);
            let index = *index_of.entry(key.clone()).or_insert(leaves.len());
            if index == leaves.len() {
                leaves.push(ThreadLeaf { key, leaf: uuid, turns: 0 });
            }
            leaves[index].leaf = uuid;
            leaves[index].turns += 1;
        }
        leaves
    }

    /// Returns the lines of main chains that others follow on the way to a leaf. Each line is
    /// passed once, however many leaves follow it.
    fn inner_lines(&self, leaves: &[ThreadLeaf<'_>]) -> HashSet<&str> {
        let circular = self.lines.circular_lines();
        let mut inner = HashSet::new();
        for leaf in leaves.iter().filter(|leaf| leaf.key.agent.is_none()) {
            let mut at = leaf.leaf;
            while let Some(parent) = self.lines.parent_in_chain(at)
                && inner.insert(parent)
            {
                at = parent;
            }
        }
        // A circle has no line that all others follow.
        inner.retain(|uuid| !circular.contains(uuid));
        inner
    }

    /// Returns the thread of a line. `starts` are the first lines of side chains that name no
    /// agent.
    fn thread_key(&self, uuid: &str, starts: &HashMap<&str, &str>) -> ClaudeThreadKey {
        let line = self.lines.line(uuid);
        let agent = line.is_sidechain.then(|| {
            let start = || starts.get(uuid).map_or(uuid, |start| *start);
            line.agent.clone().unwrap_or_else(|| start().to_owned())
        });
        ClaudeThreadKey { session: line.session.clone(), agent }
    }

    /// Builds a thread from the turns that are sent.
    fn build_thread(&self, live: &LiveThread<'_>, records: &[&[u8]]) -> JournalThread {
        let LiveThread { leaf, path, lines } = live;
        let turns = lines.iter().filter_map(|uuid| self.lines.turn_of(uuid));
        let turns: Vec<&ClaudeTurn> = turns.collect();
        let last = records.len().saturating_sub(1);
        let mut thread = build_thread(&turns, records, self.write_mode, last);
        thread.id = match (&leaf.key.session, &leaf.key.agent) {
            (Some(session), Some(agent)) => Some(format!("{session}-agent-{agent}")),
            (session, agent) => session.clone().or(agent.clone()),
        };
        thread.warnings.extend(path.warning.clone());
        let starts_at_boundary =
            path.lines.first().is_some_and(|root| self.lines.line(root).is_boundary);
        let lines = leaf.turns;
        if lines > turns.len() && !starts_at_boundary {
            thread.warnings.push(format!(
                "{} of its {lines} lines belong to abandoned branches and are not sent",
                lines - turns.len()
            ));
        }
        thread.warnings.extend(wordless_attachments(&turns));
        thread
    }
}

/// Returns the warning that words of attachments are not in the log.
fn wordless_attachments(turns: &[&ClaudeTurn]) -> Option<String> {
    let attachments = turns.iter().filter_map(|turn| turn.attachment.as_ref());
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    for attachment in attachments.filter(|attachment| attachment.content.is_none()) {
        *kinds.entry(attachment.kind.as_str()).or_default() += 1;
    }
    let kinds: Vec<String> =
        kinds.iter().map(|(kind, times)| format!("{times} {}", shorten_value(kind))).collect();
    (!kinds.is_empty()).then(|| {
        let kinds = kinds.join(", ");
        format!(
            "attachments are sent whose words are not in the log, so they are not counted: {kinds}"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a line of user `uuid` that says `uuid`. `chain` holds further keys.
    fn line(uuid: &str, parent: &str, chain: &str) -> String {
        format!(
            r#"{{"uuid": "{uuid}", "parentUuid": "{parent}", {chain}, "type": "user", "message": {{"role": "user", "content": "{uuid}"}}}}"#
        )
    }

    /// Passes the lines from `since` on to a session.
    fn observe(session: &mut ClaudeSession, lines: &[String], since: usize) {
        for (at, line) in lines.iter().enumerate().skip(since) {
            let tree = JsonTree::of_record(line.as_bytes(), at).unwrap();
            session.observe_record(tree.root()).unwrap();
        }
    }

    fn threads(lines: &[String]) -> Vec<JournalThread> {
        let mut session = ClaudeSession::new(WriteMode::Nowhere);
        observe(&mut session, lines, 0);
        let records: Vec<&[u8]> = lines.iter().map(|line| line.as_bytes()).collect();
        Box::new(session).into_threads(&records)
    }

    fn lengths(threads: &[JournalThread]) -> Vec<usize> {
        threads.iter().map(JournalThread::len).collect()
    }

    const MAIN: &str = r#""sessionId": "s""#;

    /// A thread that held the lines of those around it would make a journal of nested agents as
    /// long as the square of its length.
    #[test]
    fn the_side_chain_of_an_agent_begins_where_it_leaves_that_of_another() {
        let mut lines = vec![line("u", "", MAIN)];
        let mut parent = "u".to_owned();
        for agent in 0..100 {
            for number in 0..2 {
                let uuid = format!("a{agent}-{number}");
                let chain = format!(r#"{MAIN}, "isSidechain": true, "agentId": "{agent}""#);
                lines.push(line(&uuid, &parent, &chain));
                parent = uuid;
            }
        }
        let threads = threads(&lines);
        assert_eq!(lengths(&threads)[..3], [1, 2, 2]);
        assert_eq!(threads.len(), 101);
    }

    #[test]
    fn a_session_that_goes_on_under_other_ids_is_one_thread() {
        let session = |number: usize| format!(r#""sessionId": "s{number}""#);
        let mut lines = vec![line("u0", "", &session(0))];
        for number in 1..200 {
            lines.push(line(&format!("u{number}"), &format!("u{}", number - 1), &session(number)));
        }
        assert_eq!(lengths(&threads(&lines)), [200]);
        // Two that part from each other are two.
        lines.push(line("other", "u100", &session(300)));
        assert_eq!(lengths(&threads(&lines)), [200, 102]);
    }

    /// Many compactions cost as much as the lines between them.
    #[test]
    fn a_session_forgets_what_its_compactions_replaced() {
        let mut session = ClaudeSession::new(WriteMode::Nowhere);
        let mut lines: Vec<String> = Vec::new();
        for compaction in 0..50 {
            let boundary = format!(r#"{MAIN}, "subtype": "compact_boundary""#);
            lines.push(line(&format!("b{compaction}"), "", &boundary));
            for number in 0..5 {
                let parent = match number {
                    0 => format!("b{compaction}"),
                    _ => format!("u{compaction}-{}", number - 1),
                };
                lines.push(line(&format!("u{compaction}-{number}"), &parent, MAIN));
            }
            observe(&mut session, &lines, compaction * 6);
            let records: Vec<&[u8]> = lines.iter().map(|line| line.as_bytes()).collect();
            assert_eq!(lengths(&session.threads_so_far(&records)), [6]);
            session.forget();
            assert_eq!(session.lines.uuids().count(), 6);
        }
        // A side chain that begins at a line which was set aside does not need it.
        let since = lines.len();
        lines.push(line("aside", "u3-2", r#""sessionId": "s", "isSidechain": true"#));
        observe(&mut session, &lines, since);
        assert_eq!(session.lines.uuids().count(), 7);
        // A line of the main chain brings back those that it is attached to.
        lines.push(line("back", "u3-2", MAIN));
        observe(&mut session, &lines, since + 1);
        let records: Vec<&[u8]> = lines.iter().map(|line| line.as_bytes()).collect();
        session.since = since;
        assert_eq!(session.lines.uuids().count(), 14);
        assert_eq!(lengths(&session.threads_so_far(&records)), [5, 1]);
    }

    #[test]
    fn sessions_that_repeat_too_many_lines_are_left_out() {
        let long = "x".repeat(20_000);
        let mut lines = Vec::new();
        for number in 0..100 {
            let parent = format!("u{}", number as i64 - 1);
            let chain = format!(r#"{MAIN}, "cwd": "{long}""#);
            lines.push(line(&format!("u{number}"), &parent, &chain));
        }
        for number in 0..100 {
            let session = format!(r#""sessionId": "f{number}""#);
            lines.push(line(&format!("fork{number}"), "u99", &session));
        }
        let threads = threads(&lines);
        // 2 MB of lines; 16 MB may be repeated in any case.
        assert!((8..=10).contains(&threads.len()), "{} threads", threads.len());
        assert_eq!(threads.len() + threads[0].unread.len(), 100);
        assert!(threads[0].unread[0].1.reason.contains("4 times as long"));
    }
}
