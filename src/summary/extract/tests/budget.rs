//! Tests of how the budget is spent.

use super::{booking_turns, call_turn, quarter_of_chars, shell, summary_by, summary_of, turn_of};
use crate::transcript::Role;
use crate::transcript::view::ViewedTurn;

#[test]
fn without_text_the_messages_are_counted() {
    assert_eq!(
        summary_of(&[turn_of(Role::User, " "), turn_of(Role::Tool, "")], 100),
        "2 messages, no text"
    );
    assert_eq!(summary_of(&[], 3), "0 messages …");
    assert_eq!(summary_of(&[turn_of(Role::Tool, "")], 1), "1 …");
}

#[test]
fn a_tiny_budget_keeps_the_goal() {
    assert_eq!(summary_of(&booking_turns(), 5), "Book a flight for …");
    assert_eq!(summary_of(&booking_turns(), 1), "7 …");
    let text = summary_of(&booking_turns(), 40);
    assert!(
        text.starts_with("Book a flight for mia_li_3668\n") && text.contains("HAT175"),
        "{text}"
    );
}

#[test]
fn scripts_without_spaces_are_clipped_between_letters() {
    let goal = "我需要为客户生成一张发票".repeat(20);
    let turns = [
        turn_of(Role::User, &goal),
        turn_of(Role::Assistant, "发票编号为INV12345。"),
    ];
    let text = summary_of(&turns, 120);
    assert!(
        quarter_of_chars(&text) <= 120
            && text.contains("INV12345")
            && text.contains("我需要为客户生成一张发票"),
        "{text}"
    );
    assert_eq!(summary_of(&turns, 3), "我需要为客户生成一 …");
}

#[test]
fn spare_room_goes_to_the_users_requests() {
    let long = "please keep every single word of this request ".repeat(20);
    let turns = [
        turn_of(Role::User, "Go"),
        turn_of(Role::Assistant, "yes"),
        turn_of(Role::User, &long),
        turn_of(Role::Assistant, "done"),
    ];
    assert!(summary_of(&turns, 600).contains(long.trim()));
}

#[test]
fn costly_identifiers_leave_room_for_goal_and_state() {
    let goal = "please look through the long list of flights and take the jet that leaves in the morning, and never jet that stops over on the way";
    let ids: Vec<String> = (0..80)
        .map(|number| format!("\"HAT{number:04}\""))
        .collect();
    let list = format!("[{}]", ids.join(", "));
    let turns = [
        turn_of(Role::User, goal),
        turn_of(Role::Tool, &list),
        turn_of(
            Role::Assistant,
            "the first jet leaves at nine, so that is the jet to take",
        ),
    ];
    let dear = |text: &str| {
        text.bytes()
            .map(|byte| if byte.is_ascii_digit() { 6 } else { 1 })
            .sum::<usize>()
            .div_ceil(4)
    };
    let written = summary_by(&turns, 160, &dear);
    assert!(
        written.contains(goal)
            && written.contains("so that is the jet to take")
            && written.contains(" HAT"),
        "{written}"
    );
}

#[test]
fn costly_identifiers_have_their_share_and_no_more() {
    let words =
        "and then please look at the other things that we spoke of before as well, ".repeat(60);
    let ids: Vec<String> = (0..80)
        .map(|number| format!("\"HAT{number:04}\""))
        .collect();
    let flights = format!("{{\"flight_number\": [{}]}}", ids.join(", "));
    let turns = [
        turn_of(Role::User, "Book it"),
        turn_of(Role::Tool, &flights),
        turn_of(Role::User, &words),
        turn_of(Role::Assistant, "Yes"),
    ];
    // Exact counters count about four letters of a word as a token, but two of a code.
    let dense = |text: &str| {
        text.bytes()
            .map(|byte| {
                if byte.is_ascii_lowercase() || byte == b' ' {
                    1
                } else {
                    2
                }
            })
            .sum::<usize>()
            .div_ceil(4)
    };
    let cost = |text: &str| {
        text.lines()
            .filter(|line| line.contains(" HAT"))
            .map(dense)
            .sum::<usize>()
    };
    let written = summary_by(&turns, 300, &dense);
    // A part of the room that the headings leave, in tokens: the request has most of it
    // before.
    assert!(
        dense(&written) <= 300 && (80..=160).contains(&cost(&written)),
        "{} of {}: {written}",
        cost(&written),
        dense(&written)
    );
}

#[test]
fn counting_does_not_grow_with_the_transcript() {
    let calls = |times: usize| {
        let turns: Vec<ViewedTurn<'_>> = std::iter::repeat_with(booking_turns)
            .take(times)
            .flatten()
            .collect();
        let calls = std::cell::Cell::new(0);
        let text = summary_by(&turns, 400, &|text: &str| {
            calls.set(calls.get() + 1);
            quarter_of_chars(text)
        });
        assert!(
            calls.get() <= 10 * text.lines().count(),
            "{} counts for {text}",
            calls.get()
        );
        calls.get()
    };
    assert!(calls(400) <= 2 * calls(40));
}

#[test]
fn a_record_without_room_for_its_lists_is_shown_without_them() {
    let mut turns = vec![turn_of(Role::User, "Which of my bookings are open?")];
    let bookings: Vec<(String, String)> = (1..=6)
        .map(|number| {
            let stops: Vec<String> = (1..=6)
                .map(|stop| format!(r#"{{"stop": "STP{number}{stop}", "gate": "gate {stop} in the east hall"}}"#))
                .collect();
            (
                format!(r#"{{"booking_id": "BK70{number}"}}"#),
                format!(
                    r#"{{"booking_id": "BK70{number}", "cabin": "economy", "price": 4{number}7, "stops": [{}]}}"#,
                    stops.join(", ")
                ),
            )
        })
        .collect();
    for (arguments, record) in &bookings {
        turns.push(call_turn("get_booking", arguments));
        turns.push(turn_of(Role::Tool, record));
    }
    let text = summary_of(&turns, 420);
    let rows = text
        .lines()
        .filter(|line| line.starts_with("| booking_id BK70"));
    let whole = rows.clone().filter(|row| row.contains("east hall")).count();
    assert!(whole > 0 && rows.clone().count() > whole, "{text}");
}

#[test]
fn bare_names_have_at_most_a_fifth_of_a_large_room() {
    let names: Vec<String> = (0..900)
        .map(|number| format!("pump_part_{number}_{}", number * 7 % 13))
        .collect();
    let said: Vec<String> = (names.chunks(30))
        .map(|names| format!("I look at {}.", names.join(" and ")))
        .collect();
    let shown: Vec<String> = names.chunks(30).map(|names| names.join("\n")).collect();
    let mut turns = vec![turn_of(Role::User, "Mend the pump")];
    for (said, shown) in said.iter().zip(&shown) {
        turns.push(turn_of(Role::Assistant, said));
        turns.extend(shell(r#"{"command": "cat parts"}"#, shown));
    }
    let text = summary_of(&turns, 2000);
    let is_bare = |line: &&str| line.starts_with("also: ") || line.starts_with("parts: ");
    let listed: usize = text.lines().filter(is_bare).map(str::len).sum();
    assert!(listed > 400, "{text}");
    assert!(listed / 4 <= 2000 / 5, "{listed}: {text}");
}
