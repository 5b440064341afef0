//! The counter of an encoding, whose counts equal those of tiktoken.

use super::encoding::Encoding;
use crate::deciding::tokens::chat::CountTokens;

/// A counter of tokens in one encoding.
pub(crate) struct ExactEncoding(pub &'static Encoding);

impl CountTokens for ExactEncoding {
    fn name(&self) -> &'static str {
        self.0.name
    }

    fn count_text(&self, text: &str) -> usize {
        self.0.count(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deciding::tokens::bpe::{
        CL100K_BASE, O200K_BASE, O200K_HARMONY, P50K_BASE, R50K_BASE,
    };
    use proptest::prelude::*;

    type Reference = fn() -> &'static tiktoken_rs::CoreBPE;

    const ALL: [(&Encoding, Reference); 5] = [
        (&O200K_BASE, tiktoken_rs::o200k_base_singleton),
        (&O200K_HARMONY, tiktoken_rs::o200k_harmony_singleton),
        (&CL100K_BASE, tiktoken_rs::cl100k_base_singleton),
        (&P50K_BASE, tiktoken_rs::p50k_base_singleton),
        (&R50K_BASE, tiktoken_rs::r50k_base_singleton),
    ];

    fn assert_same_counts(text: &str) -> Result<(), TestCaseError> {
        for (encoding, theirs) in ALL {
            // The second count is from the cache.
            for _ in 0..2 {
                prop_assert_eq!(
                    encoding.count(text),
                    theirs().encode_ordinary(text).len(),
                    "{} of {:?}",
                    encoding.name,
                    text
                );
            }
        }
        Ok(())
    }

    #[test]
    fn counts_are_those_of_tiktoken() {
        for text in [
            "",
            " ",
            "  ",
            " \n",
            "\n ",
            "a\n \n  b",
            "x \t\u{a0}y",
            "don't DON'T Don'T we'LL 'ſ it'ſ 're'",
            "\u{301}ABC \u{301}abc ǅabc ʰX",
            "<|endoftext|><|im_start|>",
            "12345 1½ ٣٤",
            "http://a.b/c//d\n/e /\n//",
            "你好，世界。\u{3000}再见",
            "😀👍🏽 é e\u{301}",
            "HTMLParser parseHTML ÀÉ",
            "    if x:\r\n\r\n\t\treturn\n\n",
        ] {
            assert_same_counts(text).unwrap();
        }
    }

    #[test]
    fn long_runs_are_counted_fast_and_right() {
        for unit in [
            "a",
            "A",
            " ",
            "\t",
            "\n",
            "=",
            "中",
            "\u{301}",
            "😀",
            "1",
            "\u{a0} ",
            "aA",
            "=-*",
            "<|endoftext|>",
        ] {
            assert_same_counts(&unit.repeat(3000)).unwrap();
            // tiktoken-rs panics here.
            assert!(O200K_BASE.count(&unit.repeat(300_000)) > 0);
        }
    }

    #[test]
    fn random_text_counts_as_in_tiktoken() {
        let mut random = fastrand::Rng::with_seed(3);
        let mut text =
            |from: &[char]| (0..1500).map(|_| from[random.usize(..from.len())]).collect::<String>();
        let chars = |text: &str| text.chars().collect::<Vec<_>>();
        let base64 =
            text(&chars("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"));
        let blanks = text(&chars(
            " \t\n\r\u{b}\u{c}\u{85}\u{a0}\u{1680}\u{2003}\u{2028}\u{202f}\u{3000}\u{200b}",
        ));
        let letters = text(&('a'..='z').collect::<Vec<_>>());
        let chinese = text(&('\u{4e00}'..='\u{9fff}').collect::<Vec<_>>());
        let any = text(&('\0'..=char::MAX).step_by(7).collect::<Vec<_>>());
        let minified = "!function(t,e){\"object\"==typeof exports?e(exports):e(t.a={})}(this,(function(t){var n=[1,2e3];for(;;)n[0]++}));".repeat(12);
        for text in [base64, blanks, letters, chinese, any, minified] {
            assert_same_counts(&text).unwrap();
        }
    }

    #[test]
    fn long_names_are_cached_right() {
        let mut random = fastrand::Rng::with_seed(5);
        let letters: String = (0..300).map(|_| random.lowercase()).collect();
        // Lengths around the limits of the caches, and more names than places.
        let mut names: Vec<String> =
            (1..=letters.len()).map(|end| letters[..end].to_owned()).collect();
        names.extend(
            (0..2000).map(|_| (0..random.usize(14..66)).map(|_| random.lowercase()).collect()),
        );
        for _ in 0..2 {
            random.shuffle(&mut names);
            for (encoding, theirs) in ALL {
                for name in &names {
                    assert_eq!(
                        encoding.count(name),
                        theirs().encode_ordinary(name).len(),
                        "{} of {name}",
                        encoding.name
                    );
                }
            }
        }
    }

    proptest! {
        #[test]
        fn any_text_counts_as_in_tiktoken(text in any::<String>()) {
            assert_same_counts(&text)?;
        }

        #[test]
        fn special_characters_count_as_in_tiktoken(text in "[a-cA-C ǅʰ\u{301}中1½'stſrevldm/\\-\r\n\t\u{a0}\u{3000}\u{85}😀 ]{0,40}") {
            assert_same_counts(&text)?;
        }
    }
}
