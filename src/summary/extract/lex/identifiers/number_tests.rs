//! Tests of the bounds of numbers.

use super::{TextEncoding, scan_identifiers};

fn numbers_of(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    scan_identifiers(text, TextEncoding::Plain, &mut |identifier, _, at| {
        assert_eq!(&text[at..at + identifier.len()], identifier);
        found.extend(
            identifier
                .bytes()
                .any(|byte| byte.is_ascii_digit())
                .then_some(identifier),
        );
    });
    found
}

fn numbers_of_json(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    scan_identifiers(text, TextEncoding::Escaped, &mut |identifier, _, _| {
        found.push(identifier)
    });
    found
}

#[test]
fn a_number_keeps_its_sign() {
    assert_eq!(
        numbers_of("balance: -1042.75\nutc_offset:-3600 (-200) x=-300, -1e-7 wait -150ms"),
        ["-1042.75", "-3600", "-200", "-300", "-1e-7", "-150ms"]
    );
    assert_eq!(
        numbers_of_json(r#"{"balance": -1299.50, "at":[-33.8688,-151.2093], "text": "\n-500"}"#),
        ["-1299.50", "-33.8688", "-151.2093", "-500"]
    );
}

#[test]
fn a_hyphen_is_no_sign() {
    assert_eq!(
        numbers_of("2024-05-01, a-300, 100-200, (202)-5550123 --4000 10%-20.5% 10\u{2013}200"),
        [
            "2024-05-01",
            "a-300",
            "100-200",
            "202",
            "5550123",
            "4000",
            "20.5",
            "200"
        ]
    );
    // A minus in doubt, and a hyphen in doubt.
    assert!(numbers_of("\u{2212}1042.75 cost \u{2013}200 1042.75- 10\u{B0}-200\u{B0}").is_empty());
}

#[test]
fn a_number_keeps_its_commas() {
    assert_eq!(
        numbers_of("Summe: 1.299,50 EUR, MwSt: 247,13. Rest:1,299.50"),
        ["1.299,50", "247,13", "1,299.50"]
    );
    assert_eq!(
        numbers_of(
            "12,345,678 -1,299 -12,34,567 EUR1,299.50 1.299,50EUR \u{20AC}1,299.50 100,200p"
        ),
        [
            "12,345,678",
            "-1,299",
            "-12,34,567",
            "EUR1,299.50",
            "1.299,50EUR",
            "1,299.50",
            "100,200p",
        ]
    );
    assert_eq!(
        numbers_of_json(r#"{"a": "1.299,50", "b": "x\n1,299.50"}"#),
        ["1.299,50", "1,299.50"]
    );
    assert_eq!(numbers_of("\u{1b}[1m1,299.50\u{1b}[0m"), ["1,299.50"]);
}

#[test]
fn commas_of_lists_separate() {
    assert_eq!(
        numbers_of("[100,200,300] HAT175,200,300 2024-05-20,100 33.8688,151.2093 {100,200}"),
        [
            "100",
            "200",
            "300",
            "HAT175",
            "200",
            "300",
            "2024-05-20",
            "100",
            "33.8688",
            "151.2093",
            "100",
            "200"
        ]
    );
    assert_eq!(
        numbers_of_json(r#"{"a":[1,299,500],"b":["x",100,200]}"#),
        ["299", "500", "100", "200"]
    );
    let long = "100,".repeat(1000);
    assert_eq!(numbers_of(&long).len(), 1000);
}

#[test]
fn possible_parts_of_numbers_are_left_out() {
    assert!(numbers_of("1 299,50 and 125 000 kr, 1'299.50 or 1\u{A0}299,50").is_empty());
    assert!(numbers_of("2021,123 59,3293 1,000-2,000").is_empty());
    assert_eq!(
        numbers_of("x[..125] and .125, 06:00:00,123"),
        ["125", ".125"]
    );
    assert!(numbers_of_json(r#"{"a": "\u20ac1 299,50", "b": "x\n1 299,50"}"#).is_empty());
    assert_eq!(
        numbers_of_json(r#"{"a": "\u001b[31m12,345,678\u001b[0m \u001B[1mid_77"}"#),
        ["12,345,678", "id_77"]
    );
}
