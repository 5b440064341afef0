//! Words at the bounds of sentences and sections, and words that turn around what stands before them.

/// Short forms whose dot ends no sentence.
pub(crate) const ABBREVIATIONS: &[&str] = &[
    "e.g", "i.e", "etc", "vs", "cf", "Mr", "Dr", "Fig", "Eq", "Sec", "No", "al",
];

/// Words that open a sentence and are no member of a program's class.
pub(crate) const SENTENCE_OPENERS: &[&str] = &[
    "A", "After", "And", "As", "But", "By", "For", "I", "If", "In", "It", "Next", "Now", "On",
    "Since", "So", "The", "Then", "There", "This", "To", "We", "When", "You",
];

/// Words before the number of a section of a request: `Issue 2: …`, `STEP 3`.
pub(crate) const SECTION_WORDS: &[&str] = &[
    "issue",
    "task",
    "step",
    "phase",
    "part",
    "section",
    "prompt",
    "bug",
    "fix",
    "problem",
    "finding",
    "requirement",
    "milestone",
    "feature",
    "change",
];

/// Words that take something out of what was said before.
pub(crate) const EXCEPTION_WORDS: &[&str] = &[
    "not",
    "no",
    "except",
    "without",
    "but",
    "leave out",
    "unless",
    "instead",
    "besides",
    "skip",
];

/// The first words of a question.
pub(crate) const QUESTION_WORDS: &[&str] = &[
    "can", "could", "what", "why", "how", "is", "are", "do", "does", "which", "who", "when",
    "where", "should", "would",
];
