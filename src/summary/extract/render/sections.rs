//! The sections of a summary, each in its share of the budget. What a section
//! leaves over flows on: to the references, and from them to the user's words
//! and the state.

use crate::policy::Template;
use crate::summary::extract::facts::collector::{ConversationFacts, ToolUse};
use crate::summary::extract::facts::earlier_summary::{DONE, EARLIER, USER_HEADING, USER_QUOTE};
use crate::summary::extract::facts::tool_effects::changes;
use crate::summary::extract::lex::identifiers::{self, TextEncoding};
use crate::summary::extract::lex::line::{block, clip, fold, is_armed};
use crate::summary::extract::render::reference_groups::ReferenceGroups;

/// Tokens of a text, by the policy's counter.
type Count<'c> = &'c dyn Fn(&str) -> usize;

const NONE: &str = "None";

/// Headings may cost at most one token in this many.
const FRAME_SHARE: usize = 5;
/// Bytes that the headings take, with what stands under empty ones.
const FRAME: usize = 256;
/// Shares of the bytes that what the headings leave can buy, in hundredths; the references have the others. Chosen so that
/// the recall of the references (spec: summary, "Targets") holds by exact counters too, to which an identifier costs twice
/// what prose does.
const WORDS_SHARE: usize = 22;
const ERRORS_SHARE: usize = 8;
const FILES_SHARE: usize = 11;
const STATE_SHARE: usize = 8;
const TOOLS_SHARE: usize = 3;
const PROSE_SHARE: usize = WORDS_SHARE + ERRORS_SHARE + FILES_SHARE + STATE_SHARE + TOOLS_SHARE;
/// Without headings: the goal's share in hundredths, and the budget from which on anything else is told.
const BARE_GOAL_SHARE: usize = 40;
const BARE_GOAL_ONLY: usize = 16;
/// Bytes of a text whose tokens tell what such text costs.
const SAMPLE: usize = 400;
/// Bytes that the state and the user's words have at least: with fewer they say nothing that could be gone on from.
const LEAST_STATE: usize = 80;
const LEAST_WORDS: usize = 150;
/// What stands for names that have no room.
const CUT: &str = ", …";
/// Of a message of the user at least so many bytes are quoted, or none.
const LEAST_QUOTE: usize = 60;
/// How often a draft is corrected, if the counter charges otherwise than expected.
const MOST_DRAFTS: usize = 5;

/// What the sections say, in lines.
#[derive(Default)]
struct SectionBodies {
    goal: Vec<String>,
    words: Vec<String>,
    tools: Vec<String>,
    errors: Vec<String>,
    references: Vec<String>,
    files: Vec<String>,
    state: Vec<String>,
}

impl SectionBodies {
    /// The whole summary; `none` stands where a section has nothing to say.
    fn write(&self, template: Template, none: &str) -> String {
        let Self {
            goal,
            words,
            tools,
            errors,
            references,
            files,
            state,
        } = self;
        let sections: &[(&str, &[&Vec<String>])] = match template {
            Template::DeepAgents => &[
                ("## SESSION INTENT\n", &[goal]),
                ("\n\n## SUMMARY\n", &[words, tools, errors, references]),
                ("\n\n## ARTIFACTS\n", &[files]),
                ("\n\n## NEXT STEPS\n", &[state]),
            ],
            Template::OpenCode => &[
                ("## Objective\n", &[goal]),
                ("\n\n## Important Details\n", &[words, references]),
                ("\n\n## Work State\n### Completed\n", &[tools]),
                ("\n### Active\n", &[]),
                ("\n### Blocked\n", &[errors]),
                ("\n\n## Next Move\n", &[state]),
                ("\n\n## Relevant Files\n", &[files]),
            ],
        };
        let lines = sections
            .iter()
            .flat_map(|(_, parts)| parts.iter().copied().flatten());
        let mut text =
            String::with_capacity(FRAME + lines.map(|line| line.len() + 1).sum::<usize>());
        for (heading, parts) in sections {
            text.push_str(heading);
            let start = text.len();
            for line in parts.iter().copied().flatten() {
                text.push_str(if text.len() > start { "\n" } else { "" });
                text.push_str(line);
            }
            text.push_str(if text.len() > start { "" } else { none });
        }
        text
    }
}

/// Writes the summary in at most `budget` tokens. Never empty.
pub(crate) fn write(
    notes: &mut ConversationFacts<'_>,
    template: Template,
    budget: usize,
    count: Count<'_>,
) -> String {
    let framed = count(&SectionBodies::default().write(template, NONE)).saturating_mul(FRAME_SHARE)
        <= budget;
    let text = if notes.is_silent() {
        String::new()
    } else if framed {
        full(notes, template, budget, count)
    } else {
        bare(notes, budget, count)
    };
    // Counters need not add up exactly, so the whole is weighed at last.
    let whole = if text.is_empty() {
        None
    } else {
        clip_lines(text, budget, count)
    };
    whole
        .or_else(|| fit(&format!("{} messages, no text", notes.turns), budget, count))
        .unwrap_or_else(|| "…".to_owned())
}

impl ConversationFacts<'_> {
    /// Whether there is nothing to say but how much was there.
    fn is_silent(&self) -> bool {
        self.goal.is_none()
            && self.words.is_empty()
            && self.prose.is_empty()
            && self.tools.is_empty()
            && self.state.is_empty()
            && self.references.is_empty()
    }
}

/// How many bytes a token buys, in hundredths.
#[derive(Debug, Clone, Copy)]
struct TokenRate(usize);

impl TokenRate {
    /// What text costs where there is none to see it by.
    const UNKNOWN: Self = Self(400);

    /// The rate of a sample; of one that is too short to tell, `otherwise`.
    fn of(sample: &str, otherwise: Self, count: Count<'_>) -> Self {
        let sample = fold(sample, SAMPLE);
        if sample.len() < 16 {
            otherwise
        } else {
            Self((sample.len() * 100 / count(&sample).max(1)).clamp(25, 3200))
        }
    }

    fn bytes(self, tokens: usize) -> usize {
        tokens.saturating_mul(self.0) / 100
    }

    /// What a text buys of which so many hundredths of the bytes cost `one`, the others `other`.
    fn mixed(one: Self, hundredths: usize, other: Self) -> Self {
        Self(100 * one.0 * other.0 / (hundredths * other.0 + (100 - hundredths) * one.0))
    }

    /// How many bytes at another rate cost as much as so many at this one.
    fn like(self, bytes: usize, other: Self) -> usize {
        bytes.saturating_mul(other.0) / self.0
    }
}

/// All sections under their headings.
fn full(
    notes: &mut ConversationFacts<'_>,
    template: Template,
    budget: usize,
    count: Count<'_>,
) -> String {
    let left = budget.saturating_sub(count(&SectionBodies::default().write(template, "")));
    let prose = TokenRate::of(&notes.sample(), TokenRate::UNKNOWN, count);
    // Identifiers cost more than prose by counters that know the difference: the shares are of what both together buy.
    let dense = TokenRate::of(&notes.references.sample(SAMPLE), prose, count);
    let whole = TokenRate::mixed(prose, PROSE_SHARE, dense).bytes(left);
    let room = |hundredths: usize| whole * hundredths / 100;
    let (errors, _) = notes.errors.write(room(ERRORS_SHARE));
    let (files, _) = notes.files.write(room(FILES_SHARE).max(40));
    let tools: Vec<String> = tools(&notes.tools, room(TOOLS_SHARE).max(64))
        .into_iter()
        .collect();
    let fixed: usize = errors
        .iter()
        .chain(&files)
        .chain(&tools)
        .map(|line| line.len() + 1)
        .sum();
    // What all references together would leave over goes to the user's words and the state.
    let rest = prose.bytes(left).saturating_sub(fixed);
    let spare = rest.saturating_sub(dense.like(notes.references.demand(), prose));
    let (wanted, words_wanted) = (notes.state.demand(), notes.words_demand());
    let state_room = room(STATE_SHARE)
        .max(LEAST_STATE)
        .max(wanted.min((spare / 3).max(spare.saturating_sub(words_wanted))));
    let words_room = room(WORDS_SHARE)
        .max(LEAST_WORDS)
        .max(spare.saturating_sub(state_room));
    let (goal, words) = words(notes, words_room);
    let (state, _) = notes.state.write(state_room);
    let mut bodies = SectionBodies {
        goal: goal.into_iter().collect(),
        words,
        tools,
        errors,
        references: Vec::new(),
        files,
        state,
    };
    let without = bodies.write(template, NONE);
    identifiers::scan(&without, TextEncoding::Plain, &mut |identifier, _, _| {
        notes.references.say(identifier)
    });
    identifiers::quotations(&without, &mut |quoted, _| notes.references.say(quoted));
    let rest = budget.saturating_sub(count(&without) + 1);
    let named = named(notes, rest, dense, count);
    if named.is_empty() {
        return without;
    }
    bodies.references.push(named);
    bodies.write(template, NONE)
}

/// The references in at most `tokens`: drafted by what such text costs, weighed, corrected.
fn named(
    notes: &mut ConversationFacts<'_>,
    tokens: usize,
    rate: TokenRate,
    count: Count<'_>,
) -> String {
    let mut best = String::new();
    let mut room = rate.bytes(tokens);
    // Each costs a token at least.
    let ranked = notes.references.ranked(tokens, count);
    let mut groups = ReferenceGroups::new(&notes.references, &ranked);
    for _ in 0..MOST_DRAFTS {
        let (draft, all) = groups.write(room);
        let cost = count(&draft);
        if cost > tokens {
            room = (draft.len() * tokens / cost).min(room - 1) * 49 / 50;
            continue;
        }
        let enough = all || cost * 100 >= tokens * 98 || draft.len() <= best.len();
        if draft.len() >= best.len() {
            best = draft;
        }
        if enough {
            break;
        }
        room = (room * tokens / cost.max(1)).min(room * 4);
    }
    best
}

impl ConversationFacts<'_> {
    /// What the user said after the goal and the prose of earlier summaries, the most worth telling first.
    fn later(&self) -> Vec<(&'static str, &str)> {
        // What stands under NEXT STEPS as unanswered is not said twice.
        let waiting = self.state.unanswered;
        let words = self
            .words
            .iter()
            .rev()
            .map(AsRef::as_ref)
            .skip_while(|words| Some(*words) == waiting)
            .map(|words| (USER_QUOTE, words));
        words
            .chain(self.prose.iter().map(|prose| (EARLIER, prose.as_ref())))
            .collect()
    }

    /// How many bytes would tell all the user's words.
    fn words_demand(&self) -> usize {
        self.goal.as_ref().map_or(0, |goal| goal.len() + 1)
            + self
                .later()
                .iter()
                .map(|(label, words)| words.len() + label.len() + 1)
                .sum::<usize>()
    }

    /// Some prose, to see what prose costs.
    fn sample(&self) -> String {
        let mut sample = String::new();
        for text in self
            .goal
            .iter()
            .chain(self.words.iter().rev())
            .chain(&self.prose)
            .map(AsRef::as_ref)
            .chain(self.state.unanswered)
        {
            if sample.len() >= SAMPLE {
                break;
            }
            sample.push_str(&fold(text, SAMPLE));
            sample.push(' ');
        }
        sample
    }
}

/// The goal, and the user's later words in at most `room` bytes together.
fn words(notes: &ConversationFacts<'_>, room: usize) -> (Option<String>, Vec<String>) {
    let later = notes.later();
    let goal_length = notes.goal.as_ref().map_or(0, |goal| goal.len());
    let rest: usize = later
        .iter()
        .map(|(label, words)| words.len() + label.len() + 1)
        .sum();
    // The goal has what the later words leave, at least half.
    let goal_room = (room / 2).max(room.saturating_sub(rest + USER_HEADING.len()));
    let goal = notes
        .goal
        .as_deref()
        .and_then(|goal| block("", "", goal, goal_room))
        .map(|(goal, _)| goal);
    let mut left = room.saturating_sub(
        goal.as_ref()
            .map_or(0, |goal| goal.len())
            .min(goal_length + 64)
            + 1,
    );
    let mut lines = Vec::new();
    // The newest as long as each gets a sentence; then none gets more than keeps all of them.
    let mut told: Vec<(&str, &str)> = Vec::new();
    let mut least = USER_HEADING.len() + 1;
    for (label, words) in later {
        least += (words.len() + label.len() + 1).min(LEAST_QUOTE);
        if least > left {
            break;
        }
        if !told.contains(&(label, words)) {
            told.push((label, words));
        }
    }
    let most = level(
        told.iter()
            .map(|(label, words)| words.len() + label.len() + 1)
            .collect(),
        left.saturating_sub(USER_HEADING.len() + 1),
    );
    for (label, words) in told {
        if let Some((quote, _)) = block(label, "  ", words, most.min(left)) {
            if label == USER_QUOTE && lines.is_empty() {
                lines.push(USER_HEADING.to_owned());
                left = left.saturating_sub(USER_HEADING.len() + 1);
            }
            left = left.saturating_sub(quote.len() + 1);
            lines.push(quote);
        }
    }
    (goal, lines)
}

/// The most that each of these may have so that all together have at most `room`.
fn level(mut lengths: Vec<usize>, room: usize) -> usize {
    lengths.sort_unstable();
    let mut left = room;
    for (number, length) in lengths.iter().enumerate() {
        let each = left / (lengths.len() - number);
        if *length > each {
            return each;
        }
        left -= length;
    }
    usize::MAX
}

/// `Done: edit_file x3, read_file x12`: what changed something first, then the most used.
fn tools(tools: &[ToolUse<'_>], room: usize) -> Option<String> {
    let mut order: Vec<&ToolUse<'_>> = tools.iter().collect();
    order.sort_by_cached_key(|tool| (!changes(tool.name), std::cmp::Reverse(tool.times)));
    let mut line = String::new();
    let mut cut = false;
    for ToolUse { name, times, .. } in order
        .into_iter()
        .filter(|tool| tool.times > 0 && !is_armed(tool.name))
    {
        // A count of three digits could be taken for an identifier.
        let count = if *times > 99 {
            "99+".to_owned()
        } else {
            times.to_string()
        };
        let entry = format!(
            "{}{} x{count}",
            if line.is_empty() { DONE } else { ", " },
            fold(name, 80)
        );
        // A shorter name may still fit.
        if line.len() + entry.len() + CUT.len() > room {
            cut = true;
            continue;
        }
        line.push_str(&entry);
    }
    if cut && !line.is_empty() {
        line.push_str(CUT);
    }
    (!line.is_empty()).then_some(line)
}

/// Without headings: the goal, then what may have to be named again.
fn bare(notes: &mut ConversationFacts<'_>, budget: usize, count: Count<'_>) -> String {
    let goal_share = if budget < BARE_GOAL_ONLY {
        budget
    } else {
        (budget * BARE_GOAL_SHARE / 100).max(BARE_GOAL_ONLY / 2)
    };
    let said = notes
        .goal
        .as_deref()
        .or_else(|| notes.prose.first().map(AsRef::as_ref));
    let goal = said.and_then(|goal| {
        fit(
            &crate::summary::extract::lex::line::no_heading(&fold(
                goal,
                goal_share.saturating_mul(16),
            )),
            goal_share,
            count,
        )
    });
    let mut lines: Vec<String> = goal.into_iter().collect();
    if lines.is_empty() || budget >= BARE_GOAL_ONLY {
        lines.extend(notes.files.write(budget * 2 / 3).0);
        let without = lines.join("\n");
        identifiers::scan(&without, TextEncoding::Plain, &mut |identifier, _, _| {
            notes.references.say(identifier)
        });
        let rest = budget.saturating_sub(count(&without) + 1);
        let dense = TokenRate::of(&notes.references.sample(SAMPLE), TokenRate::UNKNOWN, count);
        let named = named(notes, rest, dense, count);
        lines.extend((!named.is_empty()).then_some(named));
        if lines.is_empty() {
            lines.extend(notes.state.write(budget.saturating_mul(4)).0);
        }
    }
    lines.join("\n")
}

/// The longest prefix of a line that costs at most `tokens`. `None` where not one word fits.
fn fit(line: &str, tokens: usize, count: Count<'_>) -> Option<String> {
    let mut cost = count(line);
    if cost <= tokens {
        return (!line.is_empty()).then(|| line.to_owned());
    }
    // Each step cuts in proportion to what is too much: a handful of counts, never one a word.
    let mut room = line.len();
    for _ in 0..12 {
        room = (room * tokens / cost.max(1) + " …".len()).min(room - 1);
        let kept = clip(line, room)?;
        cost = count(&kept);
        if cost <= tokens {
            return Some(kept.into_owned());
        }
        room = kept.len();
    }
    None
}

/// The lines that fit, the last of them clipped. `None` where nothing fits.
fn clip_lines(mut text: String, budget: usize, count: Count<'_>) -> Option<String> {
    while count(&text) > budget {
        let (rest, last) = match text.rsplit_once('\n') {
            Some((rest, last)) => (rest.trim_end().to_owned(), last.to_owned()),
            None => return fit(&text, budget, count),
        };
        let over = count(&text).saturating_sub(budget);
        let room = count(&last).saturating_sub(over + 1);
        text = match fit(&last, room, count)
            .filter(|kept| kept.len() > " …".len() && !last.starts_with('#'))
        {
            Some(kept) if kept.len() < last.len() => format!("{rest}\n{kept}"),
            _ => rest,
        };
    }
    (!text.trim().is_empty()).then_some(text)
}
