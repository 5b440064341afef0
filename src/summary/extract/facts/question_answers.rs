//! Reads what the user answered to the questions of a tool.

use super::call_form::CallForm;
use super::standing_wishes::WISHES;
use crate::summary::extract::lex::clip::{clip_line, floor_char};
use crate::summary::extract::lex::result_text::tool_heading;
use crate::summary::extract::lex::sentences::{QUESTION_MARKS, split_sentences};
use crate::summary::extract::lexicon::message_marks::{
    ANSWERS_END, ANSWERS_OPENING, HARNESS_DETAILS, HARNESS_SECTIONS, RECOMMENDATIONS, REJECTIONS,
};
use crate::summary::extract::lexicon::sentence_words::QUESTION_WORDS;
use serde_json::Value;

/// The beginning of the result of a question of Codex.
const ANSWERS_OBJECT: &str = "{\"answers\":";
/// The key of all answers, and of those to a question.
const ANSWERS: &str = "answers";
/// Before what the user wrote beside an option.
const NOTE: &str = "user_note: ";
/// Maximum length in bytes of an answer that is read.
const LONGEST_ANSWER: usize = 400;
/// Tools that ask the user: of Claude Code, Codex and OpenCode.
const ASKING_TOOLS: [&str; 3] = ["AskUserQuestion", "request_user_input", "question"];

/// Returns true for a call that asks the user. What any other call printed is not the user's word, and what
/// this one printed is no record.
pub(super) fn asks_user(call: CallForm<'_>) -> bool {
    matches!(call, CallForm::Tool(call) if ASKING_TOOLS.contains(&call.name))
}

/// Returns what the user said beside the result of a call of Cline.
pub(super) fn feedback_in(result: &str) -> Option<&str> {
    let heading = tool_heading(result.trim_start())?;
    // A file that was read may hold such lines, too: there, more of the file follows.
    let shows_files = SHOWING_TOOLS.iter().any(|tool| heading.starts_with(tool));
    let (_, rest) = if shows_files {
        result.rsplit_once(FEEDBACK.0)?
    } else {
        result.split_once(FEEDBACK.0)?
    };
    let (words, behind) = rest.split_once(FEEDBACK.1)?;
    if shows_files && !is_of_harness(behind) {
        return None;
    }
    let words = words.trim();
    words.contains(char::is_alphanumeric).then_some(words)
}

/// Returns true if only the harness speaks behind the user's words.
fn is_of_harness(behind: &str) -> bool {
    let text = behind.trim_start();
    let is_section = |section: &&str| text.starts_with(section.trim_start());
    text.is_empty()
        || text.starts_with(HARNESS_DETAILS)
        || text.starts_with(FILE_BLOCK)
        || tool_heading(text).is_some()
        || HARNESS_SECTIONS.iter().any(is_section)
}

/// Tools of Cline and Roo Code that show files, and the block of a file behind a message.
const SHOWING_TOOLS: [&str; 4] = ["read_file", "search_files", "list_code", "access_mcp"];
const FILE_BLOCK: &str = "<file_content";

/// The lines around such words.
const FEEDBACK: (&str, &str) = ("\n<feedback>\n", "\n</feedback>");

/// Returns true if a call may be refused in the words of `result`. Only a plan is rejected as one.
pub(super) fn may_be_refused(call: CallForm<'_>, result: &str) -> bool {
    let result = result.trim_start();
    let mut refused = REJECTIONS.iter();
    refused.any(|rejection| {
        result.starts_with(rejection.opening)
            && (rejection.tool.is_empty()
                || matches!(call, CallForm::Tool(call) if call.name.contains(rejection.tool)))
    })
}

/// Returns what the user said when refusing a call, from its result.
pub(super) fn words_of_rejection(result: &str) -> Option<&str> {
    let result = result.trim_start();
    let words = REJECTIONS.iter().find_map(|rejection| {
        let rest = result.strip_prefix(rejection.opening)?;
        let (between, words) = rest.split_once(rejection.before)?;
        // A file may quote a part of it.
        if !between.trim_start().starts_with(rejection.between) {
            return None;
        }
        Some(words.split(rejection.behind).next().unwrap_or(words).trim())
    })?;
    words.contains(char::is_alphanumeric).then_some(words)
}

/// An answer of the user to the question of a tool.
#[derive(Debug)]
pub(crate) struct UserAnswer {
    /// The answer, with what was asked: `Yes, run it (Shall I test it?)`.
    pub(crate) text: String,
    /// The number of the message that tells it, and the index of the exchange that asked.
    pub(crate) message: usize,
    pub(crate) exchange: usize,
}

/// Returns the user's answers to the questions of a tool, from its result in message number `message`. `exchange` is the
/// index of the call with that result.
pub(super) fn answers_of(result: &str, message: usize, exchange: usize) -> Vec<UserAnswer> {
    let result = result.trim_start();
    let texts = if result.starts_with(ANSWERS_OBJECT) {
        answers_in_json(result).unwrap_or_default()
    } else {
        (result.strip_prefix(ANSWERS_OPENING))
            .map(|answers| {
                answers_in_pairs(&answers[..answers.rfind(ANSWERS_END).unwrap_or(answers.len())])
            })
            .unwrap_or_default()
    };
    let answers = texts.into_iter().map(|text| UserAnswer {
        text,
        message,
        exchange,
    });
    answers.collect()
}

/// Returns the answers in an object: `chosen_idea: EdgeRunner, build it as an engine` and `team: Solo`.
fn answers_in_json(result: &str) -> Option<Vec<String>> {
    let result: Value = serde_json::from_str(result).ok()?;
    let questions = result.get(ANSWERS)?.as_object()?.iter();
    let answered = questions.filter_map(|(question, answer)| {
        let answers = answer
            .get(ANSWERS)?
            .as_array()?
            .iter()
            .filter_map(Value::as_str);
        let answers = answers.map(answer_in).collect::<Vec<_>>().join(", ");
        (!answers.is_empty()).then(|| format!("{question}: {answers}"))
    });
    Some(answered.collect())
}

/// Returns the answers in pairs, `"Which pump?"="The red one"`, each before what was asked. What asks back
/// answers nothing.
fn answers_in_pairs(pairs: &str) -> Vec<String> {
    let mut answers = Vec::new();
    let mut rest = pairs;
    while let Some((question, behind)) = rest.split_once(EQUALS) {
        // A note of the user may stand behind the quotation mark that ends the answer.
        let end = (behind.find(EQUALS))
            .and_then(|next| behind[..next].rfind(BETWEEN_PAIRS))
            .unwrap_or(behind.len());
        rest = behind[end..]
            .strip_prefix(BETWEEN_PAIRS)
            .unwrap_or_default();
        let answer = behind[..end].trim_end_matches(['.', ' ']);
        let answer = answer.strip_suffix(QUOTE).unwrap_or(answer);
        let answer = without_recommendation(answer).replacen(NOTES, "; ", 1);
        if answer.contains(char::is_alphanumeric) && !asks_back(&answer) {
            let question = question.trim_start();
            let question = question.strip_prefix(QUOTE).unwrap_or(question);
            answers.push(with_question(&answer, question));
        }
    }
    answers
}

/// Returns true for an answer that only asks: `what is the difference?`
fn asks_back(answer: &str) -> bool {
    let first = answer.split([' ', ',', '\'']).next().unwrap_or_default();
    answer.ends_with(QUESTION_MARKS)
        && QUESTION_WORDS
            .iter()
            .any(|word| first.eq_ignore_ascii_case(word))
        && !WISHES.has_words(answer)
}

/// What stands between a question and its answer, between two pairs, around both, and before a note of the user.
const EQUALS: &str = "\"=\"";
const BETWEEN_PAIRS: &str = ", \"";
const QUOTE: char = '"';
const NOTES: &str = "\" user notes: ";

/// Writes an answer before the sentence of the question that asks.
fn with_question(answer: &str, question: &str) -> String {
    let sentences = question.lines().flat_map(split_sentences).map(str::trim);
    let asked = sentences
        .filter(|sentence| sentence.ends_with(QUESTION_MARKS))
        .last()
        .unwrap_or(question);
    match clip_line(asked, LONGEST_QUESTION) {
        Some(asked) => format!("{answer} ({asked})"),
        None => answer.to_owned(),
    }
}

/// Maximum length in bytes of a question.
const LONGEST_QUESTION: usize = 110;

/// Returns an answer without what Codex writes around it.
fn answer_in(answer: &str) -> &str {
    let answer = without_recommendation(answer);
    let answer = answer.strip_prefix(NOTE).unwrap_or(answer).trim();
    &answer[..floor_char(answer, LONGEST_ANSWER)]
}

/// Returns an option without the word of the agent that recommends it: the user only chose it.
fn without_recommendation(option: &str) -> &str {
    let mut found = RECOMMENDATIONS.iter();
    let option = option.trim_end();
    found
        .find_map(|words| option.strip_suffix(words))
        .unwrap_or(option)
        .trim_end()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_agents_recommendation_is_not_the_users_word() {
        assert_eq!(
            answers_in_pairs(
                "\"Which pump?\"=\"The red one (Recomendado)\", \"And the folder?\"=\"cap（推荐）\""
            ),
            ["The red one (Which pump?)", "cap (And the folder?)"]
        );
    }

    #[test]
    fn answers_are_read_as_tools_write_them() {
        for (result, expected) in [
            (
                r#"{"answers":{"idea":{"answers":["Pump (Recommended)","user_note: as an engine"]},"team":{"answers":["Solo"]}}}"#,
                &["idea: Pump, as an engine", "team: Solo"][..],
            ),
            (
                "User has answered your questions: \"It is old. Which pump? Both fit.\"=\"The red, \"big\" one\", \"Oil it?\"=\"Yes\". You can now continue",
                &["The red, \"big\" one (Which pump?)", "Yes (Oil it?)"],
            ),
            (
                "User has answered your questions: \"Which?\"=\"Pump\" user notes: never run it dry, \"Drop it?\"=\"No, never drop it, can't you rename it?\". You can now continue",
                &[
                    "Pump; never run it dry (Which?)",
                    "No, never drop it, can't you rename it? (Drop it?)",
                ],
            ),
            (
                "User has answered your questions: \"Which?\"=\"what is the difference?\". You can now continue",
                &[],
            ),
            (r#"{"answers":{}}"#, &[]),
            (r#"{"items":["a"]}"#, &[]),
        ] {
            let answers = answers_of(result, 7, 3);
            let texts: Vec<&str> = answers.iter().map(|answer| answer.text.as_str()).collect();
            assert_eq!(texts, expected, "{result}");
            assert!(answers.iter().all(|answer| answer.message == 7));
        }
    }
}
