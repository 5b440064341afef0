//! Shapes turns as the rules of a target demand.
//!
//! Empty turns are dropped, the system prompt is moved to its place, and turns
//! are joined where user and assistant must alternate.

use crate::convert::prelude::*;

/// The text of the user's turn that is added where a log begins with the assistant.
const ADDED_FIRST_TURN: &str = "[the log begins with the assistant]";

/// The note on a system message that was moved.
pub(super) const MOVED_SYSTEM: [&str; 2] =
    ["system message", "moved to the system prompt: it was inside the conversation"];

/// Turns in the order in which they are written.
#[derive(Debug, Default)]
pub(super) struct ShapedTurns {
    /// The system prompt, if the target keeps it apart.
    pub(super) system: Vec<ChatTurn>,
    /// The other turns. Each group becomes one message.
    pub(super) groups: Vec<Vec<ChatTurn>>,
}

pub(super) fn shape_turns(
    turns: Vec<ChatTurn>,
    rules: &ConversionTarget,
    notes: &mut ConversionNotes,
) -> ShapedTurns {
    let mut shaped = ShapedTurns::default();
    let turns = match rules.merge {
        MergeRule::Speakers if !rules.system_apart => put_system_first(turns, notes),
        _ => turns,
    };
    for mut turn in turns {
        // Texts that are empty, or blank where the target refuses these, go.
        let is_refused =
            |text: &EscapedText| text.is_empty() || (rules.refuses_blank_text && text.is_blank());
        turn.retain_parts(|part| !matches!(part, ChatPart::Text(text) if is_refused(text)));
        if !turn.parts.is_empty() || turn.role == Role::Tool || !turn.extras.is_empty() {
            shaped.add_turn(turn, rules, notes);
        }
    }
    shaped
}

/// Puts all system messages before the other turns: chat templates refuse them elsewhere.
fn put_system_first(turns: Vec<ChatTurn>, notes: &mut ConversionNotes) -> Vec<ChatTurn> {
    let prompt = turns.iter().take_while(|turn| turn.role.is_system());
    let prompt = prompt.count();
    for turn in turns[prompt..].iter().filter(|turn| turn.role.is_system()) {
        note_moved(turn, notes);
    }
    let (mut system, others): (Vec<_>, Vec<_>) =
        turns.into_iter().partition(|turn| turn.role.is_system());
    system.extend(others);
    system
}

fn note_moved(turn: &ChatTurn, notes: &mut ConversionNotes) {
    let [what, why] = MOVED_SYSTEM;
    notes.add_note(what, why, turn.message);
}

impl ShapedTurns {
    /// Adds a turn to the system prompt, to the last group, or to a group of its own.
    fn add_turn(&mut self, turn: ChatTurn, rules: &ConversionTarget, notes: &mut ConversionNotes) {
        let place = turn.message;
        if rules.system_apart && turn.role.is_system() {
            if !self.groups.is_empty() {
                note_moved(&turn, notes);
            }
            self.system.push(turn);
            return;
        }
        if self.groups.is_empty()
            && rules.merge == MergeRule::Alternate
            && turn.role == Role::Assistant
        {
            notes.add_note("user message", "put in: the user must speak first", place);
            let first = ChatTurn::with_text(Role::User, None, ADDED_FIRST_TURN);
            self.groups.push(vec![first]);
        }
        match self.groups.last_mut() {
            Some(group)
                if group.last().is_some_and(|last| are_joined(rules.merge, last, &turn)) =>
            {
                // Several results in one message are usual in all formats.
                // From the end: each turn is looked at once for each role.
                if turn.role != Role::Tool
                    && group.iter().rev().any(|other| other.role == turn.role)
                {
                    notes.add_note(
                        format!("{} message", turn.role.name()),
                        "joined with the message before: roles must alternate",
                        place,
                    );
                }
                group.push(turn);
            }
            _ => self.groups.push(vec![turn]),
        }
    }
}

/// Returns true if two consecutive turns are joined.
fn are_joined(merge: MergeRule, last: &ChatTurn, next: &ChatTurn) -> bool {
    match merge {
        MergeRule::Never => false,
        MergeRule::Users => last.role == Role::User && next.role == Role::User,
        MergeRule::Speakers => match (last.role, next.role) {
            (Role::User, Role::User) => true,
            (Role::Assistant, Role::Assistant) => {
                last.calls.is_empty() && last.training == next.training
            }
            (last, next) => last.is_system() && next.is_system(),
        },
        MergeRule::Alternate => (last.role == Role::Assistant) == (next.role == Role::Assistant),
    }
}

/// Notes the turns whose role differs from the logged role.
pub(super) fn note_roles(
    turns: &[ChatTurn],
    view: TranscriptView<'_, '_>,
    notes: &mut ConversionNotes,
) {
    for index in turns.iter().filter_map(|turn| turn.message) {
        let Message { role, logged_role, .. } = view.message(index);
        if let Some(logged) = logged_role.map(Role::name) {
            let why = format!(
                "its role becomes {}: the agent put it there in the {logged}'s name",
                role.name()
            );
            notes.add_note(format!("{logged} message"), why, Some(index));
        }
    }
}
