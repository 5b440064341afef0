//! The tools that a conversation used.

use super::file_actions::CallEffect;
use hashbrown::HashMap;

/// The number of tools that are compared one after the other: for a handful, that is faster than a
/// hash.
const FEW_TOOLS: usize = 16;

/// A tool that the conversation used.
#[derive(Debug)]
pub(crate) struct ToolUse<'r> {
    pub(crate) name: &'r str,
    /// Number of calls, without those that failed.
    pub(crate) calls: usize,
    /// The effect of a call on files, by the tool's name.
    pub(crate) effect: CallEffect,
}

/// The tools, in the order of their first calls.
#[derive(Debug, Default)]
pub(crate) struct ToolUses<'r> {
    tools: Vec<ToolUse<'r>>,
    index: HashMap<&'r str, usize>,
}

impl<'r> ToolUses<'r> {
    /// Adds a tool that is not in the list.
    pub(crate) fn push(&mut self, tool: ToolUse<'r>) {
        self.index.insert(tool.name, self.tools.len());
        self.tools.push(tool);
    }

    /// Returns the tool with this name.
    pub(crate) fn find_mut(&mut self, name: &str) -> Option<&mut ToolUse<'r>> {
        if self.tools.len() <= FEW_TOOLS {
            return self.tools.iter_mut().find(|tool| tool.name == name);
        }
        let at = *self.index.get(name)?;
        self.tools.get_mut(at)
    }

    pub(crate) fn as_slice(&self) -> &[ToolUse<'r>] {
        &self.tools
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::extract::facts::file_actions::effect_of_name;

    #[test]
    fn tools_are_found_however_many_they_are() {
        let names: Vec<String> = (0..FEW_TOOLS * 3).map(|at| format!("tool{at}")).collect();
        let mut tools = ToolUses::default();
        for name in &names {
            assert!(tools.find_mut(name).is_none());
            tools.push(ToolUse {
                name,
                calls: 1,
                effect: effect_of_name(name),
            });
            for known in &names[..tools.as_slice().len()] {
                assert_eq!(tools.find_mut(known).unwrap().name, known);
            }
        }
    }
}
