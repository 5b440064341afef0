//! The limits above which a transcript is too large. OpenCode's overflow test
//! says which part of a model's limits is usable (`docs/reference/opencode.md`).

use super::absolute_amounts::ModelRoom;
use crate::model::ModelLimits;

/// Tokens that are kept free of a declared input limit, unless the longest answer is shorter.
const RESERVE: u64 = 20_000;
/// The longest answer in tokens that room is kept for, even if the model may give a longer one.
const MAX_OUTPUT: u64 = 32_000;

/// The limits above which a transcript is too large.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OverflowPolicy {
    /// Summarizes above this many tokens even if no trigger fired; 0 is the model's input limit.
    pub limit: u64,
    /// The number of tokens that every result must fit; 0 is no such limit.
    pub max_tokens: u64,
    /// The context in tokens, in place of all limits that the model declares; 0 is the model's.
    pub context: u64,
    /// The longest output in tokens, in place of the model's; 0 is the model's.
    pub output: u64,
    /// Tokens that are kept free of an input limit; 20,000 or `max_output` if that is less, if
    /// there is none.
    pub reserved: Option<u64>,
    /// The longest answer in tokens that room is kept for, also if the model declares none.
    pub max_output: u64,
    /// Lets the usable tokens be used up: compares with `>` instead of `>=`.
    pub strict: bool,
}

impl OverflowPolicy {
    /// Returns the tokens that a model with these limits has room for. `given` is an input limit of
    /// the user's, which takes precedence.
    #[must_use]
    pub fn room(&self, given: Option<u64>, model: ModelLimits) -> ModelRoom {
        let declared = if self.context > 0 {
            ModelLimits {
                context: Some(self.context),
                ..ModelLimits::default()
            }
        } else {
            model
        };
        let limit = given.or(model.input).or(model.context);
        let output = Some(self.output)
            .filter(|output| *output > 0)
            .or(declared.output);
        let max_output = output.map_or(self.max_output, |output| output.min(self.max_output));
        let reserved = self.reserved.unwrap_or(RESERVE.min(max_output));
        let usable = match (given.or(declared.input), declared.context) {
            (Some(input), _) => Some(input.saturating_sub(reserved)),
            // The reserve has no effect here, as in OpenCode.
            (None, Some(context)) => Some(context.saturating_sub(max_output)),
            (None, None) => None,
        };
        ModelRoom {
            limit,
            usable,
            overflow: usable.map(|usable| usable + u64::from(self.strict)),
        }
    }
}

impl Default for OverflowPolicy {
    fn default() -> Self {
        Self {
            limit: 0,
            max_tokens: 0,
            context: 0,
            output: 0,
            reserved: None,
            max_output: MAX_OUTPUT,
            strict: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usable(overflow: OverflowPolicy, context: u64, input: u64, output: u64) -> Option<u64> {
        let some = |value| Some(value).filter(|value| *value > 0);
        overflow
            .room(
                None,
                ModelLimits {
                    context: some(context),
                    input: some(input),
                    output: some(output),
                },
            )
            .usable
    }

    #[test]
    fn input_limit_and_context_have_different_reserves() {
        let plain = OverflowPolicy::default();
        assert_eq!(usable(plain, 200_000, 0, 64_000), Some(168_000));
        assert_eq!(usable(plain, 400_000, 272_000, 128_000), Some(252_000));
        assert_eq!(usable(plain, 128_000, 0, 16_000), Some(112_000));
        assert_eq!(
            usable(plain, 200_000, 0, 0),
            Some(168_000),
            "no output declared"
        );
        assert_eq!(
            usable(plain, 400_000, 272_000, 8_000),
            Some(264_000),
            "an answer shorter than the reserve"
        );
        assert_eq!(usable(plain, 16_000, 0, 0), Some(0));
        assert_eq!(usable(plain, 0, 0, 0), None);
        let reserved = OverflowPolicy {
            reserved: Some(5_000),
            ..plain
        };
        assert_eq!(usable(reserved, 400_000, 272_000, 128_000), Some(267_000));
        assert_eq!(
            usable(reserved, 200_000, 0, 64_000),
            Some(168_000),
            "no effect without an input limit"
        );
        assert_eq!(
            usable(
                OverflowPolicy {
                    reserved: Some(0),
                    ..plain
                },
                400_000,
                272_000,
                128_000
            ),
            Some(272_000)
        );
        assert_eq!(
            usable(
                OverflowPolicy {
                    max_output: 64_000,
                    ..plain
                },
                200_000,
                0,
                64_000
            ),
            Some(136_000)
        );
    }

    #[test]
    fn limits_of_the_user_take_precedence_over_those_of_the_model() {
        let seed = OverflowPolicy {
            context: 128_000,
            output: 32_000,
            reserved: Some(32_000),
            strict: true,
            ..OverflowPolicy::default()
        };
        let model = ModelLimits {
            context: Some(400_000),
            input: Some(272_000),
            output: Some(128_000),
        };
        assert_eq!(
            seed.room(None, model),
            ModelRoom {
                limit: Some(272_000),
                usable: Some(96_000),
                overflow: Some(96_001)
            }
        );
        assert_eq!(seed.room(Some(50_000), model).usable, Some(18_000));
        assert_eq!(
            OverflowPolicy::default()
                .room(Some(50_000), ModelLimits::default())
                .usable,
            Some(30_000)
        );
    }
}
