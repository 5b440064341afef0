//! Words of what the assistant and the user say.

/// Words of a sentence in which the assistant decides, finds or concludes something.
pub(crate) const FINDING_WORDS: &[&str] = &[
    "because",
    "found",
    "confirm",
    "cause",
    "caused",
    "issue is",
    "problem is",
    "bug is",
    "fixed",
    "works",
    "working",
    "passes",
    "passed",
    "pass",
    "failed",
    "fails",
    "cannot",
    "can't",
    "must",
    "should",
    "need to",
    "needs",
    "decided",
    "instead",
    "not",
    "remains",
    "remaining",
    "still",
    "verdict",
    "already",
    "only",
    "however",
    "therefore",
    "resolved",
    "implemented",
    "requires",
    "located",
    "responsible",
    "defined in",
    "completed",
    "成功",
    "因为",
    "问题",
    "原因",
    "需要",
    "已经",
    "完成",
    "修复",
    "失败",
    "决定",
    "尚未",
    "阻塞",
    "无法",
    "不能",
    "必须",
    "发现",
    "已导出",
    "已安装",
    "완료",
    "검증",
    "수정",
    "때문",
    "weil",
    "gefunden",
    "behoben",
    "ursache",
];

/// Words of `FINDING_WORDS` that find something only in a sentence that names something.
pub(crate) const WEAK_FINDING_WORDS: &[&str] = &[
    "found", "confirm", "not", "only", "should", "need to", "needs", "already", "still", "instead",
];

/// Words for what comes next.
pub(crate) const NEXT_WORDS: &[&str] = &[
    "next",
    "remaining",
    "still need",
    "then i",
    "todo",
    "left to do",
    "now i",
    "下一步",
    "接下来",
    "다음",
    "als nächstes",
];

/// The beginnings of a heading above steps that are left to do.
pub(crate) const NEXT_HEADINGS: &[&str] = &[
    "next step",
    "next up",
    "remaining",
    "still to do",
    "left to do",
    "to do",
    "下一步",
    "后续",
    "待办",
    "다음 단계",
    "nächste schritte",
];

/// Words of a short message that only says to go on.
pub(crate) const AGREEMENTS: &[&str] = &[
    "yes", "ok", "okay", "continue", "go", "proceed", "sure", "perfect", "继续", "好", "好的",
    "是", "weiter", "ja", "계속",
];

/// The beginnings of sentences that say what the assistant is about to do. They find nothing.
pub(crate) const INTENT_OPENINGS: &[&str] = &[
    "let me",
    "let's",
    "now i",
    "now let",
    "i'll",
    "i will",
    "i need to",
    "we need to",
    "first,",
    "this will",
    "next, i",
    "we can",
    "we should",
    "i should",
    "to do this",
    "to fix",
    "to proceed",
    "to start",
    "to begin",
    "to address",
    "to resolve",
    "to understand",
    "to ensure",
    "now, i",
    "next, we",
    "next we",
    "we'll",
    "we will",
    "我需要",
    "让我",
    "接下来",
    "随后",
    "我先",
    "我现在",
    "下一项",
];

/// Words of a sentence that guesses: what came of it says more.
pub(crate) const GUESS_WORDS: &[&str] = &[
    "might",
    "maybe",
    "perhaps",
    "probably",
    "possibly",
    "seems",
    "seem",
    "could be",
    "may have",
    "may be",
    "not sure",
    "i think",
    "hmm",
    "wait",
    "likely",
    "promising",
    "stands out",
    "would need to",
    "可能",
    "也许",
];

/// Short forms whose dot ends no sentence.
pub(crate) const ABBREVIATIONS: &[&str] = &["e.g", "i.e", "etc", "vs", "cf", "Mr", "Dr"];

/// Words that open a sentence and are no member of a program's class.
pub(crate) const SENTENCE_OPENERS: &[&str] = &[
    "A", "After", "And", "As", "But", "By", "For", "I", "If", "In", "It", "Next", "Now", "On",
    "Since", "So", "The", "Then", "There", "This", "To", "We", "When", "You",
];

/// Words of a sentence that says that something was not seen so far.
pub(crate) const UNSEEN_WORDS: &[&str] = &[
    "not defined",
    "not shown",
    "shown part",
    "not visible",
    "not present",
    "not found in",
    "couldn't find",
    "could not find",
    "did not find",
    "didn't find",
];

/// Words in the middle of a sentence that says what the assistant is about to do.
pub(crate) const INTENT_WORDS: &[&str] = &[
    "i'll",
    "i will",
    "i should",
    "let's",
    "let me",
    "next step",
    "需要决定",
];

/// Words of a sentence that says that something is done or works, and of one about something that does
/// not: the second is over once the first was said.
pub(crate) const SETTLED_WORDS: &[&str] = &[
    "works",
    "working",
    "fixed",
    "passes",
    "passed",
    "resolved",
    "completed",
    "succeeded",
    "expected behavior",
    "成功",
    "完成",
    "修复",
    "通过",
    "완료",
];
pub(crate) const TROUBLE_WORDS: &[&str] = &[
    "still",
    "fails",
    "failed",
    "failing",
    "not working",
    "doesn't work",
    "error",
    "issue",
    "warning",
    "失败",
    "错误",
    "问题",
    "실패",
];

/// Words that say how far the work is.
pub(crate) const DONE_WORDS: &[&str] = &["completed", "complete", "finished", "done", "remaining"];

/// Words at the start of a sentence that speak of what stood before it.
pub(crate) const BACK_REFERENCES: &[&str] = &[
    "it ", "it's ", "they ", "they're ", "this ", "that ", "that's ", "these ", "those ", "also ",
    "so ", "ok ", "then ", "but ", "and ",
];

/// The same of which nothing in the sentence tells what they speak of.
pub(crate) const BARE_BACK_REFERENCES: &[&str] = &["they ", "they're ", "these ", "those "];

/// Words of sentences that are courtesy or an offer, not a finding.
pub(crate) const COURTESY_WORDS: &[&str] = &[
    "let me know",
    "i understand",
    "sounds good",
    "please let",
    "please confirm",
    "please provide",
    "could you please",
    "feel free",
    "if you have",
    "if you need",
    "if you'd like",
    "would you like",
    "how can i help",
    "is there anything else",
    "thank you",
    "you're welcome",
    "i'll help",
    "i'd be happy",
    "i apologize",
    ", let me ",
];

/// Words of a wish or a limit that holds for all that follows.
pub(crate) const CONSTRAINT_WORDS: &[&str] = &[
    "never",
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
    "keep",
    "不要",
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
    "no need",
    "不要",
    "必须",
    "总是",
    "하지 마",
    "반드시",
    "niemals",
    "immer",
];

/// Words of a wish to keep something, and of a commit that takes something away.
pub(crate) const KEEPING_WORDS: &[&str] = &["keep", "remember"];
pub(crate) const REMOVING_WORDS: &[&str] = &["remove", "delete", "drop"];

/// The beginnings of a message that tells what was asked for.
pub(crate) const TELLING_OPENINGS: &[&str] = &[
    "sure",
    "certainly",
    "of course",
    "my ",
    "it's ",
    "it is ",
    "this one ",
    "that one ",
    "i don't",
    "i do not",
    "here is",
    "here's",
    "they are ",
    "the reason is",
];

/// Words with which the assistant asks for something.
pub(crate) const PROVIDE_WORDS: &[&str] = &["provide", "please confirm", "let me know", "share"];

/// Words of a wish in the form of a question.
pub(crate) const ASKING_WORDS: &[&str] = &["can we", "can you", "could we", "could you"];

/// Words of a sentence that holds only for a while.
pub(crate) const MOMENTARY_WORDS: &[&str] = &[
    "now",
    "yet",
    "first",
    "for the moment",
    "this time",
    "again",
    "现在",
    "先",
    "暂时",
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

/// Words of a sentence that says where a fault lies.
pub(crate) const PLACE_WORDS: &[&str] = &[
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
pub(crate) const TIP_OPENINGS: &[&str] = &["Always ", "Never ", "If you ", "If a ", "If the "];

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
