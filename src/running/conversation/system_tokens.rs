//! The tokens of the system prompt that the live agent would have sent.

use crate::running::conversation::prelude::*;
use crate::settings::{PromptSection, PromptSections};

/// The text with which a prompt already holds the memory.
const MEMORY_MARK: &str = "<agent_memory>";
/// The text with which a prompt already lists the skills.
const SKILLS_MARK: &str = "## Skills System";
/// The code points between two blocks of a prompt.
const JOINT_POINTS: usize = 2;
/// The code points of the role.
const ROLE_POINTS: usize = "system".len();
/// Tokens of a message beyond its code points.
const PER_MESSAGE: usize = 3;
/// The code points of a token, for the texts around memory and skills under an exact counter.
const FRAME_POINTS_PER_TOKEN: usize = 4;

/// The tokens of a system prompt, and what is to be said of it.
pub(super) struct SystemCount {
    pub(super) tokens: SystemTokens,
    pub(super) warnings: Vec<String>,
}

/// Counts the system prompt of a conversation with the sections that the live agent would add.
/// `tools` are the tokens of the tool schemas.
pub(super) fn count_system_prompt(
    view: TranscriptView<'_, '_>,
    sections: &PromptSections,
    counter: &dyn TokenCounter,
    tools: usize,
) -> SystemCount {
    let has_prompt = view.transcript.system_prefix_len() > 0;
    let logged = has_prompt.then(|| view.joined_text(0, "\n").into_owned());
    let prompt = logged.as_ref().or(sections.base.as_ref());
    let mut warnings = Vec::new();
    let mut missing = |section: &Option<PromptSection>, mark: &str, name: &str| {
        let section = section.clone()?;
        if prompt.is_some_and(|prompt| prompt.contains(mark)) {
            warnings.push(format!("the system prompt holds the {name} already: nothing is added"));
            return None;
        }
        Some(section)
    };
    let memory = missing(&sections.memory, MEMORY_MARK, "memory");
    let skills = missing(&sections.skills, SKILLS_MARK, "skills");
    let logged_tokens = if has_prompt { counter.count_message(view, 0) } else { 0 };
    let mut sums = PromptSums::new(counter, prompt.map_or("", String::as_str));
    let base = match (has_prompt, prompt) {
        (true, _) => logged_tokens,
        (false, Some(_)) => sums.tokens(),
        (false, None) => 0,
    };
    let memory_tokens = sums.add(memory.as_ref(), base);
    let skills_tokens = sums.add(skills.as_ref(), base + memory_tokens);
    let all = base + memory_tokens + skills_tokens;
    SystemCount {
        tokens: SystemTokens {
            base,
            memory: memory_tokens,
            skills: skills_tokens,
            tools,
            counted: sections.is_counted,
            added: if sections.is_counted { all - logged_tokens } else { 0 },
        },
        warnings,
    }
}

/// The sums over a prompt to which sections are added.
struct PromptSums<'c> {
    counter: &'c dyn TokenCounter,
    /// The code points so far.
    points: usize,
    /// The tokens so far, if the counter looks at more than code points.
    exact: usize,
}

impl<'c> PromptSums<'c> {
    fn new(counter: &'c dyn TokenCounter, prompt: &str) -> Self {
        Self {
            counter,
            points: prompt.chars().count(),
            exact: counter.count_summary(Role::System, prompt),
        }
    }

    /// Returns the tokens of the prompt so far, as one message.
    fn tokens(&self) -> usize {
        let points = self.counter.count_points(self.points + ROLE_POINTS);
        points.map_or(self.exact, |tokens| tokens + PER_MESSAGE)
    }

    /// Adds a section. Returns the tokens that a prompt of `before` tokens gains by it.
    fn add(&mut self, section: Option<&PromptSection>, before: usize) -> usize {
        let Some(section) = section else {
            return 0;
        };
        if self.points > 0 {
            self.points += JOINT_POINTS;
        }
        self.points += section.points();
        let filled = self.counter.count_text(&section.filled);
        self.exact += filled + section.frame_points.div_ceil(FRAME_POINTS_PER_TOKEN);
        self.tokens().saturating_sub(before)
    }
}
