//! Files that are one JSON array of conversations: what is not written as an array is told where it
//! stands, costs nothing else, and every byte leaves as it came.

use crate::harness::{Dir, FinishedRun};
use crate::talk::{CUT, talk};

const UNTERMINATED: &str = "the array is not closed (unterminated; the file may still be written)";

/// A conversation that is too short to be compacted, as an element.
fn element(thread: &str) -> String {
    talk(thread, 2).trim_end().to_owned()
}

/// Compacts an array that has so many faults and none of whose elements changes.
fn leaves_as_it_came(array: &str, elements: usize) -> (Dir, FinishedRun) {
    let dir = Dir::new();
    dir.write("in.json", array);
    let ran = dir.epitome(&format!("compact in.json -o out {CUT}")).fails(3);
    assert_eq!(dir.read("out/in.json"), array);
    assert_eq!(
        dir.entries().iter().filter(|entry| entry["status"] == "unchanged").count(),
        elements,
        "{}",
        ran.stderr
    );
    (dir, ran)
}

#[test]
fn an_array_that_ends_between_its_elements_may_still_be_written() {
    let [a, b] = ["a", "b"].map(element);
    let end = a.len() + 2;
    let (dir, ran) = leaves_as_it_came(&format!("[{a},"), 1);
    ran.says([&format!("in.json:1:{}: {UNTERMINATED}", end + 1)]);
    for command in ["count in.json", "plan in.json"] {
        dir.epitome(command).fails(3).says([UNTERMINATED]);
        dir.epitome(&format!("{command} --max-errors 1")).ok();
    }
    leaves_as_it_came(&format!("[{a}"), 1).1.says([&format!("in.json:1:{end}: {UNTERMINATED}")]);
    leaves_as_it_came(&format!("[\n{a},\n{b},\n\n"), 2)
        .1
        .says([&format!("in.json:5:1: {UNTERMINATED}")]);
    // An element that is cut tells by itself, once.
    let (dir, ran) = leaves_as_it_came(&format!("[\n{a},\n{{\"messages\": ["), 1);
    assert_eq!(ran.stderr.matches("still be written").count(), 1, "{}", ran.stderr);
    assert_eq!(dir.entries().len(), 2);
}

#[test]
fn an_array_longer_than_a_unit_is_told_to_be_open_at_its_end() {
    let array = format!(
        "[{}",
        (0..4_000).map(|number| element(&format!("t{number}")) + ",").collect::<String>()
    );
    assert!(array.len() > 1 << 20, "what is read at once");
    leaves_as_it_came(&array, 4_000)
        .1
        .says([&format!("in.json:1:{}: {UNTERMINATED}", array.len() + 1)]);
}

#[test]
fn commas_that_are_missing_or_too_many_are_told_in_their_place() {
    let [a, b] = ["a", "b"].map(element);
    let behind = a.len() + 2;
    let says = |array: String, told: &str| drop(leaves_as_it_came(&array, 2).1.says([told]));
    says(format!("[{a}{b}]"), &format!("in.json:1:{behind}: a comma is missing"));
    says(format!("[{a}\n{b}\n]"), "in.json:2:1: a comma is missing");
    says(
        format!("[{a},,{b}]"),
        &format!("in.json:1:{}: an element of the array is missing", behind + 1),
    );
    says(format!("[\n{a},\n{b},\n]"), "in.json:4:1: an element of the array is missing");
    says(format!("[{a}]\n{b}\n"), "in.json:2:1: this is after the end of the array");
}

#[test]
fn whole_elements_of_an_array_with_a_fault_are_compacted() {
    let dir = Dir::new();
    let [a, b] = ["a", "b"].map(|thread| talk(thread, 8).trim_end().to_owned());
    dir.write("in.json", format!("[{a}\n{b},\n"));
    let ran = dir.epitome(&format!("compact in.json -o out {CUT}")).fails(3);
    ran.says(["in.json:2:1: a comma is missing", UNTERMINATED]);
    assert_eq!(dir.read("out/in.json").matches("<summary>").count(), 2);
    dir.epitome("restore out -o back").ok();
    assert_eq!(dir.bytes("back/in.json"), dir.bytes("in.json"));
}

#[test]
fn a_bad_element_is_told_at_its_line_and_column() {
    let a = element("a");
    let says = |array: String, told: &str| drop(leaves_as_it_came(&array, 1).1.says([told]));
    says(
        format!("[{a}, {{\"messages\": null}}]"),
        &format!("in.json:1:{}: messages is null", a.len() + 4 + 13),
    );
    says(
        format!("[\n{a},\n  {{\"id\": 1,\n   \"messages\": null}}\n]"),
        "in.json:4:16: messages is null",
    );
    says(format!("[{a}] garbage"), &format!("in.json:1:{}: ", a.len() + 4));
    says(format!("[{a}]\n garbage\n"), "in.json:2:2: ");
    // Without a byte to blame, an element that does not begin its line is told by where it begins.
    says(
        format!("[{a}, {{\"prompt\": 1}}]"),
        &format!("in.json:1:{}: record without messages", a.len() + 4),
    );
}

#[test]
fn a_fault_in_a_document_over_many_lines_is_told_in_its_line() {
    let dir = Dir::new();
    dir.write("in.json", "\n{\n  \"id\": 1,\n  \"messages\": null\n}\n")
        .write("late.json", "\n[\n {\"role\": \"user\", \"content\": \"a\"},\n {\"role\": 5}\n]\n");
    dir.epitome("count in.json --format openai").fails(3).says(["in.json:4:15: messages is null"]);
    dir.epitome("count late.json --format openai").fails(3).says(["late.json:4:11: "]);
}
