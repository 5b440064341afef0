//! Labels of the lines that a summary is written in and read back from.

/// Before a quotation of the user.
pub(crate) const USER_QUOTE: &str = "> ";
/// The line before the quotations of the user.
pub(crate) const USER_HEADING: &str = "User, newest first:";
/// Before the tools that were called, in summaries of earlier versions.
pub(crate) const DONE: &str = "Done: ";
/// Before the user's newest request, if it is not the first.
pub(crate) const NEWEST_REQUEST: &str = "Newest request: ";
/// The same if the messages that stay hold a newer one.
pub(crate) const LATER_REQUEST: &str = "Later request: ";
/// Before what the assistant took a goal for that only points to a file.
pub(crate) const UNDERSTOOD_AS: &str = "Understood as: ";
/// Before the short requests that came after it.
pub(crate) const THEN: &str = "Then: ";
/// Before the first request of a task that is finished.
pub(crate) const FINISHED: &str = "Finished before: ";
/// Before a wish or a limit that holds beside the requests.
pub(crate) const CONSTRAINT: &str = "Constraint: ";
/// Before what a harness says to do when something happens.
pub(crate) const TIP: &str = "Tip: ";
/// Behind the beginning of a request that the messages that stay hold as a whole.
pub(crate) const SAID_AGAIN: &str = "(said again in full in the messages that follow)";
/// Behind the beginning of a message of a hook that the messages that stay hold with other lines.
pub(crate) const SAID_NEWER: &str = "(said again, with news, in the messages that follow)";
/// Behind a request that the user made several times, before and behind the number of times.
pub(crate) const SAID_OFTEN: &str = "(said ";
pub(crate) const TIMES: &str = " times)";
/// Behind a request that the assistant reported as done.
pub(crate) const REPORTED_DONE: &str = " (reported done)";
/// Behind a request that the assistant replied to before the user asked for something else.
pub(crate) const ANSWERED: &str = " (answered)";
/// Behind a goal that the user asked for a second time.
pub(crate) const ASKED_AGAIN: &str =
    "(asked again: older calls and files may be of the first time)";
/// Before a newest request that a commit came after.
pub(crate) const COMMITTED_SINCE: &str = "(a commit came since) ";
/// Before the items of a report of the assistant.
pub(crate) const REPORTED: &str = "Reported: ";
/// The same of what another agent reported.
pub(crate) const AGENT_REPORTED: &str = "Another agent reported: ";
/// Before the steps that a report of the assistant leaves to do.
pub(crate) const LEFT_TO_DO: &str = "Left to do then: ";
/// The line before the sentences in which the assistant decides or finds something.
pub(crate) const FINDINGS_HEADING: &str = "Found, newest first:";
/// Before such a sentence.
pub(crate) const FINDING_MARK: &str = "* ";
/// The beginning of the line before the calls.
pub(crate) const CALLS_HEADING: &str = "Calls, oldest first";
/// Before a call.
pub(crate) const CALL_MARK: &str = "- ";
/// Before the commands that were run most.
pub(crate) const RUN_OFTEN: &str = "run often: ";
/// The line before what files define that the agent wrote, and what edits added to others.
pub(crate) const DEFINITIONS_HEADING: &str = "In files written:";
/// The same in summaries of earlier versions.
pub(crate) const DEFINED: &str = "Defined in files written:";
/// The line before what files hold that were read.
pub(crate) const OUTLINES_HEADING: &str = "In files read:";
/// The line before lines of results, each behind the file that it stands in.
pub(crate) const PASSAGES_HEADING: &str = "Seen in results:";
/// Before the tool that records come from.
pub(crate) const RECORDS: &str = "Records ";
/// The outcome of a search or a list that showed nothing.
pub(crate) const NO_OUTPUT: &str = "(no output)";
/// Before a record.
pub(crate) const ROW_MARK: &str = "| ";
/// Before prose of an earlier summary.
pub(crate) const EARLIER: &str = "Earlier: ";
/// Before the user's last request, if nobody answered it.
pub(crate) const NOT_ANSWERED: &str = "Not answered yet: ";
/// Before what the assistant answered when the user asked what the messages that stay end with.
pub(crate) const ANSWERED_BEFORE: &str = "Answered to that before: ";
/// Before the todos that are open.
pub(crate) const OPEN_TODOS: &str = "Open: ";
/// Before the todos of the same list that are done, the newest.
pub(crate) const DONE_TODOS: &str = "Done so far: ";
/// The same if much was done since the list was written.
pub(crate) const STALE_TODOS: &str = "Open when last listed (some may be done): ";
/// The same if the list is older than the newest request.
pub(crate) const OLDER_TODOS: &str = "Open from before: ";
/// Before the files that the user asked for and that nobody wrote so far.
pub(crate) const NOT_WRITTEN: &str = "Not written yet: ";
/// Before the last call and its result.
pub(crate) const LAST_ACTION: &str = "Last action: ";
/// Before the last words of the assistant.
pub(crate) const LAST_REPLY: &str = "Last reply: ";
/// Before what the assistant said last, if a result came after it.
pub(crate) const SAID_LAST: &str = "Said last: ";
/// Before what the assistant said before that, or before the messages that stay.
pub(crate) const SAID_BEFORE: &str = "Said before that: ";
/// Before what the assistant said comes next.
pub(crate) const NEXT_STEPS: &str = "Next: ";
/// Before the folder that a mark stands for in the lists of files.
pub(crate) const ROOT: &str = "% = ";
/// In place of a state, if the messages that stay tell it.
pub(crate) const GOES_ON: &str = "See below.";
/// Behind the key of a record of which only some values are told.
pub(crate) const IN_PART: &str = " (part)";
/// In place of the key of references that have none.
pub(crate) const NO_KEY: &str = "also";
