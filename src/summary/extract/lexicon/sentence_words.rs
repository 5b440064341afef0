//! What ends a sentence, and what does not.

/// Short forms whose dot ends no sentence.
pub(crate) const ABBREVIATIONS: &[&str] = &[
    "e.g", "i.e", "etc", "vs", "cf", "Mr", "Dr", "Fig", "Eq", "Sec", "No", "al",
];

/// Words that open a sentence and are no member of a program's class.
pub(crate) const SENTENCE_OPENERS: &[&str] = &[
    "A", "After", "And", "As", "But", "By", "For", "I", "If", "In", "It", "Next", "Now", "On",
    "Since", "So", "The", "Then", "There", "This", "To", "We", "When", "You",
];
