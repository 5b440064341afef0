//! The limits above which a transcript is too large. OpenCode's overflow test
//! says which part of a model's limits is usable (`docs/reference/opencode.md`).

use super::absolute_amounts::{ModelRoom, share_of};
use crate::deciding::model::ModelLimits;

/// Tokens that are kept free of a declared input limit, unless the longest answer is shorter.
const RESERVE: u64 = 20_000;
/// The longest answer in tokens that room is kept for, even if the model may give a longer one.
const MAX_OUTPUT: u64 = 32_000;

/// The limits above which a transcript is too large.
#[derive(Debug, Clone, PartialEq)]
pub struct OverflowPolicy {
    /// Summarizes above this many tokens even if no trigger fired; 0 is the model's input limit.
    pub limit: u64,
    /// The number of tokens that every result must fit; 0 is no such limit.
    pub max_tokens: u64,
    /// The context in tokens, in place of all limits that the model declares; 0 is the model's.
    pub context: u64,
    /// The longest output in tokens, in place of the model's; 0 is the model's.
    pub output: u64,
    /// Tokens that are kept free of an input limit; without it 20,000, or `max_output` if that is
    /// less.
    pub reserved: Option<u64>,
    /// Lets the reserve count of a context, too, and the smaller usable part of an input limit and a
    /// context.
    pub reserve_both: bool,
    /// Tokens that are kept free beside the room for an answer.
    pub buffer: u64,
    /// The share of the context that is the input limit of a model that declares none.
    pub input_share: f64,
    /// The longest answer in tokens that room is kept for, also if the model declares none.
    pub max_output: u64,
    /// Lets the usable tokens be used up: compares with `>` instead of `>=`.
    pub strict: bool,
    /// The share of the input limit that is the budget of a call, less the longest output. Above
    /// it, summarizes even if no trigger fired; 0 is no budget.
    pub budget: f64,
    /// The providers whose calls ask for the model's longest output, which the budget leaves free.
    pub answers_of: Vec<String>,
}

impl OverflowPolicy {
    /// Returns the tokens that a model of `provider` with these limits has room for. `given` is an
    /// input limit of the user's, which takes precedence.
    pub fn room(
        &self,
        given: Option<u64>,
        model: ModelLimits,
        provider: Option<&str>,
    ) -> ModelRoom {
        let declared = if self.context > 0 {
            ModelLimits { context: Some(self.context), ..ModelLimits::default() }
        } else {
            model
        };
        let limit = given.or(model.input).or(self.input_of(model.context));
        let output = Some(self.output).filter(|output| *output > 0).or(declared.output);
        let max_output = output.map_or(self.max_output, |output| output.min(self.max_output));
        let reserved = self.reserved.unwrap_or(RESERVE.min(max_output));
        let of_input =
            given.or(declared.input).map(|input| input.saturating_sub(reserved + self.buffer));
        // The reserve has no effect here, as in OpenCode, but for its second version.
        let answer = if self.reserve_both { max_output.max(reserved) } else { max_output };
        let of_context =
            declared.context.map(|context| context.saturating_sub(answer + self.buffer));
        let usable = match (of_input, of_context) {
            (Some(input), Some(context)) if self.reserve_both && given.is_none() => {
                Some(input.min(context))
            }
            (of_input, of_context) => of_input.or(of_context),
        };
        ModelRoom {
            limit,
            usable,
            overflow: usable.map(|usable| usable + u64::from(self.strict)),
            budget: limit.and_then(|limit| self.call_budget(limit, model, provider)),
        }
    }

    /// Returns the input limit of a model that declares its context alone.
    fn input_of(&self, context: Option<u64>) -> Option<u64> {
        context.map(|context| match self.input_share {
            share if share < 1.0 => share_of(context, share),
            _ => context,
        })
    }

    /// Returns the input budget of a call: a share of the limit, less the output that the call
    /// leaves room for.
    fn call_budget(&self, limit: u64, model: ModelLimits, provider: Option<&str>) -> Option<u64> {
        if self.budget <= 0.0 {
            return None;
        }
        let asks_longest = provider.is_some_and(|provider| {
            self.answers_of.iter().any(|name| name.eq_ignore_ascii_case(provider))
        });
        let output = match self.output {
            0 if asks_longest => model.output.unwrap_or(0),
            output => output,
        };
        Some(share_of(limit, self.budget).saturating_sub(output))
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
            reserve_both: false,
            buffer: 0,
            input_share: 1.0,
            max_output: MAX_OUTPUT,
            strict: false,
            budget: 0.0,
            answers_of: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the room of a model that declares a context, an input limit and an output, where they
    /// are not 0.
    fn room(overflow: &OverflowPolicy, declared: [u64; 3]) -> ModelRoom {
        let [context, input, output] = declared.map(|value| Some(value).filter(|value| *value > 0));
        let limits = ModelLimits { context, input, output };
        overflow.room(None, limits, None)
    }

    #[test]
    fn what_reserves_leave_is_usable() {
        let plain = &OverflowPolicy::default();
        let reserved = |tokens| OverflowPolicy { reserved: Some(tokens), ..plain.clone() };
        let longer_answer = &OverflowPolicy { max_output: 64_000, ..plain.clone() };
        // Measured with Claude Code 2.1.332.
        let buffered = &OverflowPolicy { max_output: 20_000, buffer: 13_000, ..plain.clone() };
        // As OpenCode 2 documents it.
        let both = &OverflowPolicy { reserve_both: true, ..reserved(20_000) };
        for (overflow, declared, usable) in [
            (plain, [200_000, 0, 64_000], Some(168_000)),
            (plain, [400_000, 272_000, 128_000], Some(252_000)),
            (plain, [128_000, 0, 16_000], Some(112_000)),
            // No output is declared.
            (plain, [200_000, 0, 0], Some(168_000)),
            // The answer is shorter than the reserve.
            (plain, [400_000, 272_000, 8_000], Some(264_000)),
            (plain, [16_000, 0, 0], Some(0)),
            (plain, [0, 0, 0], None),
            (&reserved(5_000), [400_000, 272_000, 128_000], Some(267_000)),
            // A reserve has no effect without an input limit.
            (&reserved(5_000), [200_000, 0, 64_000], Some(168_000)),
            (&reserved(0), [400_000, 272_000, 128_000], Some(272_000)),
            (longer_answer, [200_000, 0, 64_000], Some(136_000)),
            (buffered, [200_000, 0, 64_000], Some(167_000)),
            (buffered, [200_000, 0, 8_000], Some(179_000)),
            (buffered, [1_000_000, 0, 64_000], Some(967_000)),
            (both, [400_000, 272_000, 128_000], Some(252_000)),
            (both, [280_000, 272_000, 128_000], Some(248_000)),
            (both, [200_000, 0, 8_000], Some(180_000)),
            (both, [200_000, 0, 64_000], Some(168_000)),
        ] {
            let room = room(overflow, declared);
            assert_eq!(room.usable, usable, "{declared:?} under {overflow:?}");
        }
        let given = buffered.room(Some(150_000), ModelLimits::default(), None);
        assert_eq!(given.usable, Some(117_000));
    }

    #[test]
    fn a_share_of_the_context_is_the_input_limit_that_is_not_declared() {
        let shared = OverflowPolicy { input_share: 0.9, ..OverflowPolicy::default() };
        assert_eq!(room(&shared, [200_000, 0, 0]).limit, Some(180_000));
        assert_eq!(room(&shared, [400_000, 272_000, 0]).limit, Some(272_000));
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
        let model =
            ModelLimits { context: Some(400_000), input: Some(272_000), output: Some(128_000) };
        let [limit, usable, overflow] = [272_000, 96_000, 96_001].map(Some);
        let room = ModelRoom { limit, usable, overflow, budget: None };
        assert_eq!(seed.room(None, model, None), room);
        assert_eq!(seed.room(Some(50_000), model, None).usable, Some(18_000));
        let plain = OverflowPolicy::default().room(Some(50_000), ModelLimits::default(), None);
        assert_eq!(plain.usable, Some(30_000));
    }

    #[test]
    fn a_budget_is_a_share_of_the_limit_less_the_longest_output() {
        let newest = OverflowPolicy {
            budget: 0.95,
            answers_of: vec!["anthropic".to_owned()],
            ..OverflowPolicy::default()
        };
        let asked = OverflowPolicy { output: 8_000, ..newest.clone() };
        let none = OverflowPolicy::default();
        let anthropic = Some("anthropic");
        for (overflow, input, output, provider, budget) in [
            // Measured with deepagents 0.7.32.
            (&newest, 200_000, 64_000, anthropic, Some(126_000)),
            (&newest, 1_000_000, 128_000, anthropic, Some(822_000)),
            (&newest, 200_000, 64_000, Some("openai"), Some(190_000)),
            (&newest, 200_000, 64_000, None, Some(190_000)),
            (&newest, 50_000, 64_000, anthropic, Some(0)),
            (&asked, 200_000, 64_000, Some("openai"), Some(182_000)),
            (&none, 200_000, 64_000, anthropic, None),
        ] {
            let model =
                ModelLimits { input: Some(input), output: Some(output), ..ModelLimits::default() };
            assert_eq!(overflow.room(None, model, provider).budget, budget);
        }
        let unknown = newest.room(None, ModelLimits::default(), anthropic);
        assert_eq!(unknown.budget, None);
    }
}
