//! Words of what the assistant says: of findings, plans and guesses.

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
    "plan of action",
    "action plan",
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

/// The beginnings of a sentence that names the next step.
pub(crate) const NEXT_OPENINGS: &[&str] = &[
    "Next is ",
    "Next: ",
    "Next, ",
    "Next up",
    "Next step",
    "Next I ",
];

/// Words of a question that offers several ways.
pub(crate) const CHOICE_WORDS: &[&str] = &[" or ", "还是", "或者"];

/// The beginnings of sentences that say what the assistant is about to do. They find nothing.
pub(crate) const INTENT_OPENINGS: &[&str] = &[
    "let me",
    "let's",
    "let’s",
    "まず",
    "次に",
    "i’ll",
    "i'm ",
    "i’m ",
    "we’ll",
    "we're ",
    "we’re ",
    "now i",
    "now, we",
    "now we",
    "updating ",
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
    "try ",
    "click ",
    "open a ",
    "open the ",
    "search for ",
    "look for ",
    "look into ",
    "examine ",
    "investigate ",
    "review ",
    "verify ",
    "manual test",
    "[ ] ",
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

/// The beginnings of sentences that answer what stood before them.
pub(crate) const REPLY_OPENINGS: &[&str] = &[
    "no, ", "yes, ", "ok, ", "okay", "indeed", "right, ", "ah, ", "oh, ",
];

/// Words of a line about how something stands at the moment.
pub(crate) const PASSING_STATE_WORDS: &[&str] = &[
    "currently",
    "broken",
    "in progress",
    "not yet",
    "incomplete",
    "half",
    "at the moment",
];

/// Words of a line about something that fails.
pub(crate) const FAILING_WORDS: &[&str] =
    &["fail", "fails", "failed", "failing", "failure", "failures"];

/// Words of a user about something that the assistant called done.
pub(crate) const COMPLAINT_WORDS: &[&str] = &[
    "doesn't work",
    "doesnt work",
    "does not work",
    "didn't work",
    "didnt work",
    "not working",
    "still",
    "broken",
    "not fixed",
    "wrong",
    "shouldn't it",
    "are you sure",
    "that's not",
    "thats not",
    "i don't think",
    "不对",
    "没有用",
    "还是",
    "안 돼",
    "not true",
    "is empty",
    "hangs",
    "funktioniert nicht",
    "geht nicht",
    "immer noch",
    "falsch",
    "ne marche",
    "toujours",
    "no funciona",
    "sigue sin",
    "não funciona",
    "errado",
    "не работает",
    "всё ещё",
    "动不了",
    "まだ",
    "動きません",
    "아직",
];

/// Words with which a user may deny that something is done.
pub(crate) const DENIAL_WORDS: &[&str] = &[
    "no", "not", "didn't", "doesn't", "isn't", "didnt", "doesnt", "again", "but", "instead",
    "error", "fails", "failed", "crash", "crashes", "没有", "不",
];

/// Words of a sentence that asks the user for something before the work goes on.
pub(crate) const ASKING_BACK_WORDS: &[&str] = &[
    "tell me",
    "let me know which",
    "please confirm",
    "please provide",
    "before i begin",
    "once you",
    "if you agree",
    "wait for",
    "waiting for",
];

/// Words of a short reply that answers nothing.
pub(crate) const PUTTING_OFF_WORDS: &[&str] = &[
    "don't know",
    "don’t know",
    "do not know",
    "not sure",
    "no idea",
    "one moment",
    "a moment",
    "check that",
    "weiß ich nicht",
    "sehe gleich",
    "no lo sé",
    "não sei",
    "je ne sais",
    "不知道",
    "不清楚",
    "모르",
    "わかりません",
];

/// Words of a sentence that says that something can't be done.
pub(crate) const UNABLE_WORDS: &[&str] = &[
    "cannot",
    "can't",
    "couldn't",
    "could not",
    "unable",
    "blocked",
    "missing",
    "unfortunately",
    "无法",
    "不能",
    "失败",
];

/// Words in the middle of a sentence that says what the assistant is about to do.
pub(crate) const INTENT_WORDS: &[&str] = &[
    "i'll",
    "i’ll",
    "we’ll",
    "let’s",
    "i will",
    "i should",
    "we should look",
    "we should search",
    "we should check",
    "we should examine",
    "let's",
    "let me",
    "we'll",
    "we need to focus",
    "we need to understand",
    "we need to look",
    "we need to find",
    "we need to check",
    "we need to investigate",
    "we need to examine",
    "first we",
    "next step",
    "需要决定",
    "겠습니다",
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
    "gap",
    "gaps",
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
    "缺少",
    "尚未",
    "실패",
    "부재",
    "누락",
    "오류",
    "버그",
    "문제",
    "fehlt",
    "fehler",
    "erro",
    "falta",
];

/// Words of a report of what was done.
pub(crate) const REPORTING_WORDS: &[&str] = &[
    "done",
    "complete",
    "completed",
    "finished",
    "fixed",
    "resolved",
    "added",
    "updated",
    "created",
    "implemented",
    "installed",
    "removed",
    "changed",
    "configured",
    "pushed",
    "committed",
    "deployed",
    "successfully",
    "ready",
    "完成",
    "已创建",
    "已更新",
    "已添加",
    "已实现",
    "已提交",
    "已安装",
    "修复",
    "성공",
    "완료",
    "erledigt",
    "fertig",
];

/// Words that say how far the work is.
pub(crate) const DONE_WORDS: &[&str] = &["completed", "complete", "finished", "done", "remaining"];

/// Words of sentences that are courtesy or an offer, not a finding.
pub(crate) const COURTESY_WORDS: &[&str] = &[
    "let me know",
    "don't worry",
    "don’t worry",
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
    "if you’d like",
    "if you want",
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

/// What the assistant says when all is done.
pub(crate) const ANYTHING_ELSE: &str = "anything else";

/// Words with which the assistant asks for something.
pub(crate) const PROVIDE_WORDS: &[&str] = &["provide", "please confirm", "let me know", "share"];

/// Words with which the assistant says that what another agent reported is not so.
pub(crate) const REFUTING_WORDS: &[&str] = &[
    "is wrong",
    "was wrong",
    "incorrect",
    "not true",
    "is false",
    "hallucinated",
    "didn't actually",
    "did not actually",
    "made up",
];

/// The beginnings of sentences that say nothing to go on from, in small letters.
pub(crate) const LEAD_IN_OPENINGS: &[&str] = &[
    "done.",
    "done!",
    "all done.",
    "i apologize",
    "my apologies",
    "apologies",
    "i'm sorry",
    "sorry for",
    "sorry about",
    "you're right",
    "you are right",
    "you're absolutely right",
    "you are absolutely right",
    "good question",
    "great question",
    "thanks for",
    "thank you for",
    "certainly!",
    "great!",
    "perfect!",
    "excellent!",
];

/// Words for what an apology is for that says nothing to go on from.
pub(crate) const CONFUSION_WORDS: &[&str] = &[
    "confusion",
    "misunderstanding",
    "inconvenience",
    "oversight",
];

/// Words of a sentence with a colon at its end that only announces what follows.
pub(crate) const LEAD_IN_WORDS: &[&str] = &[
    "based on",
    "here's",
    "here is",
    "here are",
    "let's break",
    "the following",
    "as follows",
    "let's analyze",
    "let's summarize",
    "we can draw",
];

/// Words of a sentence that only says that something was found.
pub(crate) const EMPTY_SUMMARY_WORDS: &[&str] = &[
    "we have some",
    "we have several",
    "some insights",
    "valuable insights",
    "valuable information",
    "here's a summary",
    "here is a summary",
    "let's break down",
    "we can draw several",
];

/// Words of a sentence that admits something, however it begins.
pub(crate) const FAULT_WORDS: &[&str] = &[
    "fails",
    "failed",
    "failing",
    "broken",
    "crash",
    "crashed",
    "wrong",
    "lost",
    "deleted",
    "dropped",
    "regressions",
    "not working",
];

/// What stands behind `The user` where a model thinks of what to answer.
pub(crate) const WANTING_WORDS: &[&str] = &[
    "wants",
    "now wants",
    "is asking",
    "asked",
    "asks",
    "said",
    "says",
    "is questioning",
    "has agreed",
    "has confirmed",
    "is requesting",
    "would like",
    "needs me",
    "chose",
];
