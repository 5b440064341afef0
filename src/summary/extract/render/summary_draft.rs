//! Writes a summary with headings: each section has a floor, and for the rest of the budget all
//! facts compete with the references by their worth for a token.

use super::fact_pool::FactPool;
use super::reference_lines::{mark_told, render_references};
use super::request_lines::{prose_sample, render_requests};
use super::request_sections::is_pasted;
use super::section_bodies::{EMPTY_SECTION, SectionBodies, ends_with_state};
use super::section_shares::{
    RECORD_FLOORS, SectionShares, hundredths_of, is_little, last_references, least_coverage,
    most_references,
};
use super::task_digests::tell_task_documents;
use super::token_budget::{SAMPLE_LENGTH, TokenCount, TokenRate};
use crate::policy::SummaryTemplate;
use crate::summary::extract::ablation::SummaryRule;
use crate::summary::extract::facts::conversation_facts::ConversationFacts;
use crate::summary::extract::facts::error_log::oldest_error;
use crate::summary::extract::facts::fact::FactKind;
use crate::summary::extract::facts::ranking::ReferenceFloor;
use crate::summary::extract::labels::GOES_ON;

/// Minimum room in bytes of the final state and the requests. With less, they say nothing that an
/// agent could go on from.
const LEAST_STATE: usize = 80;
const LEAST_REQUESTS: usize = 180;
const LEAST_FILES: usize = 40;
/// Minimum room in bytes of the errors where results are prose: one of them fits.
const LEAST_ERRORS: usize = 100;
/// The room of the final state where steps are open, in hundredths of what it has else.
const OPEN_STEPS_FACTOR: usize = 160;
/// The same where the steps are older than the newest request or much else: some may be done.
const OLD_STEPS_FACTOR: usize = 70;
/// What the lines of earlier summaries have more of the room where nearly all that was said is theirs, in
/// hundredths.
const MORE_EARLIER: usize = 34;
/// The same of the final state: the steps that they hand on.
const MORE_INHERITED_STATE: usize = 12;
/// The share of the room that shortened requests may have before other facts, in hundredths.
const MOST_REQUESTS: usize = 46;
/// Length in bytes from which on the only request has `MOST_REQUESTS`.
const LONG_ONLY_REQUEST: usize = 2500;
/// The share where the newest request is longer than that.
const MOST_LONGER_REQUESTS: usize = 56;
/// The most that the final state has of the room before other facts, in hundredths.
const MOST_STATE_BEFORE_FACTS: usize = 7;
/// The most that references have of the room before tips where results are prose and code, in
/// hundredths.
const MOST_BEFORE_TIPS: usize = 12;
/// The part of the room of the requests from which on the newest one is long, in hundredths.
const LONG_NEWEST: usize = 66;
/// The most that references have of the room at last where results are prose and code, in hundredths: a long list of
/// names tells nothing of the work.
const MOST_AT_LAST: usize = 20;
/// The most that the record has of the room which the agent is at work on, in hundredths.
const MOST_CURRENT_RECORD: usize = 28;
/// The same of records that calls made elsewhere, where results are prose.
const MOST_MADE: usize = 14;
/// The most that records have of the room in their short form before any has more, in hundredths: users come back
/// to what was looked at in passing.
const THIN_RECORDS: usize = 60;
/// Number of requests from which on they have more of the room, and its hundredths.
const LONG_TALK: usize = 5;
const TALK_REQUESTS: usize = 42;
/// Minimum number of tokens for which a section is written again with more room.
const LEAST_SPARE: usize = 16;
/// The part of the room that is much if it is left at last.
const MUCH_LEFT: usize = 3;
/// Tokens that are left free, because the tokens of parts need not add up.
const TEXT_SPARE: usize = 2;

/// Writes a summary with headings in about `budget` tokens.
pub(super) fn write_with_headings(
    facts: &mut ConversationFacts<'_>,
    template: SummaryTemplate,
    budget: usize,
    count: TokenCount<'_>,
) -> String {
    tell_task_documents(facts);
    let room = budget.saturating_sub(count(&SectionBodies::default().render(template, "")));
    let rate = TokenRate::measure(&prose_sample(facts), TokenRate::UNKNOWN, count);
    let pool = FactPool::collect(facts, room, count);
    let mut shares = SectionShares::of(pool.is_tabular(), room);
    if !facts.turns.iter().any(|turn| !turn.calls.is_empty()) {
        // An agent without calls says what may be, not what it did.
        shares.findings /= 2;
    }
    let share_of_earlier = if pool.is_tabular() || is_little(room) {
        0
    } else {
        facts.share_of_earlier()
    };
    shares.earlier += MORE_EARLIER * share_of_earlier / 100;
    let mut draft = SummaryDraft {
        shares,
        share_of_earlier,
        facts,
        unchosen: pool.clone(),
        pool,
        bodies: SectionBodies::default(),
        requests_bytes: 0,
        template,
        budget,
        room,
        rate,
        count,
    };
    let requests_complete = draft.write_requests_and_state();
    draft.choose_facts_and_references();
    draft.spend_rest(requests_complete);
    draft.finish()
}

/// A summary with headings that is being written.
struct SummaryDraft<'d, 'r, 'c> {
    facts: &'d mut ConversationFacts<'r>,
    /// The facts before any was chosen.
    unchosen: FactPool,
    pool: FactPool,
    bodies: SectionBodies,
    shares: SectionShares,
    /// The share of earlier summaries in all that was said, in hundredths.
    share_of_earlier: usize,
    /// The room in bytes that the requests were written in.
    requests_bytes: usize,
    template: SummaryTemplate,
    budget: usize,
    /// The tokens that the headings leave.
    room: usize,
    rate: TokenRate,
    count: TokenCount<'c>,
}

impl SummaryDraft<'_, '_, '_> {
    fn text(&self) -> String {
        self.bodies.render(self.template, EMPTY_SECTION)
    }

    /// Returns the tokens that the bodies leave of the budget.
    fn left(&self) -> usize {
        self.budget
            .saturating_sub((self.count)(&self.text()) + TEXT_SPARE)
    }

    /// Returns the share of the final state: more where steps are open.
    fn state_share(&self) -> usize {
        if self.facts.state.names_current_work() && !self.pool.is_tabular() {
            self.shares.state * OPEN_STEPS_FACTOR / 100
                + MORE_INHERITED_STATE * self.share_of_earlier / 100
        } else if self.facts.state.names_open_work() && !self.pool.is_tabular() {
            self.shares.state * OLD_STEPS_FACTOR / 100
        } else {
            self.shares.state
        }
    }

    fn share_bytes(&self, share: usize) -> usize {
        self.rate.bytes_for(hundredths_of(self.room, share))
    }

    /// Writes the requests, the files and the final state. Returns true if no part of a request was
    /// left out.
    fn write_requests_and_state(&mut self) -> bool {
        self.requests_bytes = self.share_bytes(self.shares.requests).max(LEAST_REQUESTS);
        // The newest request is the one to answer: a long one stays whole as far as it can.
        let newest = match self.facts.requests.current_task() {
            [_, .., newest] => Some(newest),
            _ => None,
        };
        let newest = newest.filter(|newest| !is_pasted(&newest.text));
        if !self.pool.is_tabular()
            && newest.is_some_and(|newest| {
                newest.text.len() > hundredths_of(self.requests_bytes, LONG_NEWEST)
            })
        {
            self.requests_bytes = self.share_bytes(MOST_REQUESTS).max(LEAST_REQUESTS);
            // One that is longer has half of it: what was done before says less.
            if newest.is_some_and(|newest| newest.text.len() > self.requests_bytes) {
                self.requests_bytes = self.share_bytes(MOST_LONGER_REQUESTS).max(LEAST_REQUESTS);
            }
        }
        // Of a long talk, half sentences say nothing to go on from.
        if !self.pool.is_tabular()
            && !is_little(self.room)
            && self.facts.requests.current_task().len() >= LONG_TALK
        {
            let talked = self.share_bytes(TALK_REQUESTS);
            self.requests_bytes = self.requests_bytes.max(talked);
        }
        // The only request, if it says much, is all that the user wants.
        if let [goal] = self.facts.requests.current_task()
            && !self.pool.is_tabular()
            && goal.text.len() >= LONG_ONLY_REQUEST
            && !is_pasted(&goal.text)
        {
            self.requests_bytes = self.share_bytes(MOST_REQUESTS).max(LEAST_REQUESTS);
        }
        let requests = render_requests(self.facts, self.requests_bytes, self.pool.is_tabular());
        let files_room = self.share_bytes(self.shares.files).max(LEAST_FILES);
        let state_room = self.share_bytes(self.state_share()).max(LEAST_STATE);
        self.bodies.goal = requests.goal;
        self.bodies.requests = requests.quotations;
        self.bodies.files = self.facts.files.render(files_room);
        self.bodies.state = self.render_state(state_room, false);
        requests.is_complete
    }

    /// Writes the facts, the errors, and the references.
    fn choose_facts_and_references(&mut self) {
        self.mark_told();
        let left = self.left();
        let ranked =
            (self.facts.references).ranked_indices(left, ReferenceFloor::Likely, self.count);
        let mut listed;
        (self.pool, listed) = self.choose_with_floor(self.shares.records, left, &ranked);
        if self.pool.is_tabular() && !SummaryRule::RecordFloors.is_off() {
            let least =
                self.pool.coverage(&self.facts.references) / 100 * least_coverage(self.room);
            for floor in RECORD_FLOORS {
                let (pool, tokens) = self.choose_with_floor(floor, left, &ranked);
                if pool.coverage(&self.facts.references) >= least {
                    (self.pool, listed) = (pool, tokens);
                    break;
                }
            }
        }
        self.pool.fill(&mut self.bodies);
        let told = [
            self.bodies.calls.join("\n"),
            self.bodies.last_action.join("\n"),
        ]
        .join("\n");
        let mut errors_room = self.share_bytes(self.shares.errors);
        if !self.pool.is_tabular() {
            errors_room = errors_room.max(LEAST_ERRORS);
        }
        let facts = &self.facts;
        // Records of long ago still count, and so do their errors.
        let oldest = if self.pool.is_tabular() {
            0
        } else {
            oldest_error(facts.turns.len())
        };
        self.bodies.errors = (facts.errors).render(errors_room, &told, &facts.exchanges, oldest);
        let most = if self.pool.is_tabular() {
            usize::MAX
        } else {
            hundredths_of(self.room, most_references(self.room))
        };
        self.write_references(listed.min(most), ReferenceFloor::Likely);
    }

    /// Chooses the facts that each kind has a floor for, then those that are worth more than
    /// references. Returns the choice, and the tokens of the references beside it.
    fn choose_with_floor(
        &self,
        record_floor: usize,
        left: usize,
        ranked: &[usize],
    ) -> (FactPool, usize) {
        let mut pool = self.unchosen.clone();
        let references = &self.facts.references;
        let room = left.saturating_sub(hundredths_of(self.room, self.shares.errors));
        let best_findings = self.shares.best_findings.min(self.shares.findings);
        let best_constraints = self.shares.best_constraints.min(self.shares.constraints);
        let floors = [
            (&[FactKind::Constraint][..], best_constraints),
            (&[FactKind::Finding], best_findings),
            (&[FactKind::Call], self.shares.best_calls),
            (
                &[FactKind::Constraint],
                self.shares.constraints - best_constraints,
            ),
            (&[FactKind::Earlier], self.shares.earlier),
            (&[FactKind::Definition], self.shares.definitions),
            (&[FactKind::Finding], self.shares.findings - best_findings),
            (&[FactKind::Record], record_floor),
            (&[FactKind::ShortRecord], self.shares.short_records),
            (&[FactKind::Call], self.shares.calls),
            (&[FactKind::Outline], self.shares.outlines),
            (&[FactKind::Passage], self.shares.passages),
        ];
        // Where results are records, a row tells what the last call did.
        let last_call = if pool.is_tabular() {
            0
        } else {
            pool.choose_last_call(room)
        };
        let mut used = last_call;
        let most = if pool.is_tabular() {
            MOST_CURRENT_RECORD
        } else {
            MOST_MADE
        };
        // Before the calls: the record of what a call made says more than its line.
        let most_current = hundredths_of(self.room, most).min(room - used);
        used += pool.choose_current_record(most_current, references);
        let most_pinned = hundredths_of(self.room, self.shares.calls).min(room - used);
        let pinned = pool.choose_pinned(most_pinned, references);
        let mut called = last_call + pinned;
        used += pinned;
        for (kinds, share) in floors {
            let mut floor = hundredths_of(self.room, share);
            if kinds == [FactKind::Call] {
                floor = floor.saturating_sub(called);
            }
            let mut floor = floor.min(room - used);
            if kinds == [FactKind::Record] && pool.is_tabular() && !is_little(self.room) {
                let most = hundredths_of(self.room, THIN_RECORDS).min(room - used);
                let thin = pool.choose_thin_records(most, references);
                let widened = pool.widen_records(floor.saturating_sub(thin), references);
                used += thin + widened;
                floor = floor.saturating_sub(thin + widened);
            }
            let chosen = pool.choose(kinds, floor, references);
            if kinds == [FactKind::Call] {
                called += chosen;
            }
            used += chosen;
        }
        let kinds = COMPETING_KINDS;
        let listed =
            pool.choose_beside_references(kinds, room - used, references, ranked, self.count);
        (pool, listed)
    }

    /// Writes the references that nothing else names and that `floor` lets in, in at most `tokens` tokens.
    fn write_references(&mut self, tokens: usize, floor: ReferenceFloor) {
        self.bodies.references.clear();
        self.mark_told();
        let tokens = tokens.min(self.left());
        let rate = TokenRate::measure(
            &self.facts.references.sample_text(SAMPLE_LENGTH),
            self.rate,
            self.count,
        );
        let text = render_references(&self.facts.references, tokens, floor, rate, self.count);
        self.bodies
            .references
            .extend((!text.is_empty()).then_some(text));
    }

    /// Spends what is left on requests that were shortened, as far as they say what they are about, on open
    /// work, then on the next best facts, on references, on the rest of the requests, on some further
    /// references, on tips, on all likely references, on the final state, and on any other references.
    fn spend_rest(&mut self, requests_complete: bool) {
        if !requests_complete {
            let spare = self.rate.bytes_for(hundredths_of(self.room, MOST_REQUESTS));
            let spare = self
                .rate
                .tokens_of(spare.saturating_sub(self.requests_bytes));
            self.widen_requests(self.left().min(spare));
        }
        if self.facts.state.names_open_work() && !self.pool.is_tabular() {
            self.widen_state(hundredths_of(self.room, MOST_STATE_BEFORE_FACTS), false);
        }
        let left = self.left();
        if left > LEAST_SPARE && self.pool.choose(ALL_KINDS, left, &self.facts.references) > 0 {
            self.pool.fill(&mut self.bodies);
            // What these facts name is not listed any more.
            self.write_references(self.listed_tokens(), ReferenceFloor::Likely);
        }
        if self.left() > LEAST_SPARE {
            let most = if self.pool.is_tabular() {
                usize::MAX
            } else {
                last_references(self.room)
            };
            // Beside no other fact, even unlikely references say more than the rest of a request.
            let floor = if self.pool.is_empty() {
                ReferenceFloor::Any
            } else {
                ReferenceFloor::Likely
            };
            self.write_references(most, floor);
        }
        let mut tokens = self.left();
        while !requests_complete && tokens > LEAST_SPARE && !self.widen_requests(tokens) {
            tokens /= 2;
        }
        self.lengthen_facts();
        let most = if self.pool.is_tabular() {
            usize::MAX
        } else {
            hundredths_of(self.room, MOST_BEFORE_TIPS)
        };
        self.list_further_references(ReferenceFloor::Likely, most);
        self.choose_tips(self.left());
        let most = if self.pool.is_tabular() {
            usize::MAX
        } else {
            hundredths_of(self.room, MOST_AT_LAST)
        };
        self.list_further_references(ReferenceFloor::Likely, most);
        self.widen_state(usize::MAX, true);
        // Nothing else would stand in their place.
        if self.pool.is_empty() {
            self.list_further_references(ReferenceFloor::Any, usize::MAX);
        } else if self.left() * MUCH_LEFT > self.room {
            let most = hundredths_of(self.room, MOST_AT_LAST);
            self.list_further_references(ReferenceFloor::Any, most);
        }
    }

    /// Writes facts in their longer form in what is left.
    fn lengthen_facts(&mut self) {
        let left = self.left();
        if left > LEAST_SPARE && self.pool.lengthen(left, self.count) > 0 {
            self.pool.fill(&mut self.bodies);
            // What these facts name is not listed any more.
            self.write_references(self.listed_tokens(), ReferenceFloor::Likely);
        }
    }

    /// Chooses tips for at most `tokens` tokens.
    fn choose_tips(&mut self, tokens: usize) {
        if tokens > LEAST_SPARE
            && (self.pool).choose(&[FactKind::Tip], tokens, &self.facts.references) > 0
        {
            self.pool.fill(&mut self.bodies);
        }
    }

    /// Lists the references that `floor` lets in, in all that is left, but in at most `most` tokens.
    fn list_further_references(&mut self, floor: ReferenceFloor, most: usize) {
        let (left, listed) = (self.left(), self.listed_tokens());
        if left > LEAST_SPARE && listed < most {
            self.write_references((listed + left).min(most), floor);
        }
    }

    /// Returns the tokens of the references that are listed.
    fn listed_tokens(&self) -> usize {
        let listed = self.bodies.references.iter();
        listed.map(|text| (self.count)(text)).sum()
    }

    /// Renders the final state in at most `room` bytes, or where the work goes on.
    fn render_state(&self, room: usize, all: bool) -> Vec<String> {
        let mut state = self.facts.state.render(room, all);
        // `below` are the messages that stay only if no section is.
        let is_last = ends_with_state(self.template);
        if state.is_empty() && is_last && self.facts.state.goes_on && !self.pool.is_tabular() {
            state.push(GOES_ON.to_owned());
        }
        state
    }

    /// Writes the final state again with all that is left, but at most `most` tokens more. With `all` it
    /// also tells what the assistant said before.
    fn widen_state(&mut self, most: usize, all: bool) {
        let mut tokens = self.left().min(most);
        while tokens > LEAST_SPARE {
            let share = self.share_bytes(self.state_share()).max(LEAST_STATE);
            let room = share + self.rate.bytes_for(tokens) * 9 / 10;
            let state = self.render_state(room, all);
            let narrow = std::mem::replace(&mut self.bodies.state, state);
            if (self.count)(&self.text()) <= self.budget {
                return;
            }
            self.bodies.state = narrow;
            tokens /= 2;
        }
    }

    /// Writes the requests again with `tokens` more tokens. Returns false if they do not fit.
    fn widen_requests(&mut self, tokens: usize) -> bool {
        if tokens <= LEAST_SPARE {
            return false;
        }
        let room = self.requests_bytes + self.rate.bytes_for(tokens) * 9 / 10;
        let requests = render_requests(self.facts, room, self.pool.is_tabular());
        let goal = std::mem::replace(&mut self.bodies.goal, requests.goal);
        let quotations = std::mem::replace(&mut self.bodies.requests, requests.quotations);
        if (self.count)(&self.text()) > self.budget {
            (self.bodies.goal, self.bodies.requests) = (goal, quotations);
            return false;
        }
        self.requests_bytes = room;
        // What the requests show now is not said again.
        self.pool.fill(&mut self.bodies);
        true
    }

    /// Marks the references that the bodies name.
    fn mark_told(&mut self) {
        let text = self.text();
        mark_told(&mut self.facts.references, &text);
    }

    /// Returns the text, without the facts that do not fit. Token counts need not add up.
    fn finish(mut self) -> String {
        let mut text = self.text();
        while (self.count)(&text) > self.budget && self.pool.drop_least() {
            self.pool.fill(&mut self.bodies);
            text = self.text();
        }
        text
    }
}

/// All kinds of facts that are chosen by their worth, but tips: they have what is left at last.
pub(super) const ALL_KINDS: &[FactKind] = &[
    FactKind::Constraint,
    FactKind::Earlier,
    FactKind::Finding,
    FactKind::Call,
    FactKind::Record,
    FactKind::ShortRecord,
    FactKind::Definition,
    FactKind::Outline,
    FactKind::Passage,
];

/// The kinds of facts that compete with the references for what the floors leave.
const COMPETING_KINDS: &[FactKind] = &[
    FactKind::Constraint,
    FactKind::Call,
    FactKind::Finding,
    FactKind::Record,
];
