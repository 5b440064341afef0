//! Tests of wishes and limits of the user, and of requests that are made again.

use super::{call_turn, earlier_turn, quarter_of_chars, summary_beside, summary_of, turn_of};
use crate::transcript::Role;
use crate::transcript::view::ViewedTurn;

#[test]
fn a_request_that_a_commit_came_after_says_so_once() {
    let turns = [
        turn_of(Role::User, "Build a pump with two valves"),
        turn_of(Role::Assistant, "Which kind of valves?"),
        turn_of(Role::User, "Take the red valves from the shop in town"),
        call_turn("bash", r#"{"command": "git commit -am 'Add red valves'"}"#),
        turn_of(Role::Tool, "[main 6c9a264] Add red valves\n 1 file changed"),
    ];
    let text = summary_of(&turns, 400);
    let marked = "Newest request: (a commit came since) Take the red valves from the shop in town";
    assert!(text.lines().any(|line| line == marked), "{text}");
    assert!(!summary_of(&turns[..3], 400).contains("a commit came since"));
    let again = [earlier_turn(&text), turn_of(Role::Assistant, "I go on.")];
    let second = summary_of(&again, 400);
    assert!(
        second.contains("Take the red valves") && !second.contains("a commit came since"),
        "{second}"
    );
}

#[test]
fn what_a_hook_says_again_with_news_is_shortened() {
    let hook = |left: usize| {
        format!(
            "The hook of the shop says no:\nThe pump is not ready to be sold.\n{}{left} valves are left",
            "Look at each of the valves of the pump again, please.\n".repeat(8)
        )
    };
    let (first, second) = (hook(7), hook(3));
    let turns = [
        turn_of(Role::User, "Sell the pump"),
        call_turn("bash", r#"{"command": "sell pump_7"}"#),
        turn_of(Role::Tool, "no"),
        turn_of(Role::User, &first),
        call_turn("bash", r#"{"command": "mend pump_7"}"#),
        turn_of(Role::Tool, "ok"),
    ];
    let kept = [
        turn_of(Role::User, &second),
        turn_of(Role::Assistant, "I mend the others."),
    ];
    let text = summary_beside(&turns, &kept, 600, &quarter_of_chars);
    assert!(
        text.contains("(said again, with news, in the messages that follow)")
            && !text.contains("7 valves are left"),
        "{text}"
    );
}

#[test]
fn little_is_not_cut_from_a_request() {
    let request = "Hi, I'm in a bit of a situation with my flights and need to downgrade them from business to economy class. Can you help?";
    let turns = [
        turn_of(Role::User, request),
        call_turn("get_order", "{}"),
        turn_of(Role::Tool, r#"{"order_id": "ORD7101", "state": "open"}"#),
    ];
    for budget in [200, 260, 320, 400] {
        let text = summary_of(&turns, budget);
        assert!(text.contains(request), "{budget}: {text}");
    }
}

#[test]
fn functions_that_a_harness_offers_are_told_by_their_signatures() {
    let offer = "You can use these functions:\n- find_valve(name: str): Finds a valve.\n- find_pump(name: str, house: str): Finds a pump.\n- sell_pump(name: str): Sells it.";
    let turns = [
        turn_of(Role::User, "Mend the pump of the house"),
        turn_of(Role::User, offer),
        turn_of(Role::Assistant, "I look for it."),
    ];
    let text = summary_of(&turns, 400);
    assert!(
        text.contains("Constraint: functions to call: find_valve(name); find_pump(name, house); sell_pump(name)"),
        "{text}"
    );
}

#[test]
fn the_longest_wish_stays_however_old_and_what_was_first_does_not() {
    let vision = "First, set up the folder of the game now. The game should have a bank that lends to the mills, and the mills should pay it back with what they earn. The taxes must rise with the wealth of a town, so that rich towns carry the poor ones. The rest of the management should be kept as small as it can be.";
    let mut turns = vec![
        turn_of(Role::User, "Make me a small game about mills and towns"),
        turn_of(Role::Assistant, "Tell me more."),
        turn_of(Role::User, vision),
    ];
    let others: Vec<String> = (0..14)
        .map(|number| format!("Please draw the wheel of mill number {number} without any of its sails, but with a door."))
        .collect();
    for other in &others {
        turns.push(call_turn("bash", r#"{"command": "make a"}"#));
        turns.push(turn_of(Role::Tool, "made"));
        turns.push(turn_of(Role::Assistant, "Done."));
        turns.push(turn_of(Role::User, other));
    }
    let text = summary_of(&turns, 330);
    assert!(
        text.contains("The taxes must rise with the wealth of a town")
            && !text.contains("set up the folder of the game"),
        "{text}"
    );
}

#[test]
fn what_looks_like_a_harness_or_an_answer_may_be_a_task() {
    // The end of a request is no prompt of a shell.
    let convert =
        "Convert the tables of the pump.\nInput: pumps.csv\nOutput: never overwrite pumps.json";
    let turns = [
        turn_of(Role::User, convert),
        turn_of(Role::Assistant, "I look at it."),
    ];
    assert!(summary_of(&turns, 400).contains("Output: never overwrite pumps.json"));
    // Functions to write are no functions to call.
    let write = "Write pump.rs. These functions must be available to all:\n- open_valve(name: str): Never raises.\n- set_speed(speed: int): At most 900.\n- close_valve(name: str): Closes it.";
    let turns = [
        turn_of(Role::User, write),
        turn_of(Role::Assistant, "I do."),
    ];
    let text = summary_of(&turns, 400);
    assert!(
        text.contains("At most 900.") && !text.contains("functions to call"),
        "{text}"
    );
    // An order that begins like an answer is an order.
    let turns = [
        turn_of(Role::User, "Tidy up the tables of the pump in the shop"),
        turn_of(Role::Assistant, "Shall I delete the old table?"),
        turn_of(
            Role::User,
            "Sure, drop the old table but back it up to the shelf.",
        ),
        call_turn("bash", r#"{"command": "make a"}"#),
        turn_of(Role::Tool, "made"),
    ];
    let text = summary_of(&turns, 400);
    assert!(
        text.contains("Newest request: Sure, drop the old table"),
        "{text}"
    );
}

#[test]
fn two_tasks_with_the_same_head_are_no_form() {
    let task = |rest: &str| {
        format!(
            "Repository: acme/pump-controller of the town\nBranch to work on: feature/valves-of-the-pump\n{rest}"
        )
    };
    let first = task(
        "Build the valve, and never touch the folder of the migrations.\nIt has two wheels and one axle, and it is painted red all over.\nAsk me before you sell it to anybody, and take the money first.",
    );
    let second = task(
        "Write the manual of the pump for those who buy it.\nIt has ten pages with a picture each.",
    );
    let turns = [
        turn_of(Role::User, "Hello, there is a lot to do for the pump"),
        turn_of(Role::Assistant, "Tell me."),
        turn_of(Role::User, &first),
        call_turn("bash", r#"{"command": "make a"}"#),
        turn_of(Role::Tool, "made"),
    ];
    let kept = [
        turn_of(Role::User, &second),
        turn_of(Role::Assistant, "I write it."),
    ];
    let text = summary_beside(&turns, &kept, 500, &quarter_of_chars);
    assert!(
        text.contains("never touch the folder of the migrations"),
        "{text}"
    );
}

#[test]
fn a_refused_plan_is_no_next_step() {
    let plan = "Next steps:\n1. Delete the table of the pumps\n2. Push it to the main branch";
    for (answer, agrees) in [
        ("ok, go on", true),
        ("Continue!", true),
        ("No. Go with plan B", false),
        ("Stop! Ok, only look", false),
        ("ok, undo all of it", false),
        ("go back", false),
    ] {
        let turns = [
            turn_of(Role::User, "Mend the pump"),
            call_turn("bash", r#"{"command": "make a"}"#),
            turn_of(Role::Tool, "made"),
            turn_of(Role::Assistant, plan),
            turn_of(Role::User, answer),
            call_turn("bash", r#"{"command": "make b"}"#),
            turn_of(Role::Tool, "made"),
        ];
        let text = summary_of(&turns, 400);
        assert_eq!(
            text.contains("Next: Delete the table"),
            agrees,
            "{answer}: {text}"
        );
    }
}

#[test]
fn a_very_long_line_with_many_dots_costs_no_more_than_others() {
    let hosts = "pump-7.mill.example\n".repeat(20_000);
    let dots = ".".repeat(200_000);
    let turns = [
        turn_of(Role::User, "Mend the pumps of the mill"),
        turn_of(Role::Assistant, "Which ones?"),
        turn_of(Role::User, &hosts),
        turn_of(Role::Assistant, &dots),
        turn_of(Role::User, "All of them, please"),
    ];
    assert!(summary_of(&turns, 400).contains("Mend the pumps of the mill"));
}

#[test]
fn a_request_that_is_made_several_times_says_how_often() {
    let again = "The answer is not precise. Please check the arguments again.";
    let mut turns = vec![turn_of(
        Role::User,
        "Find the fault of the pump in the mill",
    )];
    for _ in 0..3 {
        turns.push(turn_of(Role::Assistant, "It is the valve."));
        turns.push(turn_of(Role::User, again));
    }
    turns.push(turn_of(Role::Assistant, "Then it is the wheel."));
    let text = summary_of(&turns, 400);
    let line = format!("Newest request: {again} (said 3 times)");
    assert!(text.lines().any(|other| other == line), "{text}");
    let next = [earlier_turn(&text), turn_of(Role::Assistant, "I go on.")];
    let second = summary_of(&next, 400);
    assert!(
        second.contains(again) && !second.contains("3 times"),
        "{second}"
    );
}

#[test]
fn limits_stay_beside_a_long_newest_request() {
    let long = format!(
        "Now do the second part of the work. {}",
        "The wheel of the mill is painted in a colour of the town where it stands. ".repeat(14)
    );
    for limit in [
        "Please never push to the main branch",
        "Ask me first before you deploy the pump",
        "Don't touch prod.toml, it is now in use",
        "Do not touch prod.toml, ok?",
        "You must avoid the folder of the migrations",
    ] {
        for is_record in [true, false] {
            let mut turns = vec![turn_of(
                Role::User,
                "Hi, check the pumps of the mill for me",
            )];
            let work = |turns: &mut Vec<ViewedTurn<'_>>| {
                for _ in 0..3 {
                    if is_record {
                        turns.push(call_turn("get_order", "{}"));
                        turns.push(turn_of(
                            Role::Tool,
                            r#"{"order_id": "ORD7101", "state": "open", "price": 71}"#,
                        ));
                    } else {
                        turns.push(call_turn("bash", r#"{"command": "make a"}"#));
                        turns.push(turn_of(Role::Tool, "made"));
                    }
                }
                turns.push(turn_of(Role::Assistant, "I did that."));
            };
            work(&mut turns);
            turns.push(turn_of(Role::User, limit));
            work(&mut turns);
            turns.push(turn_of(Role::User, &long));
            work(&mut turns);
            let mut text = summary_of(&turns, 512);
            for round in 1..4 {
                assert!(text.contains(limit), "{limit}, round {round}: {text}");
                let mut next = vec![earlier_turn(&text)];
                work(&mut next);
                text = summary_of(&next, 512);
            }
        }
    }
}

#[test]
fn a_request_that_is_made_again_after_its_commit_is_open() {
    let again = "Fix the next test of the suite that fails, please.";
    let turns = [
        turn_of(Role::User, "Look after the pump of the mill for me"),
        turn_of(Role::Assistant, "I do."),
        turn_of(Role::User, again),
        call_turn("bash", r#"{"command": "git commit -am 'Fix a test'"}"#),
        turn_of(Role::Tool, "[main 6c9a264] Fix a test\n 1 file changed"),
        turn_of(Role::Assistant, "Fixed."),
        turn_of(Role::User, again),
        call_turn("bash", r#"{"command": "make test"}"#),
        turn_of(Role::Tool, "made"),
    ];
    let text = summary_of(&turns, 400);
    assert!(
        text.contains("(said 2 times)") && !text.contains("a commit came since"),
        "{text}"
    );
}

#[test]
fn what_is_no_note_stays_in_a_second_summary() {
    let request = "Ask Anna (said to be the owner) before you deploy, and try it (at most 3 times)";
    let turns = [
        turn_of(Role::User, request),
        call_turn("bash", r#"{"command": "make a"}"#),
        turn_of(Role::Tool, "made"),
    ];
    let first = summary_of(&turns, 400);
    let again = [earlier_turn(&first), turn_of(Role::Assistant, "I go on.")];
    let text = summary_of(&again, 400);
    assert!(text.contains(request), "{text}");
}

#[test]
fn an_output_at_the_beginning_of_a_cut_log_is_not_the_task() {
    let listing = "Created At: 2026-07-02T14:05:15-06:00\nCompleted At: 2026-07-02T14:05:15-06:00\nFile Path: `file:///srv/mill.tsx`\n1: import React from 'react';\n2: \n3: interface Mill {";
    let turns = [
        turn_of(Role::User, listing),
        turn_of(Role::Assistant, "I see."),
        turn_of(
            Role::User,
            "Paint the wheel of the mill green, please, and never touch the dam",
        ),
        turn_of(Role::Assistant, "I go on."),
    ];
    let text = summary_of(&turns, 300);
    assert!(
        text.starts_with("## SESSION INTENT\nPaint the wheel of the mill green"),
        "{text}"
    );
}
