//! Words of wishes and limits: which hold for all that follows, which only for a while, and which are over.

/// Words of a wish or a limit that holds for all that follows.
pub(crate) const CONSTRAINT_WORDS: &[&str] = &[
    "never",
    "step by step",
    "one at a time",
    "one by one",
    "não",
    "nunca",
    "jamais",
    "somente",
    "apenas",
    "nicht",
    "niemals",
    "nur",
    "siempre",
    "jangan",
    "никогда",
    "только",
    "don’t",
    "not allowed",
    "ask me",
    "approval",
    "don't",
    "do not",
    "dont",
    "must",
    "only",
    "always",
    "without",
    "avoid",
    "make sure",
    "minimal",
    "prefer",
    "instead of",
    "no need",
    "not to",
    "except",
    "exceed",
    "at most",
    "no more than",
    "as long as",
    "keep",
    "不要",
    "不超过",
    "必须",
    "只",
    "总是",
    "하지 마",
    "반드시",
    "항상",
    "nicht",
    "niemals",
    "nur ",
    "immer",
];

/// Words of a heading that forbids what stands below it.
pub(crate) const BAN_WORDS: &[&str] = &[
    "never",
    "do not",
    "don't",
    "don’t",
    "must not",
    "not allowed",
    "out of scope",
    "no changes to",
    "avoid",
    "under no circumstances",
    "不要",
    "禁止",
    "nicht",
];

/// How a heading begins that forbids what stands in the list below it.
pub(crate) const BAN_OPENINGS: &[&str] = &[
    "do not",
    "don't",
    "don’t",
    "never",
    "must not",
    "you must not",
    "you may not",
    "you are not allowed",
    "not allowed",
    "forbidden",
    "prohibited",
    "você não pode",
    "você não deve",
    "não faça",
    "nunca",
    "jamais",
    "no debes",
    "prohibido",
    "interdit",
    "verboten",
    "niemals",
    "никогда",
    "запрещено",
    "不要",
    "禁止",
    "하지 마",
];

/// Words of such a heading that turn it round, or let the ban hold only for a while or in a case.
pub(crate) const BAN_EXCEPTIONS: &[&str] = &[
    "forget", "worry", "hesitate", "skip", "miss", "stop", "until", "only", "yet", "work",
    "support", "exceed", "without", "unless", "except", "if", "now", "first", "esque", "vergiss",
    "oubli", "olvid",
];

/// What stands in a request that holds the text of others: a document, a prompt, a comparison of files.
pub(crate) const FOREIGN_MARKS: &[&str] =
    &["\"\"\"", "<document", "<prompt", "diff --git", "\n@@ "];

/// Words of a later request that end a list of bans.
pub(crate) const BAN_ENDS: &[&str] = &[
    "no longer",
    "forget the",
    "forget about",
    "ignore the",
    "you may",
    "you can now",
    "now you can",
    "allowed now",
    "is fine now",
];

/// Words of a sentence of the user that holds for all that follows, wherever it stands.
pub(crate) const STANDING_WORDS: &[&str] = &[
    "never",
    "don't",
    "don’t",
    "do not",
    "dont",
    "not allowed",
    "ask me",
    "approval",
    "must",
    "always",
    "make sure",
    "keep",
    "remember",
    "avoid",
    "ask before",
    "in a way that",
    "only edit",
    "only change",
    "only touch",
    "no need",
    "不要",
    "必须",
    "总是",
    "하지 마",
    "반드시",
    "niemals",
    "immer",
];

/// Words for what is not to be done now.
pub(crate) const LEFT_OUT_WORDS: &[&str] = &[
    "leave it out",
    "left out",
    "leave out",
    "none of this",
    "not in scope",
    "non-goal",
    "non-goals",
    "excluded",
    "later version",
    "won't",
    "no longer",
    "not part of",
];

/// Words of a wish that holds for good, whatever else it says.
pub(crate) const LASTING_WORDS: &[&str] = &[
    "never",
    "always",
    "from now on",
    "without asking",
    "only with explicit",
    "only after i",
    "only when i",
    "unless i",
    "in a way that",
];

/// Words of `STANDING_WORDS` that ask for something that is done once if a question has them.
pub(crate) const KEEPING_WORDS: &[&str] = &["keep", "remember"];

/// Words by which the user decides for something: it holds until another is chosen.
pub(crate) const DECISION_WORDS: &[&str] = &[
    "let's use",
    "let’s use",
    "lets use",
    "let's go with",
    "let’s go with",
    "go with",
    "we'll use",
    "just use",
];

/// How a sentence begins that corrects what the user said before, and words of such a correction.
pub(crate) const CORRECTION_OPENINGS: &[&str] =
    &["actually", "sorry, i meant", "i meant", "correction"];
pub(crate) const CORRECTION_WORDS: &[&str] = &["only", "instead", "rather", "no longer", "meant"];

/// Words of what the user believes.
pub(crate) const OPINION_WORDS: &[&str] = &[
    "don't think",
    "don't know",
    "not sure if",
    "don't believe",
    "don't remember",
    "can't remember",
    "don't recall",
];

/// Words of a wish in the form of a question.
pub(crate) const ASKING_WORDS: &[&str] = &["can we", "can you", "could we", "could you"];

/// Words of a sentence that holds only for a while, and those that say so unless it limits something.
pub(crate) const FOR_NOW_WORDS: &[&str] = &["yet", "for now", "for the moment", "this time"];
pub(crate) const MOMENTARY_WORDS: &[&str] = &["now", "first", "again", "现在", "先", "暂时"];

/// Words of a limit.
pub(crate) const LIMITING_WORDS: &[&str] = &[
    "don't",
    "don’t",
    "do not",
    "dont",
    "must",
    "ask me",
    "only",
    "not allowed",
    "不要",
    "不能",
    "必须",
];

/// Words of a wish that forbids any change, and of a request that asks for changes.
pub(crate) const BLANKET_BAN_WORDS: &[&str] = &[
    "edit anything",
    "change anything",
    "modify anything",
    "touch anything",
    "edit any",
    "change any code",
    "make any changes",
    "make changes",
    "write any code",
    "write code",
    "写代码",
    "修改代码",
];
pub(crate) const RELEASING_WORDS: &[&str] = &[
    "let's get started",
    "get started",
    "go ahead",
    "implement",
    "start with",
    "start implementing",
    "fixes",
    "fix it",
    "finish",
    "make the change",
    "do it",
    "apply",
    "开始做",
    "开始实现",
    "开始写",
    "实现",
];

/// The beginnings of a sentence that sets a limit, in small letters.
pub(crate) const LIMIT_OPENINGS: &[&str] = &[
    "do not ",
    "don't ",
    "never ",
    "always ",
    "please do not ",
    "please don't ",
];

/// Words that take back what was said before.
pub(crate) const RETRACTIONS: &[&str] = &[
    "scratch that",
    "forget that",
    "forget it",
    "never mind",
    "ignore that",
];

/// Words of what does not hold any more.
pub(crate) const OUTDATED_WORDS: &[&str] = &[
    "old",
    "gone",
    "no longer",
    "used to",
    "obsolete",
    "outdated",
    "deprecated",
    "wrong",
    "ignore",
    "instead of",
    "not",
];

/// What a request says that takes back what was done for the one before it, besides `RETRACTIONS`.
pub(crate) const UNDOING_ORDERS: &[&str] =
    &["revert that", "revert this", "undo that", "undo this"];

/// Words with which such a sentence takes nothing back.
pub(crate) const UNDOING_DENIALS: &[&str] = &[
    "not", "don't", "dont", "never", "if", "when", "unless", "able",
];
