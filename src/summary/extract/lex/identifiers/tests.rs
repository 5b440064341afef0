//! Tests of what is an identifier, and that the fast path finds the same as the full one.

use super::*;
use crate::summary::extract::lex::identifier_kinds::{CODE, NUMBER, OTHER, PATH};
use proptest::prelude::*;

fn identifiers_of(text: &str) -> Vec<(&str, Kinds)> {
    let mut found = Vec::new();
    scan_identifiers(text, TextEncoding::Plain, &mut |identifier, kinds, at| {
        assert_eq!(&text[at..at + identifier.len()], identifier);
        found.push((identifier, kinds));
    });
    found
}

#[test]
fn paths_codes_dates_and_numbers_are_identifiers() {
    let text = "See /src/main.rs:42, user mia_li_3668 and/or HAT175 on 2024-05-20T06:00:00, https://x.org/a?b=1. Pay $1,234.50!";
    assert_eq!(
        identifiers_of(text),
        [
            ("/src/main.rs", PATH),
            ("mia_li_3668", CODE),
            ("HAT175", CODE),
            ("2024-05-20T06:00:00", OTHER),
            ("https://x.org/a?b=1", PATH),
            ("1,234.50", NUMBER)
        ]
    );
    assert_eq!(
        identifiers_of("\u{1b}[31mold_name\u{1b}[1;32m new_name \u{1b}[0m 09:30:00+012"),
        [("old_name", CODE), ("new_name", CODE)]
    );
    assert_eq!(
        identifiers_of("\u{1b}[31été_1 \u{1b}[0客户_2 \u{1b}[123"),
        [("été_1", CODE)]
    );
    assert_eq!(
        identifiers_of("12,345,678 and 1,2,3"),
        [("12,345,678", NUMBER)]
    );
}

#[test]
fn members_stand_without_the_variable_before_them() {
    assert_eq!(
        identifiers_of("card.cardSlot .toList this.PlayerID Debug.LogError app.v2 x.foo.bar"),
        [
            ("cardSlot", OTHER),
            ("toList", OTHER),
            ("PlayerID", OTHER),
            ("Debug.LogError", OTHER),
            ("app.v2", CODE),
        ]
    );
    assert_eq!(
        identifiers_of("console.log host-1.example v1.2.3-rc4 main.rs"),
        [
            ("console.log", PATH),
            ("host-1.example", CODE),
            ("v1.2.3-rc4", CODE),
            ("main.rs", PATH)
        ]
    );
}

#[test]
fn tags_are_no_paths() {
    assert_eq!(
        identifiers_of("<SidebarMenu a=1></SidebarMenu><b>x</b></command-name> < /srv/x"),
        [
            ("SidebarMenu", OTHER),
            ("SidebarMenu", OTHER),
            ("/srv/x", PATH)
        ]
    );
}

#[test]
fn line_numbers_are_no_identifiers() {
    assert_eq!(
        identifiers_of("1458:    def key_1():\n1459:\n1460: return 1999\n"),
        [("key_1", CODE), ("1999", NUMBER)]
    );
    assert_eq!(
        identifiers_of("   145→fn x_1\n   146→fn x_2\n"),
        [("x_1", CODE), ("x_2", CODE)]
    );
    assert_eq!(
        identifiers_of("122|}\n123|\n404: not there"),
        [("404", NUMBER)]
    );
}

#[test]
fn identifiers_stand_out_of_scripts_without_spaces() {
    assert_eq!(identifiers_of("发票编号为INV12345。"), [("INV12345", CODE)]);
    assert_eq!(identifiers_of("größe_1 été"), [("größe_1", CODE)]);
    assert_eq!(
        identifiers_of("رقم الطلب ORD-5521، שלום ab_12"),
        [("ORD-5521", CODE), ("ab_12", CODE)]
    );
}

#[test]
fn escapes_end_identifiers_and_never_cut_them() {
    let text = r"see a_1\nb_2 caf\u00e9_3 d_44\u00e9 C:\\dir_5";
    let mut found = Vec::new();
    scan_identifiers(text, TextEncoding::Escaped, &mut |identifier, _, _| {
        found.push(identifier)
    });
    assert_eq!(found, ["a_1", "b_2", "dir_5"]);
}

#[test]
fn an_escaped_line_end_in_plain_text_is_no_letter() {
    assert!(identifiers_of(r"done\nuser_77\tid_5").is_empty());
    assert_eq!(
        identifiers_of(r"C:\new\test_1.py and x\\nuser_77"),
        [("test_1.py", PATH), ("nuser_77", CODE)]
    );
}

#[test]
fn plain_words_are_no_identifiers() {
    assert!(identifiers_of("plain words, and nothing else. 12 of 34").is_empty());
}

fn any_text() -> impl Strategy<Value = String> {
    let pieces = vec![
        "2560",
        "年左右，是世界上最古老和最大的金字塔之一",
        "陵",
        ",",
        "1,299",
        "1.299,50",
        "公元前",
        "-",
        " ",
        "\\u00e9",
        "\\n",
        "'",
        "[",
        "]",
        "€",
        "−",
        "12",
        "\u{a0}",
        ":",
        ".",
        "_",
        "EUR",
        "a",
        "/",
        "125 000",
        "Ж",
        "e-7",
        "😀",
        "\"",
        "+",
        "9",
    ];
    prop::collection::vec(prop::sample::select(pieces), 0..40).prop_map(|pieces| pieces.concat())
}

/// Finds the identifiers with every run treated as if the text around it could be part of it.
fn identifiers_by_full_path(text: &str, encoding: TextEncoding) -> Vec<(&str, Kinds, usize)> {
    let mut all = Vec::new();
    find_runs(text.as_bytes(), &mut |start, end| {
        if end - start >= 3
            && let Some(start) = skip_escape(text.as_bytes(), start, end, encoding)
        {
            scan_run(text, start, end, &mut |identifier, kinds, at| {
                all.push((identifier, kinds, at))
            });
        }
    });
    all
}

proptest! {
    #[test]
    fn the_fast_path_finds_the_same(text in any_text(), other in "([a-c1-9]{1,4}[A-Z0-9._/ ,:|'é\\[;\\x1b\\\\\t\n<~@+-]{0,3}){0,40}") {
        for text in [text, other] {
            for encoding in [TextEncoding::Plain, TextEncoding::Escaped] {
                let mut all = Vec::new();
                scan_identifiers(&text, encoding, &mut |identifier, kinds, at| all.push((identifier, kinds, at)));
                prop_assert_eq!(all, identifiers_by_full_path(&text, encoding));
            }
        }
    }

    #[test]
    fn any_text_can_be_scanned(text in any_text(), shift in 0..70usize) {
        // Blocks of the scan can begin anywhere in the text.
        let text = "x".repeat(shift) + &text;
        for encoding in [TextEncoding::Plain, TextEncoding::Escaped] {
            scan_identifiers(&text, encoding, &mut |identifier, _, at| assert_eq!(&text[at..at + identifier.len()], identifier));
        }
    }
}
