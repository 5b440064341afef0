//! The shares of the budget that the sections have at least.

/// The shares of the tokens that the headings leave, in hundredths. For the rest, all facts compete
/// with the references.
pub(super) struct SectionShares {
    pub(super) requests: usize,
    pub(super) state: usize,
    pub(super) files: usize,
    pub(super) constraints: usize,
    /// The part of it that the best constraints have before what was found.
    pub(super) best_constraints: usize,
    pub(super) findings: usize,
    /// The part of it that the best findings have before what edits added.
    pub(super) best_findings: usize,
    /// Other lines of earlier summaries: what was found since says more.
    pub(super) earlier: usize,
    pub(super) records: usize,
    /// Records without their long lists, where the whole ones have no room.
    pub(super) short_records: usize,
    pub(super) calls: usize,
    /// The part of it that the best calls have before further constraints and findings: without any, nothing
    /// tells what was done.
    pub(super) best_calls: usize,
    pub(super) errors: usize,
    /// What the files define that the agent wrote.
    pub(super) definitions: usize,
    /// What files hold that were read.
    pub(super) outlines: usize,
    /// The lines of results in which references stand.
    pub(super) passages: usize,
}

/// The shares of a conversation whose results are prose and code.
const PROSE_SHARES: SectionShares = SectionShares {
    requests: 34,
    state: 10,
    files: 12,
    constraints: 26,
    best_constraints: 12,
    findings: 24,
    best_findings: 21,
    earlier: 10,
    records: 8,
    short_records: 0,
    calls: 14,
    best_calls: 9,
    errors: 4,
    definitions: 16,
    outlines: 9,
    passages: 6,
};

/// The same with little room, where the last call and the errors have most of the rest.
const LITTLE_PROSE_SHARES: SectionShares = SectionShares {
    requests: 36,
    state: 7,
    files: 8,
    constraints: 9,
    best_constraints: 9,
    findings: 9,
    best_findings: 9,
    earlier: 9,
    records: 8,
    short_records: 0,
    calls: 17,
    best_calls: 9,
    errors: 4,
    definitions: 0,
    outlines: 0,
    passages: 0,
};

/// The shares of a conversation whose results are records.
const RECORD_SHARES: SectionShares = SectionShares {
    requests: 20,
    state: 5,
    files: 5,
    constraints: 9,
    best_constraints: 9,
    findings: 3,
    best_findings: 3,
    earlier: 3,
    records: 0,
    short_records: 24,
    calls: 4,
    best_calls: 0,
    errors: 3,
    definitions: 0,
    outlines: 0,
    passages: 0,
};

/// The floors of the records that are tried where results are records, in hundredths.
pub(super) const RECORD_FLOORS: [usize; 4] = [70, 45, 20, 0];
/// The least coverage of a floor, in hundredths of that without a floor. Lower values give more room to
/// rows, which join what belongs together, and less to references that no row holds.
const LEAST_COVERAGE: i32 = 60;
/// The same where there is little room, and rows would leave none for anything else.
const LEAST_COVERAGE_OF_LITTLE: i32 = 92;
/// Tokens below which there is little room.
const LITTLE_ROOM: usize = 320;

/// The most that references have before all other facts where results are prose and code, in
/// hundredths. Few of them are used again, and a bare name says nothing to act on.
const MOST_REFERENCES: usize = 5;
/// The same where there is little room: a name costs less than a call and its outcome.
const MOST_REFERENCES_OF_LITTLE: usize = 43;
/// The most that references have of the room at last, when no fact is left.
const LAST_REFERENCES: usize = 5;
/// The same where there is little room.
const LAST_REFERENCES_OF_LITTLE: usize = 46;

impl SectionShares {
    /// Returns the shares of a room of `tokens` tokens. `is_tabular` is true if most results of the
    /// conversation are records.
    pub(super) fn of(is_tabular: bool, tokens: usize) -> Self {
        if is_tabular {
            return RECORD_SHARES;
        }
        if is_little(tokens) {
            LITTLE_PROSE_SHARES
        } else {
            PROSE_SHARES
        }
    }
}

/// Returns true if there is little room.
pub(super) fn is_little(tokens: usize) -> bool {
    tokens < LITTLE_ROOM
}

/// Returns the least coverage of a floor of the records, in hundredths, in a room of `tokens` tokens.
pub(super) fn least_coverage(tokens: usize) -> i32 {
    if is_little(tokens) {
        LEAST_COVERAGE_OF_LITTLE
    } else {
        LEAST_COVERAGE
    }
}

/// Returns the most that references have of a room of `tokens` tokens, in hundredths.
pub(super) fn most_references(tokens: usize) -> usize {
    if is_little(tokens) {
        MOST_REFERENCES_OF_LITTLE
    } else {
        MOST_REFERENCES
    }
}

/// Returns the most that references have of a room of `tokens` tokens when no fact is left.
pub(super) fn last_references(tokens: usize) -> usize {
    let share = if is_little(tokens) {
        LAST_REFERENCES_OF_LITTLE
    } else {
        LAST_REFERENCES
    };
    hundredths_of(tokens, share)
}

/// Returns a share of `total`.
pub(super) fn hundredths_of(total: usize, hundredths: usize) -> usize {
    total * hundredths / 100
}
