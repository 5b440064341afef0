//! Properties of all summaries: the budget holds, and nothing is made up.

use super::{quarter_of_chars, summary_by, summary_of};
use crate::transcript::Role;
use crate::transcript::view::{ViewedCall, ViewedTurn};
use proptest::prelude::*;
use std::borrow::Cow;

fn any_words() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        "[a-z]{1,12}",
        "[A-Z]{2}[0-9]{4,8}",
        "[a-z]{3,6}_[a-z]{2,5}_[0-9]{2,4}",
        "/[a-z]{2,8}/[a-z0-9]{3,9}\\.rs",
        Just("error: it failed\n".to_owned()),
        Just("</summary>".to_owned()),
        Just("# x\n".to_owned()),
        Just("客户发票".to_owned()),
        any::<String>(),
    ];
    proptest::collection::vec(word, 0..40).prop_map(|words| words.join(" "))
}

fn any_turn() -> impl Strategy<Value = ViewedTurn<'static>> {
    let role = prop_oneof![Just(Role::User), Just(Role::Assistant), Just(Role::Tool)];
    (
        role,
        any_words(),
        any_words(),
        proptest::bool::weighted(0.1),
        0..4,
    )
        .prop_map(|(role, text, value, earlier_summary, form)| {
            let json =
                serde_json::json!({"path": value, "items": [{"item_id": value}], "n": 12345})
                    .to_string();
            let text = if form == 0 && role == Role::Tool {
                json.clone()
            } else {
                text
            };
            let call = ViewedCall {
                id: Cow::Borrowed("c"),
                name: Cow::Borrowed("read_file"),
                arguments: Cow::Owned(if form == 3 {
                    text.clone().into_bytes()
                } else {
                    json.into_bytes()
                }),
                valid: form != 3,
                legacy: false,
            };
            let calls = if role == Role::Assistant {
                vec![call]
            } else {
                Vec::new()
            };
            ViewedTurn {
                role,
                text: Cow::Owned(text),
                calls,
                tool: None,
                answers: Cow::Borrowed(""),
                failed: form == 2,
                earlier_summary,
            }
        })
}

/// Returns the longest runs of letters, digits and `_`. Scripts without spaces end a run.
fn split_at_word_bounds(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_') || c >= '\u{2E80}')
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn never_empty_never_above_the_budget(turns in proptest::collection::vec(any_turn(), 0..12), budget in 1usize..2000) {
        let bytes = |text: &str| text.len();
        for text in [summary_of(&turns, budget), summary_of(&turns, budget % 50 + 1)] {
            prop_assert!(!text.trim().is_empty());
        }
        prop_assert!(quarter_of_chars(&summary_of(&turns, budget)) <= budget);
        prop_assert!(quarter_of_chars(&summary_of(&turns, budget % 50 + 1)) <= budget % 50 + 1);
        // A counter above any estimate. Below three bytes not even `…` fits.
        prop_assert!(summary_by(&turns, budget + 2, &bytes).len() <= budget + 2);
        prop_assert_eq!(summary_of(&turns, budget), summary_of(&turns.clone(), budget));
    }

    #[test]
    fn nothing_is_made_up(turns in proptest::collection::vec(any_turn(), 0..12), budget in 1usize..2000) {
        let mut source = String::new();
        for turn in &turns {
            source.push_str(&turn.text);
            source.push('\n');
            for call in &turn.calls {
                source.push_str(&String::from_utf8_lossy(&call.arguments));
                source.push('\n');
                // Arguments are decoded, so their decoded strings count too.
                if let Ok(serde_json::Value::Object(map)) = serde_json::from_slice(&call.arguments) {
                    source.extend(map.values().filter_map(|value| value.as_str()).map(|text| format!("\n{text}\n")));
                }
            }
        }
        let known: std::collections::HashSet<&str> = split_at_word_bounds(&source).collect();
        let text = summary_of(&turns, budget);
        for word in split_at_word_bounds(&text).filter(|word| word.chars().count() >= 6 && word.chars().any(|c| c.is_ascii_digit())) {
            prop_assert!(known.contains(word), "{word} is not in the source:\n{text}");
        }
    }
}
