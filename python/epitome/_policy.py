"""The policy of a compaction, typed. Made of ``docs/config.schema.json``: don't edit it."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Dict, List, Literal, Optional, Union


def _toml(value: Any) -> str:
    """Returns a value as TOML on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {_toml(item)}" for key, item in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _settings(table: Any, prefix: str = "") -> List[str]:
    """Returns ``--set=KEY=VALUE`` for each key that has a value."""
    words = []
    for field in fields(table):
        value = getattr(table, field.name)
        if is_dataclass(value):
            words += _settings(value, f"{prefix}{field.name}.")
        elif value is not None:
            words.append(f"--set={prefix}{field.name}={_toml(value)}")
    return words


@dataclass(frozen=True)
class System:
    """The table ``[system]``: the system prompt that the live agent would have sent, as far as the log lacks it."""

    base: Optional[str] = None
    """A file with the system prompt of logs that have none."""
    memory: Optional[List[str]] = None
    """The files of the memory, in order. ``deepagents``: ``[]``."""
    skills: Optional[List[Union[str, Dict[str, Any]]]] = None
    """The directories of skills, in order: a path, or a table of path and label. ``deepagents``: ``[]``."""
    root: Optional[str] = None
    """The directory that memory and skills lie below; without it their paths are those of this machine."""
    count: Optional[bool] = None
    """Counts the sections where triggers and limits are compared. ``deepagents``: ``true``."""
    version: Optional[Literal["0.4", "0.7"]] = None
    """The version of Deep Agents whose sections these are. ``deepagents``: ``"0.4"``."""


@dataclass(frozen=True)
class CountedParts:
    """The table ``[count]``: what triggers count beside the messages."""

    system: Optional[bool] = None
    """Counts the leading system message when a trigger is compared. ``deepagents``: ``true``."""
    tools: Optional[bool] = None
    """Counts the tool schemas when a trigger is compared. ``deepagents``: ``true``."""


@dataclass(frozen=True)
class Patch:
    """The table ``[patch]``: answers for calls that have none."""

    calls: Optional[Literal["off", "0.4", "0.7"]] = None
    """In a replay, gives calls without an answer the one that Deep Agents of this version adds when the user speaks again: `off`, `0.4` or `0.7`. ``deepagents``: ``"0.4"``."""


@dataclass(frozen=True)
class Evict:
    """The table ``[evict]``: moving large tool results into files."""

    tokens: Optional[int] = None
    """Evicts results longer than four times this many code points; 0 turns the stage off. ``deepagents``: ``20000``."""
    exclude: Optional[List[str]] = None
    """Tools whose results are never evicted."""
    human_tokens: Optional[int] = None
    """Moves the last user message of a call into a file if it is longer than four times this many code points; 0 never does. ``deepagents``: ``0``."""
    notice: Optional[Literal["fixed", "caveats", "plain"]] = None
    """The form of the notice that replaces a result. ``deepagents``: ``"fixed"``."""


@dataclass(frozen=True)
class Truncate:
    """The table ``[truncate]``: shortening long arguments of old calls."""

    trigger: Optional[Union[List[Dict[str, Any]], Dict[str, Any]]] = None
    """When to truncate: any table of the list, if all of its conditions hold."""
    keep: Optional[Dict[str, Any]] = None
    """The recent context that is left alone: tokens, messages or fraction."""
    max_length: Optional[int] = None
    """The longest argument that is left alone, in code points. ``deepagents``: ``2000``."""
    text: Optional[str] = None
    """The text that replaces what is cut off. ``deepagents``: ``"...(argument truncated)"``."""
    tools: Optional[List[str]] = None
    """Tools whose arguments are truncated. ``deepagents``: ``["write_file","edit_file"]``."""


@dataclass(frozen=True)
class Prune:
    """The table ``[prune]``: replacing old tool results by a placeholder. The table turns the stage on, even if it is empty."""

    enabled: Optional[bool] = None
    """Turns the stage on or off. ``deepagents``: ``false``."""
    protect: Optional[int] = None
    """Keeps this many tokens of the newest results; the result that crosses this line is pruned. ``deepagents``: ``40000``."""
    minimum: Optional[int] = None
    """Prunes only if more than this many tokens would go. ``deepagents``: ``20000``."""
    least: Optional[int] = None
    """Counts results of fewer tokens than this, but leaves them alone. ``deepagents``: ``0``."""
    placeholder: Optional[str] = None
    """The text that replaces a result. `{lines}` in it are the lines of the result, `{images}` its pictures; what is between `[[` and `]]` is left out where the result has no pictures. ``deepagents``: ``"[Old tool result content cleared]"``."""
    protect_tools: Optional[List[str]] = None
    """Tools whose results are neither pruned nor counted. ``deepagents``: ``["skill"]``."""
    skip_turns: Optional[int] = None
    """Leaves this many of the newest user turns alone, and does not count them. ``deepagents``: ``2``."""
    skip_messages: Optional[int] = None
    """Leaves this many of the newest messages alone, and does not count them. ``deepagents``: ``0``."""
    rescan: Optional[bool] = None
    """Goes on behind a result that was pruned before. ``deepagents``: ``false``."""
    every_result: Optional[bool] = None
    """Treats results of failed calls, results pruned before and results before an earlier summary like any other. ``deepagents``: ``false``."""
    each_call: Optional[bool] = None
    """In a replay, prunes before each call instead of where the agent has ended its turn. ``deepagents``: ``false``."""
    stored_order: Optional[bool] = None
    """Scans in the order in which OpenCode stores messages: a summary follows the messages that it kept. ``deepagents``: ``false``."""
    rule: Optional[Literal["tokens", "results"]] = None
    """The rule that chooses the results: by `tokens`, as OpenCode, or by the number of `results`, as LangChain, Anthropic and SWE-agent. By number, only `placeholder`, `protect_tools` and what follows count. ``deepagents``: ``"tokens"``."""
    trigger: Optional[int] = None
    """Prunes calls of more than this many tokens. ``deepagents``: ``100000``."""
    results: Optional[int] = None
    """Prunes calls of at least this many results, whatever their tokens; 0 is no such number. ``deepagents``: ``0``."""
    measure: Optional[Literal["messages", "used"]] = None
    """The tokens that are compared with `trigger`: those of the `messages`, or those `used` by the call. ``deepagents``: ``"messages"``."""
    keep: Optional[int] = None
    """Keeps this many of the newest results. ``deepagents``: ``3``."""
    clear_at_least: Optional[int] = None
    """The tokens that pruning is to save; 0 is as many as it can. ``deepagents``: ``0``."""
    at_least: Optional[Literal["stop", "need"]] = None
    """The meaning of `clear_at_least`: clearing ends (`stop`) as soon as it is reached, or needs to reach it (`need`). ``deepagents``: ``"stop"``."""
    clear_inputs: Optional[bool] = None
    """Also replaces the arguments of the calls of pruned results by `{}`. ``deepagents``: ``false``."""
    keep_first: Optional[int] = None
    """Keeps this many of the oldest results. ``deepagents``: ``0``."""
    polling: Optional[int] = None
    """Counts the results in steps of this many: newer ones than the last full step stay. ``deepagents``: ``1``."""
    observations: Optional[bool] = None
    """Takes what a trajectory marks as an observation for a result, and follows its tags `keep_output` and `remove_output`. Without marks, the first user message is the first observation. ``deepagents``: ``false``."""


@dataclass(frozen=True)
class Dedup:
    """The table ``[dedup]``: replacing results that are repeated further down."""

    enabled: Optional[bool] = None
    """Replaces a result that is repeated further down by a reference to the newest. ``deepagents``: ``false``."""
    least: Optional[int] = None
    """Leaves results of fewer tokens than this alone. ``deepagents``: ``50``."""
    tools: Optional[List[str]] = None
    """Tools of which a later result for the same file, or the same arguments, replaces the earlier."""


@dataclass(frozen=True)
class Cut:
    """The table ``[cut]``: shortening long results in their structure."""

    tokens: Optional[int] = None
    """Shortens results of more than this many tokens to about as many: JSON stays JSON, a table keeps its head, a log its first, last and error lines. 0 turns the stage off. ``deepagents``: ``0``."""
    keep: Optional[int] = None
    """Leaves this many of the newest results alone. ``deepagents``: ``3``."""
    exclude: Optional[List[str]] = None
    """Tools whose results are never shortened. ``deepagents``: ``[]``."""


@dataclass(frozen=True)
class Pin:
    """The table ``[pin]``: messages that no stage touches."""

    roles: Optional[List[Literal["system", "developer", "user", "assistant", "tool", "function"]]] = None
    """Roles whose messages are never summarized, pruned, evicted or cut. ``deepagents``: ``[]``."""
    tools: Optional[List[str]] = None
    """Tools whose results are never summarized, pruned, evicted or cut. ``deepagents``: ``[]``."""
    patterns: Optional[List[str]] = None
    """Regular expressions: a message in whose text one is found is never summarized, pruned, evicted or cut. ``deepagents``: ``[]``."""
    labels: Optional[List[str]] = None
    """Labels: a message that has one, under `label`, `labels`, `tag` or `tags`, is never summarized, pruned, evicted or cut. ``deepagents``: ``[]``."""


@dataclass(frozen=True)
class Summarize:
    """The table ``[summarize]``: replacing what is before the cutoff by a summary."""

    trigger: Optional[Union[List[Dict[str, Any]], Dict[str, Any]]] = None
    """When to summarize: any table of the list, if all of its conditions hold."""
    keep: Optional[Dict[str, Any]] = None
    """The recent context that is kept: tokens, messages, fraction, events, or turns and tokens beside them; or by the rule of another agent: recent (pi), back (Cline), whole (OpenCode 2), answers (Claude Code), characters (Gemini CLI)."""
    keep_share: Optional[float] = None
    """The share of `trigger` that the preset's keep takes at most, where no `keep` is given; 0 is without a bound. A quarter where no preset is named, else 0. ``deepagents``: ``0.25``."""
    trim_tokens: Optional[int] = None
    """Passes only the last tokens, this many, to the summarizer; 0 passes all. ``deepagents``: ``0``."""
    frame: Optional[Literal["archived", "plain", "opencode"]] = None
    """The frame of the summary: the messages that present it to the model. ``deepagents``: ``"archived"``."""
    replay: Optional[bool] = None
    """Keeps the last user message and all behind it, whatever `keep` says. ``deepagents``: ``false``."""
    after_step: Optional[bool] = None
    """Decides on the messages up to the last answer and its results. Newer messages stay, and do not count. ``deepagents``: ``false``."""
    measure: Optional[Literal["estimate", "trailing", "prompt", "larger"]] = None
    """The tokens that the trigger compares: the `estimate`, those that the log reports for the last answer and the estimates `trailing` it, its `prompt` alone, or the `larger` of that and the estimate. ``deepagents``: ``"estimate"``."""
    keep_first: Optional[int] = None
    """Also keeps this many of the first events: messages, one of several calls as many. ``deepagents``: ``0``."""
    keep_users: Optional[int] = None
    """Also keeps the newest user messages of this many tokens, by 4 bytes a token; the one that crosses the line is cut in its middle. ``deepagents``: ``0``."""
    bound_reasoning: Optional[Literal["keep", "drop"]] = None
    """The fate of reasoning in kept messages that is bound to what is summarized, as that of Claude is: `keep`, or `drop` as Deep Agents 0.7 does. ``deepagents``: ``"keep"``."""
    asked_by: Optional[List[Dict[str, Any]]] = None
    """Tools by which the agent asks for a summary, and the beginning of a result that says it was made: the call behind such a result is summarized. ``deepagents``: ``[]``."""
    on_growth: Optional[Literal["skip", "allow"]] = None
    """The treatment of an edit of any stage that makes a transcript larger. ``deepagents``: ``"skip"``."""


@dataclass(frozen=True)
class Summarizer:
    """The table ``[summarizer]``: the writer of summaries."""

    kind: Optional[str] = None
    """The summarizer: `extract`, `http`, `command:PROGRAM` or `none`. ``deepagents``: ``"extract"``."""
    budget: Optional[int] = None
    """Length of a summary in tokens; 0 is 5 % of what it replaces, from 256 to 2000. ``deepagents``: ``0``."""
    template: Optional[Literal["deepagents", "opencode"]] = None
    """The sections of a summary, and how the conversation is written into a prompt. Sets the prompts. ``deepagents``: ``"deepagents"``."""
    prompt: Optional[str] = None
    """The prompt for a model. Its `{messages}` is replaced by the conversation."""
    merge_prompt: Optional[str] = None
    """The prompt if there is an earlier summary, which replaces `{prior_summary}`. If it is empty, an earlier summary is among the messages. ``deepagents``: ``""``."""
    result_chars: Optional[int] = None
    """Code points of a tool result in a prompt of the template `opencode`; 0 is all. ``deepagents``: ``0``."""
    headings: Optional[List[str]] = None
    """Headings that a summary must have, in any order. ``deepagents``: ``["SESSION INTENT","SUMMARY","ARTIFACTS","NEXT STEPS"]``."""
    on_failure: Optional[Literal["keep", "extract", "fail"]] = None
    """The treatment of a transcript whose summary fails. ``deepagents``: ``"keep"``."""
    pass_env: Optional[List[str]] = None
    """Environment variables that `command:PROGRAM` gets beside `PATH`, `HOME` and the like."""
    weights: Optional[str] = None
    """A file with weights for the embedded summarizer, as `epitome fit` writes it."""
    model: Optional[str] = None
    """The model that writes summaries, by the server's name for it."""
    dialect: Optional[Literal["openai", "anthropic"]] = None
    """The server's interface."""
    base_url: Optional[str] = None
    """The server's address."""
    api_key_env: Optional[str] = None
    """The environment variable that holds the API key."""
    api_key_file: Optional[str] = None
    """The file that holds the API key."""
    allow_plain_http: Optional[bool] = None
    """Sends the API key over plain HTTP, too, to a server that is not on this machine."""
    ca_file: Optional[str] = None
    """A PEM file of certificate authorities to trust beside the system's."""
    temperature: Optional[float] = None
    """Sampling temperature, from 0 to 2."""
    max_output_tokens: Optional[int] = None
    """Maximum tokens of an answer; 0 is the server's limit."""
    timeout: Optional[int] = None
    """Seconds until a request is given up."""
    deadline: Optional[int] = None
    """Seconds until a summary is given up, retries and waits included."""
    retries: Optional[int] = None
    """Maximum retries of a failed request."""
    concurrency: Optional[int] = None
    """The number of requests at the same time, from 1 to 256."""
    price: Optional[str] = None
    """US dollars per million tokens of input and of output, as `INPUT,OUTPUT`."""
    max_calls: Optional[int] = None
    """Maximum calls of a run."""
    max_cost: Optional[float] = None
    """Maximum cost of a run in US dollars."""
    cache: Optional[str] = None
    """The directory of cached answers; an empty text turns the cache off."""
    headers: Optional[Dict[str, Any]] = None
    """More headers of each request. A value `$NAME` is read from the environment."""


@dataclass(frozen=True)
class Archive:
    """The table ``[archive]``: the paths that are named to the model."""

    prefix: Optional[str] = None
    """The directory of histories, as it is named to the model. ``deepagents``: ``"/conversation_history"``."""
    results_prefix: Optional[str] = None
    """The directory of evicted results, as it is named to the model; it may contain `{thread_id}`. ``deepagents``: ``"/large_tool_results/{thread_id}"``."""
    form: Optional[Literal["lines", "xml"]] = None
    """The form of the messages in the history, and in prompts of the template `deepagents`. ``deepagents``: ``"lines"``."""


@dataclass(frozen=True)
class Overflow:
    """The table ``[overflow]``: the limits above which a transcript is too large."""

    limit: Optional[int] = None
    """Summarizes above this many tokens even if no trigger fired; 0 is the model's input limit. ``deepagents``: ``0``."""
    max_tokens: Optional[int] = None
    """The number of tokens that every result must fit; 0 is no such limit. ``deepagents``: ``0``."""
    context: Optional[int] = None
    """The context in tokens, in place of all limits that the model declares; 0 is the model's. ``deepagents``: ``0``."""
    output: Optional[int] = None
    """The longest output in tokens, in place of the model's; 0 is the model's. ``deepagents``: ``0``."""
    reserved: Optional[int] = None
    """Tokens that are kept free of an input limit; 20,000 or `max_output` if that is less, if left out."""
    reserve_both: Optional[bool] = None
    """Lets the reserve count of a context, too: where both limits are declared, the smaller usable part counts. ``deepagents``: ``false``."""
    buffer: Optional[int] = None
    """Tokens that are kept free beside the room for an answer. ``deepagents``: ``0``."""
    input_share: Optional[float] = None
    """The share of the context that is the input limit of a model that declares none. ``deepagents``: ``1.0``."""
    max_output: Optional[int] = None
    """The longest answer in tokens that room is kept for. ``deepagents``: ``32000``."""
    strict: Optional[bool] = None
    """Lets the usable tokens be used up: the trigger `overflow` compares with `>` instead of `>=`. ``deepagents``: ``false``."""
    budget: Optional[float] = None
    """The share of the input limit, less the longest output, that is the budget of a call. Above it, summarizes even if no trigger fired; 0 is no budget. ``deepagents``: ``0.0``."""
    answers_of: Optional[List[str]] = None
    """The providers whose calls ask for the model's longest output, which the budget leaves free. For all others it is `output`. ``deepagents``: ``[]``."""


@dataclass(frozen=True)
class Policy:
    """A policy. What is not set is the preset's."""

    preset: Optional[Literal["deepagents", "deepagents-0.7", "langchain", "langchain-context-editing", "anthropic-clear", "opencode", "opencode-2", "opencode-seed", "claude-code", "codex", "pi", "gemini-cli", "openhands", "swe-agent-last-n", "cline"]] = None
    """The preset that the policy starts from. ``deepagents``: ``"deepagents"``."""
    model: Optional[str] = None
    """The model that the transcripts are for, as `provider:model`; each record's own if left out."""
    limits: Optional[str] = None
    """A table of model limits, which takes precedence over the embedded one."""
    profiles: Optional[Literal["none", "0.4.3", "0.7.32"]] = None
    """A release of Deep Agents whose limits take precedence over the embedded ones: `none`, `0.4.3` or `0.7.32`. ``deepagents``: ``"none"``."""
    strict_model: Optional[bool] = None
    """Refuses models whose input limit is not known. ``deepagents``: ``false``."""
    max_input_tokens: Optional[int] = None
    """The model's input limit in tokens, in place of the known one."""
    counter: Optional[str] = None
    """The token counter. ``deepagents``: ``"approx"``."""
    chars_per_token: Optional[float] = None
    """Code points per token of the approximate counter."""
    redact: Optional[Union[bool, str]] = None
    """Masks secrets in requests, summaries and archives; with "pii" personal data, too. ``deepagents``: ``false``."""
    system: Optional[System] = None
    """The system prompt that the live agent would have sent, as far as the log lacks it."""
    count: Optional[CountedParts] = None
    """What triggers count beside the messages."""
    patch: Optional[Patch] = None
    """Answers for calls that have none."""
    evict: Optional[Evict] = None
    """Moving large tool results into files."""
    truncate: Optional[Truncate] = None
    """Shortening long arguments of old calls."""
    prune: Optional[Prune] = None
    """Replacing old tool results by a placeholder. The table turns the stage on, even if it is empty."""
    dedup: Optional[Dedup] = None
    """Replacing results that are repeated further down."""
    cut: Optional[Cut] = None
    """Shortening long results in their structure."""
    pin: Optional[Pin] = None
    """Messages that no stage touches."""
    summarize: Optional[Summarize] = None
    """Replacing what is before the cutoff by a summary."""
    summarizer: Optional[Summarizer] = None
    """The writer of summaries."""
    archive: Optional[Archive] = None
    """The paths that are named to the model."""
    overflow: Optional[Overflow] = None
    """The limits above which a transcript is too large."""

    def arguments(self) -> List[str]:
        """Returns the command-line arguments that set this policy."""
        return _settings(self)
