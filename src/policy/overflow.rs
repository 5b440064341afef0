//! OpenCode's overflow test: what of a model's limits is usable (spec: opencode,
//! A.1, "Overflow test"). The trigger `overflow` compares with it; and a limit
//! above which a transcript is summarised though nothing triggered.

use crate::model::Limits;
use crate::policy::Room;

/// What is kept free of a declared input limit, unless the answer may be shorter.
const RESERVE: u64 = 20_000;
/// The longest answer that room is kept for, whatever the model may give.
pub(super) const MAX_OUTPUT: u64 = 32_000;

/// When a transcript is too large.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Overflow {
    /// Above this many tokens a transcript is summarised even if no trigger fired; 0 = the model's input limit.
    pub limit: u64,
    /// What every result must fit, whatever its model takes; 0 = nothing is asked for.
    pub max_tokens: u64,
    /// The context, in place of all that the model declares; 0 = as the model declares.
    pub context: u64,
    /// The longest output, in place of the model's; 0 = the model's.
    pub output: u64,
    /// What is kept free of an input limit; none = 20,000, or `max_output` where that is less.
    pub reserved: Option<u64>,
    /// The longest answer that room is kept for; also where the model declares none.
    pub max_output: u64,
    /// Whether what is usable may be used up: compares with `>` instead of `>=`.
    pub strict: bool,
}

impl Overflow {
    /// What a model has room for. `given` is an input limit of the user's, which goes before all others.
    #[must_use]
    pub fn room(&self, given: Option<u64>, model: Limits) -> Room {
        let declared = if self.context > 0 {
            Limits {
                context: Some(self.context),
                ..Limits::default()
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
            // Here the reserve has no effect, as users of OpenCode found out.
            (None, Some(context)) => Some(context.saturating_sub(max_output)),
            (None, None) => None,
        };
        Room {
            limit,
            usable,
            overflow: usable.map(|usable| usable + u64::from(self.strict)),
        }
    }
}

impl Default for Overflow {
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

    fn usable(overflow: Overflow, context: u64, input: u64, output: u64) -> Option<u64> {
        let some = |value| Some(value).filter(|value| *value > 0);
        overflow
            .room(
                None,
                Limits {
                    context: some(context),
                    input: some(input),
                    output: some(output),
                },
            )
            .usable
    }

    #[test]
    fn both_branches_and_their_reserves() {
        let plain = Overflow::default();
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
        let reserved = Overflow {
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
                Overflow {
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
                Overflow {
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
    fn what_the_user_gives_goes_before_what_the_model_declares() {
        let seed = Overflow {
            context: 128_000,
            output: 32_000,
            reserved: Some(32_000),
            strict: true,
            ..Overflow::default()
        };
        let model = Limits {
            context: Some(400_000),
            input: Some(272_000),
            output: Some(128_000),
        };
        assert_eq!(
            seed.room(None, model),
            Room {
                limit: Some(272_000),
                usable: Some(96_000),
                overflow: Some(96_001)
            }
        );
        assert_eq!(seed.room(Some(50_000), model).usable, Some(18_000));
        assert_eq!(
            Overflow::default()
                .room(Some(50_000), Limits::default())
                .usable,
            Some(30_000)
        );
    }
}
