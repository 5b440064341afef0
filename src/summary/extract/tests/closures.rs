//! Tests of what is over: requests that were done, solved or taken back, files that are gone, and what was refused.

use super::{call_turn, shell, summary_of, turn_of};
use crate::transcript::Role;
use crate::transcript::view::ViewedTurn;

/// Returns a request with a call and a report after it.
fn worked_on(request: &str) -> [ViewedTurn<'_>; 4] {
    [
        turn_of(Role::User, request),
        call_turn(
            "edit",
            r#"{"path": "mill.rs", "old_string": "a", "new_string": "b"}"#,
        ),
        turn_of(Role::Tool, "The file mill.rs has been edited."),
        turn_of(Role::Assistant, "Done, the mill is updated."),
    ]
}

/// Summarises requests that were worked on, oldest first, and a newest one.
fn summary_after(requests: &[&str]) -> String {
    let mut turns: Vec<ViewedTurn<'_>> = requests.iter().flat_map(|text| worked_on(text)).collect();
    turns.push(turn_of(
        Role::User,
        "Next, add pages to the list of the rooms",
    ));
    turns.push(turn_of(Role::Assistant, "I look."));
    summary_of(&turns, 500)
}

#[test]
fn a_complaint_is_over_once_the_user_says_that_it_works() {
    let complaint = "the wheel of the old mill is still stuck in the mud";
    let is_told =
        |then: &str| summary_after(&["Build a mill", complaint, then]).contains(complaint);
    assert!(!is_told("great, it worked!"));
    for then in [
        "check that it works in spring, too",
        "tell me if it works, please",
        "ok, that works for me then",
        "the pipe is fine",
    ] {
        assert!(is_told(then), "{then}");
    }
    let order = "the wheel is still stuck. Write the date of the day on it, too";
    let text = summary_after(&["Build a mill", order, "great, it worked!"]);
    assert!(text.contains("the date of the day"), "{text}");
}

#[test]
fn what_the_next_request_takes_back_is_not_quoted_but_limits_are() {
    let after = |request: &str, then: &str| summary_after(&["Build a mill", request, then]);
    let request = "put all the wheels of the mill into the cellar of the house";
    assert!(!after(request, "actually, can you revert that?").contains("into the cellar"));
    assert!(after(request, "please don't revert that").contains("into the cellar"));
    let limit = "Never push to main, and put the wheels into the cellar";
    assert!(after(limit, "undo that").contains("Never push to main"));
}

#[test]
fn only_what_was_asked_for_is_reported_done() {
    let told = "it looks like the wheel has no teeth at all";
    assert!(!summary_after(&["Build a mill", told]).contains(&format!("{told} (reported done)")));
    let asked = "paint the wheel of the mill red, please";
    let text = summary_after(&["Build a mill", asked]);
    assert!(text.contains(&format!("{asked} (reported done)")), "{text}");
}

#[test]
fn a_write_that_the_harness_refused_is_none() {
    let written_after = |result: &str| {
        let turns = [
            turn_of(Role::User, "Write the papers of the mill"),
            call_turn(
                "Write",
                r#"{"file_path": "/mill/LICENSE", "content": "free"}"#,
            ),
            turn_of(Role::Tool, result),
            turn_of(Role::Assistant, "I go on."),
        ];
        summary_of(&turns, 400).contains("written: /mill/LICENSE")
    };
    assert!(written_after("File created successfully at: /mill/LICENSE"));
    for refusal in [
        "File has not been read yet. Read it first before writing to it.",
        "File has been modified since read, either by the user or by a linter.",
    ] {
        assert!(!written_after(refusal), "{refusal}");
    }
}

#[test]
fn an_empty_file_is_only_named_and_a_cache_is_never_deleted_for_good() {
    let after = |commands: &[&str]| {
        let arguments: Vec<String> = commands
            .iter()
            .map(|command| format!("{{\"command\": \"{command}\"}}"))
            .collect();
        let mut turns = vec![turn_of(Role::User, "Tidy up")];
        turns.extend(arguments.iter().flat_map(|arguments| shell(arguments, "")));
        turns.push(turn_of(Role::Assistant, "I did."));
        summary_of(&turns, 400)
    };
    let text = after(&[
        "touch /mill/LICENSE",
        "rm -rf /mill/.godot",
        "rm -rf /mill/old",
    ]);
    assert!(
        !text.contains("written:")
            && text.contains("deleted: /mill/old\n")
            && text.contains("/mill/LICENSE"),
        "{text}"
    );
    // What the agent wrote there is gone.
    let text = after(&["echo a > dist/index.html", "rm -rf dist"]);
    assert!(text.contains("deleted: dist"), "{text}");
}
