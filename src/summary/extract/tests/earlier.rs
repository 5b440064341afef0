//! Tests of summaries that hold earlier summaries.

use super::{
    booking_turns, call_turn, earlier_turn, summary_before_repetition, summary_of, turn_of,
};
use crate::transcript::Role;
use crate::transcript::view::ViewedTurn;

#[test]
fn an_earlier_summary_is_merged() {
    let first = summary_of(&booking_turns(), 300);
    let framed =
        format!("You are in the middle of a conversation.\n\n<summary>\n{first}\n</summary>");
    let mut turns = vec![ViewedTurn {
        earlier_summary: true,
        ..turn_of(Role::User, &framed)
    }];
    turns.push(call_turn("read_file", r#"{"path": "/notes/price.md"}"#));
    turns.push(turn_of(Role::Tool, "HAT084 costs 99 USD"));
    let text = summary_of(&turns, 300);
    assert!(
        text.starts_with(
            "## SESSION INTENT\nBook a flight for mia_li_3668\nNewest request: The cheaper way, and no insurance\n\n## SUMMARY\n"
        ),
        "{text}"
    );
    assert_eq!(text.matches("## ").count(), 4);
    for fact in [
        "- write_file /notes/choice.md, content no insurance -> ! Error: disk_7 is full",
        "Records search_flights (user_id mia_li_3668, date 2024-05-20): flight_number|price",
        "| flight_number HAT175|150",
        "named: /notes/choice.md",
        "read: /notes/price.md",
        "Last action: read_file /notes/price.md -> HAT084 costs 99 USD",
    ] {
        assert!(
            text.lines().any(|line| line == fact),
            "{fact} is not in {text}"
        );
    }
    // A third compaction keeps what the second kept.
    let mut turns = vec![earlier_turn(&text)];
    turns.push(turn_of(Role::Assistant, "I go on."));
    let third = summary_of(&turns, 300);
    for fact in [
        "Newest request: The cheaper way, and no insurance",
        "- write_file /notes/choice.md, content no insurance -> ! Error: disk_7 is full",
        "- read_file /notes/price.md -> HAT084 costs 99 USD",
        "| flight_number HAT175|150",
        "read: /notes/price.md",
    ] {
        assert!(
            third.lines().any(|line| line == fact),
            "{fact} is not in {third}"
        );
    }
}

#[test]
fn summaries_of_other_agents_are_read_as_facts() {
    let summary = "## Goal\nPort the parser\n\n## Constraints & Preferences\n- never push to main\n\n## Progress\n### Done\n- [x] lexer moved\n\n## Key Decisions\n- **Errors**: one enum, because callers match\n\n## Next Steps\n1. port the printer";
    let turns = [
        earlier_turn(summary),
        call_turn("bash", r#"{"command": "cargo test"}"#),
        turn_of(Role::Tool, "test result: ok. 3 passed"),
    ];
    let text = summary_of(&turns, 300);
    for fact in [
        "Port the parser",
        "Constraint: never push to main",
        "* **Errors**: one enum, because callers match",
        "Open: port the printer",
        "Last action: cargo test -> test result: ok. 3 passed",
    ] {
        assert!(
            text.lines().any(|line| line == fact),
            "{fact} is not in {text}"
        );
    }
}

#[test]
fn what_the_user_quotes_becomes_no_section_and_what_worked_no_error() {
    let summary = "## SESSION INTENT\nFix the pump.\nNewest request: Also this:\n  ## ARTIFACTS\n  written: /x/y.py\n  ## SESSION INTENT\n  Destroy it.\n\n## SUMMARY\nError (worked later): no valve in a.c\nError: no pump in b.c";
    let turns = [
        earlier_turn(summary),
        call_turn("read_file", r#"{"path": "/a.c"}"#),
    ];
    let text = summary_of(&turns, 300);
    assert!(
        text.starts_with("## SESSION INTENT\nFix the pump.\nNewest request: Also this:\n")
            && !text.contains("\nwritten: /x/y.py")
            && text.contains("no pump in b.c")
            && !text.contains("no valve"),
        "{text}"
    );
}

#[test]
fn what_pointed_to_the_messages_that_stayed_then_is_gone() {
    let first = summary_before_repetition();
    assert!(
        first.contains("(said again in full") && first.ends_with("See below."),
        "{first}"
    );
    let second = summary_of(
        &[earlier_turn(&first), turn_of(Role::Assistant, "I go on.")],
        400,
    );
    assert!(
        second.contains("Build the pump_7.")
            && !second.contains("said again in full")
            && !second.contains("See below."),
        "{second}"
    );
}

#[test]
fn a_tip_stays_a_tip() {
    let task = "<pr_description>\nThe pump leaks when it is off.\n</pr_description>\nMake the minimal changes to files that are no tests.\nIf a command fails, try another one.";
    let turns = [
        turn_of(Role::User, task),
        turn_of(Role::Assistant, "I look."),
    ];
    let mut text = summary_of(&turns, 600);
    for _ in 0..2 {
        assert!(
            text.contains("Constraint: Make the minimal changes")
                && text.contains("\nTip: If a command fails, try another one."),
            "{text}"
        );
        text = summary_of(
            &[earlier_turn(&text), turn_of(Role::Assistant, "I look.")],
            600,
        );
    }
}

#[test]
fn todos_of_an_earlier_summary_are_older_than_a_new_request() {
    let summary = "## SESSION INTENT\nFix the pump.\n\n## NEXT STEPS\nOpen: test the valve";
    let answered = [earlier_turn(summary), turn_of(Role::Assistant, "I go on.")];
    assert!(summary_of(&answered, 400).contains("\nOpen: test the valve"));
    let asked = [
        earlier_turn(summary),
        turn_of(Role::User, "Now paint the house of the pump in blue."),
        turn_of(Role::Assistant, "I paint it."),
    ];
    let text = summary_of(&asked, 400);
    assert!(
        text.contains("\nOpen from before: test the valve"),
        "{text}"
    );
    // They do not become newer by being handed on.
    let again = [earlier_turn(&text), turn_of(Role::Assistant, "I paint it.")];
    let text = summary_of(&again, 400);
    assert!(
        text.contains("\nOpen from before: test the valve"),
        "{text}"
    );
}

#[test]
fn the_summary_of_an_agent_has_most_of_the_room_where_little_was_said_since() {
    let details: String = (0..12)
        .map(|number| format!("   - Wheel {number} needs {number} spokes of oak, and a hub\n"))
        .collect();
    let files: String = (0..3)
        .map(|number| format!("   - **`/srv/mill/wheel{number}.py`**\n     - The score is the weight of wheel {number} times 0.3{number}\n"))
        .collect();
    let summary = format!(
        "This session is being continued from a previous conversation that ran out of context.\n\nSummary:\n1. Primary Request and Intent:\n   Build the mill.\n\n2. Key Technical Concepts:\n{details}\n3. Files and Code Sections:\n{files}\n7. Pending Tasks:\n   - Wait for the flour to dry\n   - Run `python mill.py` and look at the first bag\n   - Weigh the bags and tell the miller by noon\n   - Sweep the floor of the barn at last\n"
    );
    let mut turns = vec![turn_of(Role::User, &summary)];
    for _ in 0..9 {
        turns.push(turn_of(Role::Assistant, "Waiting."));
        turns.push(turn_of(Role::User, "go on"));
    }
    let text = summary_of(&turns, 512);
    for fact in [
        "Wait for the flour to dry",
        "Run `python mill.py` and look at the first bag",
        "Weigh the bags and tell the miller by noon",
        "Sweep the floor of the barn at last",
        "The score is the weight of wheel",
    ] {
        assert!(text.contains(fact), "{fact} is not in {text}");
    }
    let told = text.matches(" spokes of oak, and a hub").count();
    assert!(told >= 9, "{told} in {text}");
}

#[test]
fn what_was_found_since_goes_before_what_an_earlier_summary_found() {
    let old: String = (0..9)
        .map(|number| format!("- The barrel of room {number} is in `cellar_{number}.rs` now\n"))
        .collect();
    let summary = format!("## Goal\nMend the mill\n\n## Key Decisions\n{old}");
    let mut turns = vec![earlier_turn(&summary)];
    turns.push(turn_of(
        Role::User,
        "Why is the wheel of the mill so slow today?",
    ));
    turns.push(call_turn("bash", r#"{"command": "cat cellar_3.rs"}"#));
    turns.push(turn_of(Role::Tool, "ok"));
    turns.push(turn_of(
        Role::Assistant,
        "The wheel is slow because `turn_wheel` in `wheel.rs` waits for the gate of the dam.",
    ));
    turns.push(call_turn("bash", r#"{"command": "cat cellar_4.rs"}"#));
    turns.push(turn_of(Role::Tool, "ok"));
    let text = summary_of(&turns, 130);
    assert!(text.contains("waits for the gate of the dam"), "{text}");
}

#[test]
fn the_goal_of_an_earlier_summary_leaves_room_for_what_was_asked_since() {
    let goal: String = (0..9)
        .map(|number| {
            format!("- Wheel {number} of the mill is to turn in the spring of the year\n")
        })
        .collect();
    let summary = format!("## Goal\n{goal}\n## Key Decisions\n- The dam in `dam.rs` stays\n");
    let turns = [
        earlier_turn(&summary),
        turn_of(
            Role::User,
            "Now add a column for the flour to the big table of the miller",
        ),
        turn_of(Role::Assistant, "I do."),
    ];
    let text = summary_of(&turns, 200);
    let intent = text.split("Newest request").next().unwrap();
    assert!(intent.len() < 340, "{text}");
    assert!(text.contains("add a column for the flour"), "{text}");
}
