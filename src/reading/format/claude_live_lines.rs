//! The lines of a thread that are sent to the model: those of its path, those that a compaction
//! preserved, and the pieces of answers and results that lie beside the path.

use crate::reading::format::claude_lines::{ChainKey, ClaudeLines, ParentPath};
use std::collections::{HashMap, HashSet};

/// All lines by the answers and calls that they belong to.
pub(super) struct LineGroups<'s> {
    lines: &'s ClaudeLines,
    /// The pieces of each answer, by its chain and its id.
    pieces: HashMap<(ChainKey<'s>, &'s str), Vec<&'s str>>,
    /// The results that follow each line, by its uuid.
    results: HashMap<&'s str, Vec<&'s str>>,
}

impl<'s> LineGroups<'s> {
    /// Groups the lines of a session.
    pub(super) fn new(lines: &'s ClaudeLines) -> Self {
        let mut groups = Self { lines, pieces: HashMap::new(), results: HashMap::new() };
        for uuid in lines.uuids() {
            let line = lines.line(uuid);
            let Some(turn) = &line.turn else { continue };
            if let Some(id) = &turn.message_id {
                let key = (lines.chain_of(uuid), id.as_str());
                groups.pieces.entry(key).or_default().push(uuid);
            }
            if let Some(parent) = line.parent.as_deref().filter(|_| !turn.answers.is_empty()) {
                groups.results.entry(parent).or_default().push(uuid);
            }
        }
        groups
    }

    /// Returns the lines that are sent, in order: the path, the lines that the last compaction
    /// preserved, and the pieces of its answers and their results beside the path (parallel calls
    /// branch).
    pub(super) fn live_lines(&self, path: &ParentPath<'s>) -> Vec<&'s str> {
        let mut lines = path.lines.clone();
        let root = path.lines.first().map(|root| self.lines.line(root));
        let preserved = root.and_then(|root| root.preserved.as_ref());
        if let Some(preserved) = preserved.filter(|_| !path.holds_preserved) {
            let anchor = preserved.anchor.as_ref();
            let anchor = anchor.and_then(|anchor| lines.iter().position(|uuid| uuid == anchor));
            // Without an anchor they follow the summary.
            let summary = lines
                .iter()
                .rposition(|uuid| self.lines.turn_of(uuid).is_some_and(|turn| turn.is_summary));
            let at = anchor.or(summary).map_or(lines.len().min(1), |at| at + 1);
            let mut kept = self.lines.listed_uuids(preserved).lines;
            kept.retain(|uuid| !path.set.contains(uuid));
            lines.splice(at..at, kept);
        }
        self.with_siblings(lines)
    }

    /// Adds the other pieces of the answers on a path, and the results that follow them.
    fn with_siblings(&self, lines: Vec<&'s str>) -> Vec<&'s str> {
        let answered: HashSet<(Option<&str>, &str)> =
            lines.iter().flat_map(|uuid| self.lines.answers_of(uuid)).collect();
        let mut seen: HashSet<&str> = lines.iter().copied().collect();
        // The siblings come after the last piece of the answer that is on the path.
        let last_pieces: HashMap<&str, usize> = lines
            .iter()
            .enumerate()
            .filter_map(|(at, uuid)| Some((self.lines.message_id_of(uuid)?, at)))
            .collect();
        let mut out = Vec::with_capacity(lines.len());
        for (at, &uuid) in lines.iter().enumerate() {
            out.push(uuid);
            let Some(id) = self.lines.message_id_of(uuid).filter(|id| last_pieces[id] == at) else {
                continue;
            };
            let pieces = self.pieces.get(&(self.lines.chain_of(uuid), id)).into_iter().flatten();
            // A call that is answered on the path needs no result from beside it.
            let results = pieces.clone().filter_map(|piece| self.results.get(piece)).flatten();
            let results = results.filter(|result| {
                !self.lines.answers_of(result).any(|answer| answered.contains(&answer))
            });
            let mut siblings: Vec<&str> =
                pieces.chain(results).copied().filter(|uuid| seen.insert(uuid)).collect();
            siblings.sort_by_key(|uuid| self.lines.line(uuid).at);
            out.extend(siblings);
        }
        out
    }
}
