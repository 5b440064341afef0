//! Words of what the assistant says: of findings, plans and guesses.

/// Words of a sentence in which the assistant decides, finds or concludes something.
pub(crate) const FINDING_WORDS: &[&str] = &[
    "because",
    "found",
    "confirm",
    "cause",
    "caused",
    "issue is",
    "issue was",
    "problem is",
    "problem was",
    "bug is",
    "bug was",
    "due to",
    "expects",
    "assumes",
    "won't",
    "isn't",
    "doesn't",
    "doesn’t",
    "isn’t",
    "won’t",
    "can’t",
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
    "confirmed",
    "verified",
    "shows",
    "reveals",
    "means",
    "missing",
    "blocked",
    "fail",
    "failing",
    "passing",
    "decision",
    "mismatch",
    "expected",
    "unchanged",
    "no longer",
    "never",
    "deployed",
    "merged",
    "pushed",
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
    "실패",
    "오류",
    "발견",
    "원인",
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

/// Words of a sentence in which the assistant concludes something.
pub(crate) const CONCLUSION_WORDS: &[&str] = &[
    "confirmed",
    "key finding",
    "key facts",
    "critical",
    "root cause",
    "decision",
    "decided",
    "verdict",
    "conclusion",
    "in short",
    "the reason",
    "limitation",
    "no longer",
    "superseded",
    "supersedes",
    "obsolete",
    "is stale",
    "outdated",
    "核心",
    "结论",
    "根本原因",
    "핵심",
    "결론",
    "근본 원인",
];

/// The beginnings of sentences that answer what stood before them.
pub(crate) const REPLY_OPENINGS: &[&str] = &[
    "no, ", "yes, ", "ok, ", "okay", "indeed", "right, ", "ah, ", "oh, ",
];

/// Words of a sentence that tells the cause of something.
pub(crate) const CAUSE_WORDS: &[&str] = &[
    "because",
    "caused by",
    "cause is",
    "cause was",
    "issue is",
    "issue was",
    "problem is",
    "problem was",
    "bug is",
    "bug was",
    "due to",
    "but the",
    "expects",
    "assumes",
    "因为",
    "原因",
    "때문",
    "원인",
    "weil",
    "ursache",
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
];

/// Words with which a user may deny that something is done.
pub(crate) const DENIAL_WORDS: &[&str] = &[
    "no", "not", "didn't", "doesn't", "isn't", "didnt", "doesnt", "again", "but", "instead",
    "error", "fails", "failed", "crash", "crashes", "没有", "不",
];

/// Words of a sentence about what goes on at this moment.
pub(crate) const PASSING_WORDS: &[&str] = &[
    "still running",
    "is running",
    "are running",
    "in the background",
    "now running",
    "waiting for",
    "running now",
    "正在",
    "진행 중",
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
    "i suspect",
    "hmm",
    "wait",
    "likely",
    "promising",
    "stands out",
    "would need to",
    "would be necessary",
    "it's possible",
    "it is possible",
    "可能",
    "也许",
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
    "실패",
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
    "已",
    "修复",
    "성공",
    "완료",
    "erledigt",
    "fertig",
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

/// Words that praise what was made.
pub(crate) const PRAISE_WORDS: &[&str] = &[
    "is working",
    "are working",
    "works correctly",
    "working correctly",
    "works as expected",
    "working as expected",
    "works perfectly",
    "working perfectly",
];

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

/// Words of a sentence that tells a thing only by where it was seen, or that something is not known yet: it finds
/// nothing.
pub(crate) const EMPTY_FINDING_WORDS: &[&str] = &[
    "the code snippet shows",
    "the snippet shows",
    "the provided code",
    "the provided snippet",
    "contains several",
    "contains the implementation",
    "is crucial",
    "plays a crucial role",
    "according to the pr description",
    "according to the issue",
    "as described in the issue",
    "as mentioned in the issue",
    "challenging to",
    "without direct access",
    "without access to",
    "further investigation",
    "it's important to note",
    "it is important to note",
];

/// Words that join a sentence to the one before it: without them it stands alone.
pub(crate) const JOINING_OPENINGS: &[&str] =
    &["However, ", "Therefore, ", "Additionally, ", "Moreover, "];

/// Words for what stands above, in small letters.
pub(crate) const SUBJECT_WORDS: &[&str] = &[
    "this file",
    "the file itself",
    "this method",
    "the method itself",
    "this function",
    "the function itself",
    "this class",
    "the class itself",
    "this module",
];

/// The beginnings of labels before the place of a fault, in small letters.
pub(crate) const CULPRIT_LABELS: &[&str] = &[
    "buggy file",
    "buggy method",
    "buggy function",
    "buggy class",
    "bug location",
    "faulty file",
    "faulty function",
    "root cause file",
    "location of the bug",
];
