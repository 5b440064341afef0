//! Words by which a sentence of the assistant is known to find, guess or conclude something, or to find nothing.

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

/// Words of a sentence about what a view of a file did not show: the next one may.
pub(crate) const UNSHOWN_WORDS: &[&str] = &[
    "not visible in",
    "not shown in",
    "shown part",
    "shown portion",
    "first 100 lines",
    "lines shown",
];

/// Words at the start of a sentence that speak of what stood before it.
pub(crate) const BACK_REFERENCES: &[&str] = &[
    "it ",
    "it's ",
    "they ",
    "they're ",
    "this ",
    "that ",
    "that's ",
    "these ",
    "those ",
    "also ",
    "so ",
    "ok ",
    "then ",
    "but ",
    "and ",
    "otherwise",
    "否则",
];

/// The same of which nothing in the sentence tells what they speak of.
pub(crate) const BARE_BACK_REFERENCES: &[&str] =
    &["they ", "they're ", "these ", "those ", "otherwise", "否则"];

/// The beginnings of sentences that say in what the one before it is not so.
pub(crate) const TURNING_OPENINGS: &[&str] =
    &["however", "but ", "unfortunately", "yet ", "但是", "然而"];

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

/// Words that deny that a fault lies somewhere.
pub(crate) const CULPRIT_DENIALS: &[&str] = &[
    "not in",
    "is not",
    "isn't",
    "wrong",
    "ruled out",
    "is fine",
    "not the cause",
    "no fault",
];
