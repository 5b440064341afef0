//! Turns as a target's readers want them: nothing empty, the system prompt in
//! its place, and where user and assistant must speak in turn one group of
//! turns for each change of speaker.

use crate::convert::chat::{ChatPart, ChatTurn};
use crate::convert::notes::ConversionNotes;
use crate::convert::{MergeRule, TargetRules};
use crate::transcript::view::TranscriptView;
use crate::transcript::{Message, Role};

/// What the user says where the log begins with the assistant and the target's readers want the user first.
const BEGINS: &str = "[the log begins with the assistant]";

/// Turns in the order in which they are written.
#[derive(Debug, Default)]
pub(super) struct Shaped {
    /// The system prompt, where it stands apart.
    pub(super) system: Vec<ChatTurn>,
    /// All else: each group is one message where roles alternate, else there is one turn in each.
    pub(super) groups: Vec<Vec<ChatTurn>>,
}

/// Shapes turns.
pub(super) fn shape(
    turns: Vec<ChatTurn>,
    rules: TargetRules,
    notes: &mut ConversionNotes,
) -> Shaped {
    let mut note =
        |turn: &ChatTurn, what: &str, why: &'static str| notes.add(what, why, (0, turn.message));
    let mut shaped = Shaped::default();
    for mut turn in turns {
        turn.parts.retain(|part| !matches!(part, ChatPart::Text(text) if text.is_empty() || (rules.no_blanks && text.is_blank())));
        if turn.parts.is_empty() && turn.role != Role::Tool && turn.extras.is_empty() {
            continue;
        }
        if rules.system_apart && turn.role.is_system() {
            if !shaped.groups.is_empty() {
                note(
                    &turn,
                    "system message",
                    "moved to the system prompt: it stood inside the conversation",
                );
            }
            shaped.system.push(turn);
            continue;
        }
        if shaped.groups.is_empty() && rules.merge == MergeRule::Both && is_assistant(&turn) {
            note(&turn, "user message", "put in: the user must speak first");
            shaped
                .groups
                .push(vec![ChatTurn::says(Role::User, None, BEGINS)]);
        }
        let joins = |last: &ChatTurn| match rules.merge {
            MergeRule::Not => false,
            MergeRule::Users => last.role == Role::User && turn.role == Role::User,
            MergeRule::Both => is_assistant(last) == is_assistant(&turn),
        };
        match shaped.groups.last_mut() {
            Some(group) if group.last().is_some_and(joins) => {
                // Results of one answer are one turn everywhere.
                if turn.role != Role::Tool && group.iter().any(|other| other.role == turn.role) {
                    note(
                        &turn,
                        &format!("{} message", turn.role.name()),
                        "joined with the message before: roles must alternate",
                    );
                }
                group.push(turn);
            }
            _ => shaped.groups.push(vec![turn]),
        }
    }
    shaped
}

/// Notes turns that leave with another speaker than the log names.
pub(super) fn note_roles(
    turns: &[ChatTurn],
    view: TranscriptView<'_, '_>,
    notes: &mut ConversionNotes,
) {
    for index in turns.iter().filter_map(|turn| turn.message) {
        let Message {
            role, logged_role, ..
        } = view.message(index);
        if let Some(logged) = logged_role.map(Role::name) {
            let why = format!(
                "its role becomes {}: the agent put it there in the {logged}'s name",
                role.name()
            );
            notes.add(format!("{logged} message"), why, (0, Some(index)));
        }
    }
}

fn is_assistant(turn: &ChatTurn) -> bool {
    turn.role == Role::Assistant
}

/// A group as one turn.
pub(super) fn joined(group: &[ChatTurn]) -> Option<ChatTurn> {
    let mut turns = group.iter().cloned();
    let mut first = turns.next()?;
    turns.for_each(|turn| first.append(turn));
    Some(first)
}
