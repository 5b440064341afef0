//! Words of what the user and the harness want.

/// Words of a short message that only says to go on.
pub(crate) const AGREEMENTS: &[&str] = &[
    "yes", "ok", "okay", "continue", "go", "on", "ahead", "please", "proceed", "sure", "perfect",
    "继续", "好", "好的", "是", "weiter", "ja", "계속",
];

/// Headings above versions and settings, in small letters.
pub(crate) const ENVIRONMENT_HEADINGS: &[&str] = &[
    "version",
    "versions",
    "your environment",
    "environment",
    "environment information",
    "system info",
    "system information",
    "installed versions",
    "platform",
    "operating system",
    "browser",
];

/// Words for what is to be done, besides those of `TASK_WORDS`.
pub(crate) const DOING_WORDS: &[&str] = &[
    "cancel", "book", "refund", "return", "delete", "drop", "deploy", "revert", "stop", "undo",
    "exchange", "upgrade", "rebook",
];

/// Words before what a message tells.
pub(crate) const COURTESIES: [&str; 3] = ["sure", "certainly", "of course"];

/// The beginnings of a message that tells what was asked for.
pub(crate) const TELLING_OPENINGS: &[&str] = &[
    "it's ",
    "it is ",
    "this one is",
    "that one is",
    "i don't have",
    "i don't remember",
    "i can't remember",
    "i cannot remember",
    "i can't recall",
    "i do not have",
    "i do not remember",
    "here is",
    "here's",
    "the reason is",
];

/// Words before what the user tells of.
pub(crate) const APOLOGIES: &[&str] =
    &["i'm sorry, ", "i am sorry, ", "sorry, ", "unfortunately, "];

/// The beginnings of words of a request that ask for files, in small letters.
pub(crate) const FILE_ASKING_STEMS: &[&str] = &[
    "writ", "creat", "produc", "deliver", "generat", "output", "save", "make", "provid", "submit",
    "return", "build", "complet",
];
/// Words of a line of a request that forbids files, or only mentions them.
pub(crate) const FILE_EXCLUDING_WORDS: &[&str] = &[
    "not",
    "never",
    "without",
    "except",
    "read",
    "existing",
    "old",
    "unchanged",
];

/// Words of a question that asks for help with what was said before.
pub(crate) const PLEAS: &[&str] = &[
    "assist with that",
    "assist me with that",
    "help with that",
    "help me with that",
];

/// Words of a sentence that says under which condition something holds, or what is preferred.
pub(crate) const CONDITION_WORDS: &[&str] = &[
    "if",
    "unless",
    "as long as",
    "otherwise",
    "more than",
    "less than",
    "at least",
    "at most",
    "maximum",
    "instead",
    "although",
    "rather than",
    "let's use",
    "lets use",
    "let's go with",
    "just use",
    "cheapest",
    "exactly",
    "should",
    "need to",
    "have to",
    "required",
    "ensure",
    "especially",
    "for any",
    "for each",
    "for every",
    "如果",
    "应当",
    "应该",
    "尽量",
    "需要",
    "希望",
    "先",
    "sollte",
    "만약",
];

/// Words of a sentence that asks for work.
pub(crate) const TASK_WORDS: &[&str] = &[
    "your task",
    "please",
    "help me",
    "implement",
    "add",
    "create",
    "fix",
    "write",
    "remove",
    "rename",
    "refactor",
    "move",
    "make",
    "read",
    "follow",
    "i want",
    "want you",
    "i'd like",
    "can you",
    "could you",
    "请",
    "实现",
    "添加",
    "修复",
];

/// Words that a sentence begins with which says what to do.
pub(crate) const ORDER_WORDS: &[&str] = &[
    "add",
    "build",
    "call",
    "change",
    "check",
    "create",
    "do",
    "ensure",
    "fix",
    "follow",
    "implement",
    "keep",
    "make",
    "please",
    "put",
    "read",
    "remove",
    "rename",
    "run",
    "see",
    "start",
    "test",
    "update",
    "use",
    "write",
];

/// Words of a sentence in which the user doubts or only tells.
pub(crate) const ASIDE_WORDS: &[&str] = &[
    "not sure",
    "i think",
    "i guess",
    "maybe",
    "thanks for",
    "thank you",
    "sorry to",
    "what i have observed",
    "hi there",
    "for training",
    "i am wondering",
    "nicely",
    "this is a guess",
    "appreciated",
    "any suggestions",
    "this could help",
    "let me know",
    "i understand",
    "sounds good",
    "would be nice",
    "as an aside",
    "alternatively",
    "happy to",
    "some direction",
    "use case",
];

/// Words of a sentence in which the user says what it is all for.
pub(crate) const GOAL_WORDS: &[&str] = &[
    "i want you to",
    "i want to",
    "we want to",
    "i'd like you to",
    "i would like you to",
    "i'd like to",
    "i would like to",
    "we would like to",
    "i need to",
    "i need you to",
    "the goal",
    "my goal",
    "your goal",
    "your task",
    "our goal",
    "我希望",
    "我想",
    "目标",
];

/// The beginnings of an order that only leads to the work, behind words of address.
pub(crate) const READING_ORDERS: &[&str] = &["read @", "read the", "look at", "have a look"];
pub(crate) const ADDRESSES: &[&str] = &["alright", "ok", "okay", "please", "first", "hi", "hey"];

/// First words of a sentence that only says something behind the one before it.
pub(crate) const LEANING_WORDS: &[&str] = &[
    "but",
    "however",
    "alternatively",
    "otherwise",
    "those",
    "they",
    "this",
    "these",
    "that",
    "such",
    "it",
];

/// Words of a sentence that says how a fault was or could be mended.
pub(crate) const CURE_WORDS: &[&str] = &[
    "able to fix",
    "fix this by",
    "fixed this by",
    "fix it by",
    "fixed it by",
    "fixed by",
    "fix would be",
    "fix is to",
    "could be fixed",
    "can be fixed",
    "resolved by",
    "solved by",
    "workaround",
    "work around",
    "easiest",
    "simplest",
    "suggested fix",
    "proposed fix",
    "possible fix",
    "possible solution",
];

/// Words of a sentence of a report that says how it ought to be.
pub(crate) const EXPECTATION_WORDS: &[&str] = &[
    "should",
    "should not",
    "shouldn't",
    "i would expect",
    "i'd expect",
    "i expect",
    "i expected",
    "is expected",
    "would like",
];

/// Words of a sentence that says where a fault lies.
pub(crate) const PLACE_WORDS: &[&str] = &[
    "something to do with",
    "seems to be occurring",
    "occurring here",
    "regression",
    "problem is",
    "issue is",
    "bug is",
    "problem seems",
    "caused by",
    "the cause",
    "occurs",
    "occurring",
    "on line",
    "in line",
    "at line",
    "throws",
    "raises",
    "returns",
    "fails",
    "got",
];

/// Words of a sentence in which a harness limits what may be changed, the strongest first, and the
/// words for what it limits. The words of one that says how to end.
pub(crate) const FRAME_LIMITS: &[&str] = &[
    "minimal", "never", "must not", "cannot", "can't", "do not", "don't", "only", "without",
    "avoid",
];
pub(crate) const END_WORDS: &[&str] = &["submit", "attempt_completion", "when you are done"];
pub(crate) const LIMITED_WORDS: &[&str] = &[
    "change",
    "changes",
    "modify",
    "modifying",
    "edit",
    "editing",
    "commit",
    "push",
    "delete",
    "remove",
    "install",
    "test",
    "tests",
];

/// The beginnings of sentences in which a harness says what to do when something happens.
pub(crate) const TIP_OPENINGS: &[&str] = &[
    "Always ",
    "Never ",
    "If you ",
    "If a ",
    "If the ",
    "When you ",
];

/// The beginnings of those that only tell how to begin.
pub(crate) const START_OPENINGS: &[&str] = &["Always start by", "If the issue includes code"];

/// Words that a message begins with which opens a conversation.
pub(crate) const GREETINGS: &[&str] = &[
    "hi",
    "hello",
    "hey",
    "good morning",
    "good afternoon",
    "good evening",
    "greetings",
    "你好",
    "您好",
    "안녕",
    "hallo",
    "guten tag",
];

/// Words that go on with what was said before.
pub(crate) const BACK_REFERRING_WORDS: &[&str] = &[
    "you told",
    "you asked",
    "you said",
    "you suggested",
    "you mentioned",
    "you explained",
    "your instructions",
    "i managed to",
    "i just tried",
    "still not",
    "it still",
    "back again",
];

/// Words of a message that ends a conversation.
pub(crate) const FAREWELLS: &[&str] = &[
    "###stop###",
    "###transfer###",
    "thank",
    "thanks",
    "bye",
    "that's all",
    "that is all",
    "that will be all",
    "nothing else",
    "谢谢",
    "再见",
    "감사",
    "danke",
];

/// Words of a request that says to go on with what was offered.
pub(crate) const ASSENT_WORDS: &[&str] = &[
    "continue",
    "go on",
    "go ahead",
    "proceed",
    "carry on",
    "keep going",
    "yes",
    "继续",
    "同意",
    "可以",
    "weiter",
];
/// Words of one that does not, besides those that deny.
pub(crate) const REFUSING_WORDS: &[&str] = &["don't", "stop", "something else"];

/// Words of a message that says that something works now.
pub(crate) const SOLVED_WORDS: &[&str] = &[
    "it worked",
    "it works",
    "works now",
    "everything works",
    "that worked",
    "that works",
];
/// Words of one that only asks for that, or agrees.
pub(crate) const UNSURE_WORDS: &[&str] = &[
    "if", "that it", "whether", "verify", "check", "for me", "when",
];

/// Words of an order in the form of a question.
pub(crate) const POLITE_OPENINGS: &[&str] = &[
    "can you",
    "could you",
    "would you",
    "will you",
    "can we",
    "could we",
    "please",
    "kannst du",
    "könntest du",
    "können sie",
    "könnten sie",
    "bitte",
    "puedes",
    "podrías",
    "pode ",
    "poderia",
    "peux-tu",
    "pouvez-vous",
    "pourriez",
    "你能",
    "能不能",
    "能否",
    "可以",
    "请",
    "можешь",
    "можете",
    "해줘",
    "해 줘",
    "주세요",
    "ください",
    "もらえ",
];
