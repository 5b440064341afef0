//! Collects the facts of a conversation in a single pass over its messages.

use super::agent_summaries::is_agent_summary;
use super::argument_values::visit_argument_references;
use super::call_effects::shows_foreign_text;
use super::call_failures::{is_alternative_output, is_failure, is_refusal};
use super::call_form::{CallForm, form_of_call};
use super::called_skills::CalledSkill;
use super::conversation_facts::ConversationFacts;
use super::earlier_reader::EarlierSummary;
use super::earlier_sink::SummarySink;
use super::earlier_summary::read_earlier_summary;
use super::envelopes::{answer_in, strip_sections, unwrap_request};
use super::file_actions::{FileAction, effect_of_call, effect_of_name, is_web_tool};
use super::inline_commands::{command_call, file_shown_by_editor, final_command, strip_heading};
use super::issue_forms::strip_form;
use super::kept_messages::observe_kept;
use super::pending_calls::FileTouch;
use super::places::{IN_ASSISTANT_TEXT, IN_CALL, IN_RESULT, IN_USER_TEXT, Places};
use super::question_answers::{
    answers_of, asks_user, feedback_in, may_be_refused, words_of_rejection,
};
use super::running_calls::awaited_call;
use super::signatures::OfferedFunctions;
use super::task_calls::keeps_tasks;
use super::tool_effects::ToolEffects;
use super::user_messages::{UserMessageKind, classify_user_message, is_cut_result};
use crate::summary::extract::lex::argument_leaves::visit_leaves;
use crate::summary::extract::lex::excerpt::both_ends;
use crate::summary::extract::lex::identifier_kinds::NUMBER;
use crate::summary::extract::lex::identifiers::{TextEncoding, scan_identifiers};
use crate::summary::extract::lex::quotations::scan_quotations;
use crate::summary::extract::lex::result_text::{headed_results, is_missing_result};
use crate::summary::extract::lex::value_keys::{KeyNotation, ValueKey};
use crate::summary::extract::lexicon::argument_names::TODO_LIST_KEYS;
use crate::summary::extract::lexicon::message_marks::INJECTED_TAGS;
use crate::transcript::Role;
use crate::transcript::view::{ViewedCall, ViewedTurn};
use std::borrow::Cow;

/// Collects the facts of a conversation. `kept` holds the messages that stay beside the summary.
pub(crate) fn collect_facts<'r>(
    turns: &'r [ViewedTurn<'r>],
    kept: &[ViewedTurn<'_>],
) -> ConversationFacts<'r> {
    let mut collector = FactCollector {
        facts: ConversationFacts::new(turns),
        notice: None,
        inline_command: None,
        tool_effects: ToolEffects::default(),
        after_result: false,
        answered: Vec::new(),
    };
    for (number, turn) in turns.iter().enumerate() {
        collector.observe_message(turn, number);
    }
    collector.settle_shared_result();
    let FactCollector {
        mut facts, notice, ..
    } = collector;
    if let Some(notice) = notice.filter(|_| facts.requests.is_empty()) {
        facts.requests.push_request(Cow::Borrowed(notice), 0, false);
    }
    facts.files.close_all_calls();
    observe_kept(&mut facts, turns, kept);
    facts
}

/// The facts of the messages so far.
struct FactCollector<'r> {
    facts: ConversationFacts<'r>,
    /// The first notice of a harness in the user's name. It is the goal if there is no other.
    notice: Option<&'r str>,
    /// The command at the end of the last message, if the assistant wrote it without a call, and
    /// the index of its exchange. The next message may hold its output.
    inline_command: Option<(&'r str, usize)>,
    /// The effects of the tools by their names.
    tool_effects: ToolEffects<'r>,
    /// The last message is the result of a tool.
    after_result: bool,
    /// The calls that results without ids answered since the assistant spoke.
    answered: Vec<usize>,
}

impl<'r> FactCollector<'r> {
    /// Collects the facts of message number `number`.
    fn observe_message(&mut self, turn: &'r ViewedTurn<'r>, number: usize) {
        if turn.earlier_summary || (turn.role == Role::User && is_agent_summary(&turn.text)) {
            return self.observe_earlier_summary(turn, number);
        }
        let inline_command = self.inline_command.take();
        let after_result = std::mem::take(&mut self.after_result);
        match turn.role {
            Role::User => match classify_user_message(&turn.text) {
                UserMessageKind::CommandOutput
                    if !self.facts.requests.is_empty() || is_cut_result(&turn.text) =>
                {
                    self.notice.get_or_insert(&turn.text);
                    self.observe_output(&turn.text, number, inline_command);
                }
                // The first message is the task, even if it ends with a prompt.
                UserMessageKind::Request | UserMessageKind::CommandOutput => {
                    // What the user answers did not run: it was only shown.
                    if let Some((_, index)) = inline_command {
                        self.facts.exchanges.take_back(index);
                    }
                    self.observe_request(&turn.text, number, after_result);
                }
                UserMessageKind::Notice => {
                    // In place of an output, it says that nothing ran.
                    if let Some((_, index)) = inline_command {
                        self.facts.exchanges.take_back(index);
                    }
                    let is_said = |name: &str| !INJECTED_TAGS.contains(&name);
                    self.observe_references_if(&turn.text, number, IN_RESULT, &is_said);
                    if !turn.text.trim_start().is_empty() {
                        self.notice.get_or_insert(&turn.text);
                    }
                }
            },
            Role::Assistant => self.observe_assistant(turn, number),
            Role::Tool | Role::Function => {
                if is_missing_result(&turn.text) {
                    return;
                }
                self.after_result = true;
                self.observe_references(&turn.text, number, IN_RESULT);
                self.observe_result(turn, number);
                self.facts.state.observe_result();
                if let Some(words) = words_of_rejection(&turn.text)
                    && (turn.failed || !self.shows_foreign_result(&turn.text))
                {
                    self.observe_request(words, number, true);
                    // What a call lacked says more of the request before it.
                    self.facts.requests.mark_answer();
                }
            }
            // System prompts are never summarised.
            Role::System | Role::Developer => {}
        }
    }

    /// Returns true for the result of a call that shows what others wrote as it stands: a page of the web, or
    /// a file that a command prints. Its words are not the user's.
    fn shows_foreign_result(&self, result: &str) -> bool {
        let answered = self.facts.exchanges.all.iter().rev();
        (answered.take(MOST_ANSWERED)).any(|exchange| {
            exchange.result == Some(result)
                && (shows_foreign_text(exchange.call) || !may_be_refused(exchange.call, result))
        })
    }

    fn observe_assistant(&mut self, turn: &'r ViewedTurn<'r>, number: usize) {
        self.observe_references(&turn.text, number, IN_ASSISTANT_TEXT);
        self.facts.state.observe_reply(&turn.text);
        self.settle_shared_result();
        if turn.calls.is_empty() {
            self.inline_command = final_command(&turn.text).map(|command| {
                let call = CallForm::Command(command);
                (command, self.facts.exchanges.push_call(number, call))
            });
        } else {
            self.facts.files.close_all_calls();
        }
        for call in &turn.calls {
            self.observe_call(call, number);
        }
    }

    /// Collects the facts of the user's own words.
    fn observe_request(&mut self, text: &'r str, number: usize, after_result: bool) {
        if text.trim_start().is_empty() {
            return;
        }
        if let Some(skill) = CalledSkill::from_message(text) {
            return self.observe_called_skill(&skill, text, number, after_result);
        }
        let words = unwrap_request(text);
        let stripped = strip_form(words);
        // Of the versions and settings that a form lists nobody goes on; of the places of a traceback one may.
        let is_setting = |name: &str| name.bytes().all(|byte| byte.is_ascii_uppercase());
        let is_said = |name: &str| {
            words.len() == stripped.len() || !is_setting(name) || stripped.contains(name)
        };
        self.observe_references_if(words, number, IN_USER_TEXT, &is_said);
        // What stands around the user's words is the harness's.
        if let Some((before, after)) = around(text, words).filter(|_| answer_in(text).is_none()) {
            self.facts.frame.observe(before, strip_sections(after));
        }
        let offered = OfferedFunctions::take_from(stripped);
        if !offered.signatures.is_empty() {
            // Behind the task, the harness says how to call them.
            let is_prompt = !self.facts.requests.is_empty() && offered.is_about_calls();
            self.facts.frame.offer_functions(offered.signatures);
            if is_prompt {
                return self.facts.state.observe_request(offered.request);
            }
        }
        let request = offered.request;
        self.facts.state.observe_request(request.clone());
        self.facts
            .requests
            .push_request(request, number, after_result);
        if text.trim_start().starts_with(ASKING_TOOL) {
            self.facts.requests.mark_answer();
        }
    }

    /// Collects the facts of a skill that the user called: the text of the skill is the harness's.
    fn observe_called_skill(
        &mut self,
        skill: &CalledSkill<'r>,
        text: &'r str,
        number: usize,
        after_result: bool,
    ) {
        self.observe_references(text, number, IN_RESULT);
        self.observe_references(skill.words, number, IN_USER_TEXT);
        let request: Cow<'r, str> = Cow::Owned(skill.request());
        self.facts.state.observe_request(request.clone());
        (self.facts.requests).push_request(request, number, after_result);
    }

    /// Collects the facts of a result in the user's name. Harnesses without tool messages write
    /// results so.
    fn observe_output(
        &mut self,
        text: &'r str,
        number: usize,
        inline_command: Option<(&'r str, usize)>,
    ) {
        self.observe_references(text, number, IN_RESULT);
        let mut call = inline_command.map(|(command, _)| command_call(command, text));
        let exchange = inline_command.map(|(_, index)| index);
        (self.facts.errors).observe_text(text, number, exchange, &mut |line| {
            if let Some(call) = &mut call {
                call.observe_error_line(line);
            }
        });
        let failed = is_failure(text);
        if let Some(mut call) = call {
            if is_refusal(text) {
                call.refuse();
            }
            let failed = failed || call.is_refused(strip_heading(text));
            if !failed && let [file] = &call.files[..] {
                if file.action == FileAction::Read {
                    self.facts.reads.observe(&file.path, number, text);
                }
                self.facts.references.homes.observe(number, &file.path);
            }
            self.facts.files.close_call(call, failed);
        }
        let exchanges = &mut self.facts.exchanges;
        let index = exchange.or_else(|| exchanges.last_open());
        if index.is_none() {
            for (heading, result) in headed_results(text) {
                let index = exchanges.push_call(number, CallForm::Heading(heading));
                exchanges.set_result(index, result, is_failure(result));
            }
        }
        if let Some(index) = index {
            exchanges.set_result(index, text, failed);
            let caller = exchanges.all[index].message;
            if !failed && let Some(path) = self.facts.files.only_file_of(index) {
                let homes = &mut self.facts.references.homes;
                homes.observe(number, path);
                homes.observe(caller, path);
            }
            if matches!(exchanges.all[index].call, CallForm::Tool(_)) {
                if failed {
                    self.facts.files.close_failed(index, is_refusal(text));
                }
                self.facts.state.observe_result();
            }
        }
        if let Some(words) = feedback_in(text) {
            self.observe_request(words, number, true);
            self.facts.requests.mark_answer();
        }
    }

    /// Collects the references of a text.
    fn observe_references(&mut self, text: &'r str, number: usize, place: Places) {
        self.observe_references_if(text, number, place, &|_| true);
    }

    /// Collects those references of a text that `is_said` lets in.
    fn observe_references_if(
        &mut self,
        text: &'r str,
        number: usize,
        place: Places,
        is_said: &dyn Fn(&str) -> bool,
    ) {
        let references = &mut self.facts.references;
        let notation = KeyNotation::detect(text);
        let encoding = if notation == KeyNotation::Plain {
            TextEncoding::Plain
        } else {
            TextEncoding::Escaped
        };
        let (head, tail) = both_ends(text);
        for window in [head, tail] {
            scan_identifiers(window, encoding, &mut |identifier, kinds, at| {
                let end = at + identifier.len();
                // The number of a house means nothing without its street.
                let is_of_phrase = kinds == NUMBER && notation.is_in_phrase(window, at, end);
                if is_of_phrase || !is_said(identifier) {
                    return;
                }
                // A key is a reference only in a map from ids to objects.
                if !notation.is_key(window, end) {
                    references.observe(identifier, kinds, number, place, || {
                        notation.key_before(window, at)
                    });
                } else if is_id(identifier) {
                    references.observe(identifier, kinds, number, place, || {
                        notation.key_around(window, at)
                    });
                }
            });
            // In results, quotation marks belong to code and data.
            if place != IN_RESULT {
                scan_quotations(window, &mut |quoted, kinds| {
                    references.observe(quoted, kinds, number, place, || ValueKey::NONE)
                });
            }
        }
    }

    fn observe_call(&mut self, call: &'r ViewedCall<'r>, number: usize) {
        let form = form_of_call(call);
        // A script stands for the call that it makes.
        let (name, arguments) = match form {
            CallForm::Tool(tool) if !tool.arguments.is_empty() => (tool.name, Some(tool.arguments)),
            _ => (call.name.as_ref(), None),
        };
        let effect = self.tool_effects.effect_of(name);
        let facts = &mut self.facts;
        facts.state.observe_call();
        let exchange = facts.exchanges.push_call(number, form);
        facts.files.open_call(&call.id, name, exchange);
        if let CallForm::Command(patch) = form {
            facts.files.observe_patch(patch);
        }
        match arguments {
            // The open tasks stand with the final state.
            Some(_) if keeps_tasks(name) => {}
            Some(arguments) => {
                let effect = effect_of_call(name, effect, arguments);
                visit_leaves(arguments, &mut |key, leaf| {
                    facts.files.observe_argument(key, leaf, effect);
                    // A list of todos is told by itself.
                    if TODO_LIST_KEYS.contains(&key.name) {
                        return;
                    }
                    visit_argument_references(key, leaf, &mut |value, kinds, key| {
                        facts
                            .references
                            .observe(value, kinds, number, IN_CALL, || key)
                    });
                });
            }
            // No JSON object, or a lone surrogate, which has no spelling in UTF-8.
            None => {
                for chunk in call.arguments.utf8_chunks() {
                    let (head, _) = both_ends(chunk.valid());
                    scan_identifiers(head, TextEncoding::Escaped, &mut |identifier, kinds, _| {
                        facts
                            .references
                            .observe(identifier, kinds, number, IN_CALL, || ValueKey::NONE)
                    });
                }
            }
        }
    }

    /// Collects the errors of a result, and closes the call that it answers.
    fn observe_result(&mut self, turn: &'r ViewedTurn<'r>, number: usize) {
        let facts = &mut self.facts;
        let mut call = facts.files.take_answered_call(&turn.answers);
        let exchange = call.as_ref().map(|call| call.exchange);
        // Of what a page, a search in the web or a file of source code shows, no error is one of this
        // session.
        let is_quoted = !turn.failed
            && (call.as_ref())
                .is_some_and(|call| is_web_tool(call.tool) || call.shows_source_code());
        if !is_quoted || is_failure(&turn.text) {
            (facts.errors).observe_text(&turn.text, number, exchange, &mut |line| {
                if let Some(call) = &mut call {
                    call.observe_error_line(line);
                }
            });
        }
        let Some(mut call) = call else { return };
        if asks_user(facts.exchanges.all[call.exchange].call) {
            let answers = answers_of(&turn.text, number, call.exchange);
            facts.user_answers.extend(answers);
        }
        let caller = facts.exchanges.all[call.exchange].message;
        let edits_open_file = facts.exchanges.all[call.exchange].edits_open_file();
        if edits_open_file {
            // What the text of an edit looks like in a shell, it is not: `def a() -> List[str]:`.
            call.files.clear();
        }
        if call.files.is_empty()
            && let Some(path) = file_shown_by_editor(&turn.text)
        {
            let action = if edits_open_file {
                FileAction::Written
            } else {
                effect_of_name(call.tool).action_for_key("")
            };
            call.files
                .push(FileTouch::by_argument(Cow::Borrowed(path), action));
        }
        if turn.answers.is_empty() {
            self.answered.push(call.exchange);
        }
        let failed = turn.failed || is_failure(&turn.text) || call.is_refused(&turn.text);
        let exchange = &facts.exchanges.all[call.exchange];
        if is_refusal(&turn.text) {
            call.refuse();
        } else if is_alternative_output(&turn.text, || exchange.whole_command()) {
            call.forget_reads();
        }
        if !failed && let [file] = &call.files[..] {
            if file.action == FileAction::Read {
                facts.requests.observe_document(&file.path, &turn.text);
                facts.reads.observe(&file.path, number, &turn.text);
            }
            facts.references.homes.observe(number, &file.path);
            facts.references.homes.observe(caller, &file.path);
        }
        facts
            .exchanges
            .set_result(call.exchange, &turn.text, failed);
        if let Some(awaited) = awaited_call(&facts.exchanges, call.exchange) {
            facts.exchanges.hand_result_on(call.exchange, awaited);
        }
        if failed && let [_] = &call.files[..] {
            call.forget_missing(&turn.text);
        }
        facts.files.close_call(call, failed);
    }

    /// Gives a result that answers several calls to the last of them. Some harnesses write the
    /// results of all calls of a message into a single message, and how it ends is how the last call
    /// went.
    fn settle_shared_result(&mut self) {
        if let [only] = self.answered[..]
            && let Some(last) = self.facts.files.last_pending_exchange()
        {
            self.facts.exchanges.move_result(only, last);
        }
        self.answered.clear();
    }

    /// Adds the facts of an earlier summary.
    fn observe_earlier_summary(&mut self, turn: &'r ViewedTurn<'r>, number: usize) {
        let is_of_agent = is_agent_summary(&turn.text);
        let text = turn.text.as_ref();
        let facts = &mut self.facts;
        let sink = SummarySink {
            references: &mut facts.references,
            files: &mut facts.files,
            errors: &mut facts.errors,
            message: number,
        };
        let EarlierSummary {
            goal,
            requests,
            facts: earlier,
            lists_messages,
            steps,
            are_steps_older,
        } = read_earlier_summary(text, sink);
        // Beside the request itself, how an agent put it says nothing more.
        let goal = goal.filter(|_| !is_of_agent || facts.requests.is_empty());
        for request in goal.into_iter().chain(requests.into_iter().rev()) {
            facts.requests.push_request(request, number, false);
        }
        if is_of_agent && lists_messages && !steps.is_empty() {
            facts.requests.hand_on_all();
        }
        facts.earlier.append(earlier);
        facts.earlier.message = Some(number);
        (facts.state.todos).replace(steps, number, are_steps_older);
    }
}

/// Number of calls, the newest, among which the one is that a result answers.
const MOST_ANSWERED: usize = 16;
/// The heading of the result of Cline's tool that asks the user.
const ASKING_TOOL: &str = "[ask_followup_question";

/// Returns the parts of a text before and behind a part of it.
fn around<'t>(text: &'t str, part: &str) -> Option<(&'t str, &'t str)> {
    let start = part.as_ptr().addr().checked_sub(text.as_ptr().addr())?;
    Some((text.get(..start)?, text.get(start + part.len()..)?))
}

/// Returns true if a key is an id, and no name like `address1`.
fn is_id(key: &str) -> bool {
    let digits = key.bytes().filter(u8::is_ascii_digit).count();
    digits > 2 || (digits > 0 && key.contains(['_', '-']))
}
