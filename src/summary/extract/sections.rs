//! The sections of a summary, each in its share of the budget. What a section
//! leaves over flows on, in the end to the references, and from them back to
//! the user's words and the state.

use super::earlier::{DONE, EARLIER, USER_QUOTE};
use super::groups::Candidates;
use super::line::{Count, clip, fold, no_heading, reach};
use super::notes::Notes;
use crate::policy::Template;

const NONE: &str = "None";

/// The body of each section, in lines.
#[derive(Default)]
struct Bodies {
    goal: Vec<String>,
    words: Vec<String>,
    tools: Vec<String>,
    errors: Vec<String>,
    references: Vec<String>,
    files: Vec<String>,
    state: Vec<String>,
}

impl Bodies {
    /// The whole summary; `none` stands where a section has nothing to say.
    fn write(&self, template: Template, none: &str) -> String {
        let Self { goal, words, tools, errors, references, files, state } = self;
        let body = |parts: &[&Vec<String>]| {
            let lines: Vec<&str> = parts.iter().flat_map(|part| part.iter().map(String::as_str)).collect();
            if lines.is_empty() { none.to_owned() } else { lines.join("\n") }
        };
        match template {
            Template::DeepAgents => format!(
                "## SESSION INTENT\n{}\n\n## SUMMARY\n{}\n\n## ARTIFACTS\n{}\n\n## NEXT STEPS\n{}",
                body(&[goal]),
                body(&[words, tools, errors, references]),
                body(&[files]),
                body(&[state])
            ),
            Template::OpenCode => format!(
                "## Objective\n{}\n\n## Important Details\n{}\n\n## Work State\n### Completed\n{}\n### Active\n{none}\n### Blocked\n{}\n\n\
                 ## Next Move\n{}\n\n## Relevant Files\n{}",
                body(&[goal]),
                body(&[words, references]),
                body(&[tools]),
                body(&[errors]),
                body(&[state]),
                body(&[files])
            ),
        }
    }
}

/// Headings may cost at most one token in this many.
const FRAME_SHARE: usize = 5;
/// Shares of what the headings leave, in hundredths.
const WORDS_SHARE: usize = 32;
const ERRORS_SHARE: usize = 7;
const FILES_SHARE: usize = 8;
const STATE_SHARE: usize = 9;
const TOOLS_SHARE: usize = 5;
/// Without headings: the goal's share in hundredths, and the budget from which on anything else is told.
const BARE_GOAL_SHARE: usize = 40;
const BARE_GOAL_ONLY: usize = 16;

/// Writes the summary in at most `budget` tokens. Never empty.
pub(super) fn write(notes: &Notes<'_>, template: Template, budget: usize, count: Count<'_>) -> String {
    let framed = count(&Bodies::default().write(template, NONE)).saturating_mul(FRAME_SHARE) <= budget;
    let text = if notes.is_silent() {
        String::new()
    } else if framed {
        full(notes, template, budget, count)
    } else {
        bare(notes, budget, count)
    };
    // Counters need not add up exactly, so the whole is weighed at last.
    let whole = if text.is_empty() { None } else { clip_lines(text, budget, count) };
    whole.or_else(|| clip(&format!("{} messages, no text", notes.turns), budget, count)).unwrap_or_else(|| "…".to_owned())
}

impl Notes<'_> {
    /// Whether there is nothing to say but how much was there.
    fn is_silent(&self) -> bool {
        self.goal.is_none() && self.words.is_empty() && self.prose.is_empty() && self.tools.is_empty() && self.state.is_empty() && self.references.is_empty()
    }
}

/// All sections under their headings.
fn full(notes: &Notes<'_>, template: Template, budget: usize, count: Count<'_>) -> String {
    let headings = count(&Bodies::default().write(template, ""));
    let left = budget.saturating_sub(headings);
    let mut extra = 0;
    let candidates = notes.references.candidates(left);
    let mut best = String::new();
    // What the references leave over goes to the user's words and the state: once for most, twice at the utmost.
    for _ in 0..3 {
        let (text, clipped) = attempt(notes, template, &candidates, (left, extra, budget), count);
        let cost = count(&text);
        if cost > budget && !best.is_empty() {
            break;
        }
        best = text;
        let over = budget.saturating_sub(cost);
        if !clipped || over * 20 < budget {
            break;
        }
        extra += over;
    }
    best
}

/// One try, with something extra for the user's words and the state, and whether these had to be clipped.
fn attempt(notes: &Notes<'_>, template: Template, candidates: &Candidates, (left, extra, budget): (usize, usize, usize), count: Count<'_>) -> (String, bool) {
    let share = |hundredths: usize| left * hundredths / 100;
    let (goal, words, clipped) = words(notes, share(WORDS_SHARE) + extra * 2 / 3, count);
    let mut bodies = Bodies {
        goal: goal.into_iter().collect(),
        words,
        tools: tools(&notes.tools, share(TOOLS_SHARE).max(12), count).into_iter().collect(),
        errors: notes.errors.write(share(ERRORS_SHARE), count).into_iter().collect(),
        references: Vec::new(),
        files: notes.files.write(share(FILES_SHARE).max(10), count),
        state: notes.state.write(share(STATE_SHARE) + extra / 3, count),
    };
    let without = bodies.write(template, NONE);
    let rest = budget.saturating_sub(count(&without) + 1);
    let references = candidates.write(rest, &without, count);
    if !references.is_empty() {
        bodies.references.push(references);
    }
    let clipped = clipped || bodies.state.iter().any(|line| line.ends_with('…'));
    (bodies.write(template, NONE), clipped)
}

/// The goal, the user's later words newest first, and whether something was clipped for want of room.
fn words(notes: &Notes<'_>, share: usize, count: Count<'_>) -> (Option<String>, Vec<String>, bool) {
    // What stands under NEXT STEPS as unanswered is not said twice.
    let waiting = notes.state.unanswered;
    let later: Vec<&str> = notes.words.iter().rev().map(AsRef::as_ref).skip_while(|words| Some(*words) == waiting).collect();
    let for_goal = if later.is_empty() && notes.prose.is_empty() { share } else { (share / 2).max(10) };
    let goal_line = notes.goal.as_deref().map(|goal| no_heading(&fold(goal, reach(for_goal))));
    let goal = goal_line.as_ref().and_then(|line| clip(line, for_goal, count));
    let mut clipped = goal.is_none() && goal_line.is_some() || goal.as_ref().is_some_and(|goal| goal.ends_with('…'));
    let mut left = share.saturating_sub(goal.as_ref().map_or(0, |goal| count(goal)));
    let mut lines = Vec::new();
    let each = (share / 3).max(12);
    let prose_share = if notes.prose.is_empty() { 0 } else { left / 3 };
    let mut tell = |text: &str, label: &str, floor: usize, lines: &mut Vec<String>| {
        if left < 8 + floor {
            return false;
        }
        let room = each.min(left - floor);
        let line =
            clip(&format!("{label}{}", fold(text, reach(room))), room, count).filter(|line| line.trim_end_matches([' ', '…']).len() > label.trim_end().len());
        let Some(line) = line else { return false };
        left -= count(&format!("{line}\n")).min(left);
        let whole = !line.ends_with('…');
        lines.push(line);
        whole
    };
    for text in later.into_iter().take(share) {
        clipped |= !tell(text, USER_QUOTE, prose_share, &mut lines);
    }
    if !lines.is_empty() {
        lines.insert(0, "User, newest first:".to_owned());
    }
    for text in &notes.prose {
        clipped |= !tell(text, EARLIER, 0, &mut lines);
    }
    (goal, lines, clipped)
}

/// `Done: read_file x12, bash x3`, the most used first.
fn tools(tools: &[(String, usize)], tokens: usize, count: Count<'_>) -> Option<String> {
    let mut order: Vec<&(String, usize)> = tools.iter().collect();
    order.sort_by_key(|(_, times)| std::cmp::Reverse(*times));
    let told: Vec<String> = order.iter().take(tokens).map(|(name, times)| format!("{} x{times}", fold(name, 80))).collect();
    // Clipped between entries: a tool's name with its count stays whole.
    let line = clip(&format!("{DONE}{}", told.join(", ")), tokens, count)?;
    let entries = match line.strip_suffix(" …") {
        Some(cut) => cut.rsplit_once(", ").map_or("", |(whole, last)| if last.contains(" x") { cut } else { whole }),
        None => &line,
    };
    (entries.len() > DONE.len()).then(|| if entries.len() < line.len() { format!("{} …", entries.trim_end_matches(',')) } else { line.clone() })
}

/// Without headings: the goal, then what may have to be named again.
fn bare(notes: &Notes<'_>, budget: usize, count: Count<'_>) -> String {
    let goal_share = if budget < BARE_GOAL_ONLY { budget } else { (budget * BARE_GOAL_SHARE / 100).max(BARE_GOAL_ONLY / 2) };
    let said = notes.goal.as_deref().or_else(|| notes.prose.first().map(String::as_str));
    let goal = said.and_then(|goal| clip(&no_heading(&fold(goal, reach(goal_share))), goal_share, count));
    let mut lines: Vec<String> = goal.into_iter().collect();
    if lines.is_empty() || budget >= BARE_GOAL_ONLY {
        let files = notes.files.write(budget / 6, count);
        lines.extend(files);
        let rest = budget.saturating_sub(count(&lines.join("\n")) + 1);
        let references = notes.references.candidates(rest).write(rest, &lines.join("\n"), count);
        lines.extend((!references.is_empty()).then_some(references));
        if lines.is_empty() {
            lines.extend(notes.state.write(budget, count));
        }
    }
    lines.join("\n")
}

/// The lines that fit, the last of them clipped. `None` where nothing fits.
fn clip_lines(mut text: String, budget: usize, count: Count<'_>) -> Option<String> {
    while count(&text) > budget {
        let (rest, last) = match text.rsplit_once('\n') {
            Some((rest, last)) => (rest.trim_end().to_owned(), last.to_owned()),
            None => return clip(&text, budget, count),
        };
        let over = count(&text).saturating_sub(budget);
        let room = count(&last).saturating_sub(over + 1);
        text = match clip(&last, room, count).filter(|kept| kept.len() > " …".len() && !last.starts_with('#')) {
            Some(kept) if kept.len() < last.len() => format!("{rest}\n{kept}"),
            _ => rest,
        };
    }
    (!text.trim().is_empty()).then_some(text)
}
