//! Where a session is cut, and what stands on each side.

use super::passage::Passage;
use crate::transcript::Role;

/// Messages next to the cut that count as seen, whatever is compacted.
pub const SEEN_TAIL: usize = 4;
/// The shares of a session after which it is cut.
const SHARES: [(usize, usize); 3] = [(2, 5), (3, 5), (4, 5)];
/// Shorter sessions have no future to speak of.
const LEAST_MESSAGES: usize = 10;
/// A cut with fewer messages to compact says nothing.
const LEAST_COMPACTED: usize = 3;

/// A cut through a session: `[head..tail)` may be compacted, `[tail..end)` counts as seen, `[end..)` is the future.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionCut {
    /// How many leading messages are system prompts.
    pub head: usize,
    /// The first message that counts as seen.
    pub tail: usize,
    /// The first message of the future: the assistant's.
    pub end: usize,
}

impl SessionCut {
    /// The cut before message `end`; `None` if it leaves too little to compact.
    #[must_use]
    pub fn before(passages: &[Passage], end: usize) -> Option<Self> {
        let head = passages
            .iter()
            .take_while(|passage| passage.role.is_system())
            .count();
        let end = (end..passages.len()).find(|&index| passages[index].role == Role::Assistant)?;
        let mut tail = end.checked_sub(SEEN_TAIL)?;
        // Results stay with their calls.
        while tail > head && passages[tail].role.is_result() {
            tail -= 1;
        }
        (tail >= head + LEAST_COMPACTED).then_some(Self { head, tail, end })
    }

    /// The cut that a compaction made, if the session goes on long enough behind it; `first_kept` is its first message that stayed.
    #[must_use]
    pub fn behind(passages: &[Passage], first_kept: usize) -> Option<Self> {
        let head = passages
            .iter()
            .take_while(|passage| passage.role.is_system())
            .count();
        let end = (first_kept + SEEN_TAIL..passages.len())
            .find(|&index| passages[index].role == Role::Assistant)?;
        (first_kept >= head + LEAST_COMPACTED).then_some(Self {
            head,
            tail: first_kept,
            end,
        })
    }
}

/// The cuts through a session.
#[must_use]
pub fn session_cuts(passages: &[Passage]) -> Vec<SessionCut> {
    if passages.len() < LEAST_MESSAGES {
        return Vec::new();
    }
    let head = passages
        .iter()
        .take_while(|passage| passage.role.is_system())
        .count();
    let mut session_cuts: Vec<SessionCut> = Vec::new();
    for (part, whole) in SHARES {
        if let Some(cut) =
            SessionCut::before(passages, head + (passages.len() - head) * part / whole)
            && !session_cuts.contains(&cut)
        {
            session_cuts.push(cut);
        }
    }
    session_cuts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(roles: &str) -> Vec<Passage> {
        let role = |c| match c {
            's' => Role::System,
            'u' => Role::User,
            't' => Role::Tool,
            _ => Role::Assistant,
        };
        roles
            .chars()
            .map(|c| Passage::new(role(c), String::new(), Vec::new()))
            .collect()
    }

    #[test]
    fn before_the_assistant_acts_with_pairs_whole() {
        assert_eq!(
            session_cuts(&session("suauauauauau")),
            [
                SessionCut {
                    head: 1,
                    tail: 4,
                    end: 8
                },
                SessionCut {
                    head: 1,
                    tail: 6,
                    end: 10
                }
            ]
        );
        assert_eq!(
            session_cuts(&session("uatatattttatu")),
            [SessionCut {
                head: 0,
                tail: 5,
                end: 10
            }]
        );
        assert_eq!(
            SessionCut::behind(&session("suauauaua"), 4),
            Some(SessionCut {
                head: 1,
                tail: 4,
                end: 8
            })
        );
        assert_eq!(
            [
                SessionCut::behind(&session("suauauaua"), 5),
                SessionCut::behind(&session("suauauaua"), 3)
            ],
            [None, None]
        );
        assert!(
            session_cuts(&session("uauauaua")).is_empty()
                && session_cuts(&session("uuuuuuuuuuuu")).is_empty()
        );
    }
}
