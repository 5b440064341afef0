//! Tests of what is over: requests that were done, solved or taken back, files that are gone, and what was refused.

use super::{call_turn, quarter_of_chars, shell, summary_beside, summary_of, turn_of};
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

/// Summarises a request, a look and a reply to it, and what the user says then, before a newest request.
fn summary_with_reply(request: &str, reply: &str, then: &[&str]) -> String {
    let mut turns = worked_on("Build a mill").to_vec();
    turns.push(turn_of(Role::User, request));
    turns.extend(shell(r#"{"command": "ls"}"#, "mill.rs"));
    turns.push(turn_of(Role::Assistant, reply));
    turns.extend(then.iter().map(|text| turn_of(Role::User, text)));
    turns.push(turn_of(
        Role::User,
        "Next, add pages to the list of the rooms",
    ));
    turns.push(turn_of(Role::Assistant, "I look."));
    summary_of(&turns, 500)
}

#[test]
fn a_question_with_a_reply_and_work_that_ended_are_answered() {
    for (request, reply) in [
        (
            "how many wheels does the mill have by now?",
            "It has two, not three.",
        ),
        (
            "Move the list of the rooms, please",
            "It stands in mill.rs, below the names.",
        ),
    ] {
        let text = summary_with_reply(request, reply, &[]);
        assert!(text.contains(&format!("{request} (answered)")), "{text}");
    }
}

#[test]
fn in_doubt_nothing_is_answered() {
    let order = "Can you add a valve to the pipe of the mill?";
    let question = "when does the key of the mill expire, do you know?";
    let standing = "Ask me for approval before each change of the pipes";
    let nothing: &[&str] = &[];
    for (request, reply, then) in [
        (
            order,
            "Sure, I will do that right after the tests.",
            nothing,
        ),
        (order, "I'm sorry, but I can't help with that.", nothing),
        (order, "API Error: 529 Overloaded", nothing),
        (order, "Now I write the valve:", nothing),
        (order, "Please tell me which valve you want.", nothing),
        (
            order,
            "The valve is there.",
            &["No, that's wrong, it still leaks"],
        ),
        (
            order,
            "The valve is there.",
            &["Das Ventil geht immer noch nicht zu"],
        ),
        (question, "Let me check that, one moment please.", nothing),
        (question, "I don't know that.", nothing),
        (standing, "The pipes are as they were.", nothing),
    ] {
        let text = summary_with_reply(request, reply, then);
        assert!(
            text.contains(request)
                && !text.contains(&format!("{request} (answered)"))
                && !text.contains(&format!("{request} (reported done)")),
            "{reply}: {text}"
        );
    }
}

#[test]
fn a_complaint_in_the_messages_that_stay_counts() {
    let turns = worked_on("Mend the pipe of the old mill, please");
    let beside = |first: &str| {
        let kept = [
            turn_of(Role::User, first),
            turn_of(Role::Assistant, "I see."),
        ];
        let all = [&worked_on("Build a mill")[..], &turns[..]].concat();
        summary_beside(&all, &kept, 500, &quarter_of_chars)
    };
    let done = "Mend the pipe of the old mill, please (reported done)";
    assert!(beside("Thanks. Now paint the wheel of it red.").contains(done));
    assert!(!beside("No, the pipe is still broken.").contains(done));
}

#[test]
fn a_goal_that_was_answered_takes_a_line_beside_a_long_request() {
    let story = "The mill has rooms, and each room has a window to the river. ".repeat(30);
    let goal = format!("Write a list of the rooms of the mill.\n{story}");
    let limit = "Never open the gate of the dam.";
    let goal = format!("{goal}\n{limit}");
    let mut turns = worked_on(&goal).to_vec();
    let newest = format!(
        "Now the wheels.\n{}",
        (0..12)
            .map(|n| format!("- wheel {n} has {n} teeth of oak, and turns to the left\n"))
            .collect::<String>()
    );
    turns.push(turn_of(Role::User, &newest));
    turns.push(turn_of(Role::Assistant, "I look."));
    let text = summary_of(&turns, 500);
    assert!(
        text.contains("Write a list of the rooms of the mill. … (answered)\nNewest request: Now")
            && text.contains(limit)
            && text.contains("wheel 11"),
        "{text}"
    );
}
