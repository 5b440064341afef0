//! The effects of the tools that a conversation used.

use super::file_actions::{CallEffect, effect_of_name};
use hashbrown::HashMap;

/// The number of tools that are compared one after the other: for a handful, that is faster than a
/// hash.
const FEW_TOOLS: usize = 16;

/// The effects of the tools by their names, each worked out once.
#[derive(Debug, Default)]
pub(crate) struct ToolEffects<'r> {
    /// The first tools.
    few: Vec<(&'r str, CallEffect)>,
    /// The other tools.
    many: HashMap<&'r str, CallEffect>,
}

impl<'r> ToolEffects<'r> {
    /// Returns the effect of a tool by its name.
    pub(crate) fn effect_of(&mut self, name: &'r str) -> CallEffect {
        if let Some((_, effect)) = self.few.iter().find(|(tool, _)| *tool == name) {
            return *effect;
        }
        if self.few.len() < FEW_TOOLS {
            let effect = effect_of_name(name);
            self.few.push((name, effect));
            return effect;
        }
        *self
            .many
            .entry(name)
            .or_insert_with(|| effect_of_name(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn effects_are_the_same_however_many_tools_there_are() {
        let names: Vec<String> = (0..FEW_TOOLS * 3)
            .map(|at| format!("{}_{at}", if at % 2 == 0 { "read_file" } else { "bash" }))
            .collect();
        let mut effects = ToolEffects::default();
        for _ in 0..2 {
            for name in &names {
                assert_eq!(effects.effect_of(name), effect_of_name(name));
            }
        }
        assert_eq!(effects.many.len(), names.len() - FEW_TOOLS);
    }
}
