#!/usr/bin/env python3
"""Compact JSONL conversations with deepagents 0.4.3, to compare with epitome.

    reference.py [--trigger tokens=8000] [--keep tokens=2000] [--archive DIR] [--replay | --agent] IN.jsonl OUT.jsonl

Each line is a conversation in the OpenAI chat format. Each gets one model call through SummarizationMiddleware,
as `epitome compact` does; with --replay one before each assistant message, as `epitome replay` does, and OUT gets
the number of messages that each call sent. With --agent each is one invocation of an agent that create_deep_agent made,
which is how the middleware is used live: the agent's limit is set so that it summarises at --trigger, it keeps a tenth
of the limit, and OUT gets what the model was sent. The chat model is a fake that answers at once with a fixed short summary,
so that only the middleware's own work is timed. A conversation that nothing changed is copied as it came.

Prints transcripts, changed, MB of input, and CPU seconds (user + system): `cpu_s` without imports, `cpu_s_with_import` with.

    python3 -m venv ref && ref/bin/pip install deepagents==0.4.3 langchain==1.2.10 langchain-core==1.2.16 \\
        langgraph==1.0.10 langgraph-prebuilt==1.0.8
"""
from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import SimpleNamespace
from typing import Any

WANTED = "0.4.3"
KINDS = {"tokens": int, "messages": int, "fraction": float}

try:
    if version("deepagents") != WANTED:
        sys.exit(f"reference.py: deepagents {WANTED} is wanted, this Python has {version('deepagents')}")
    from deepagents.backends import FilesystemBackend
    from deepagents.middleware.summarization import SummarizationMiddleware
    from langchain.agents.middleware.types import ExtendedModelResponse, ModelRequest, ModelResponse
    from langchain_core.language_models.chat_models import BaseChatModel
    from langchain_core.messages import AIMessage, BaseMessage, FunctionMessage, HumanMessage, SystemMessage, ToolMessage, convert_to_openai_messages
    from langchain_core.messages.utils import count_tokens_approximately
    from langchain_core.outputs import ChatGeneration, ChatResult
    from langchain_core.runnables.config import set_config_context
except PackageNotFoundError:
    sys.exit(f"reference.py: deepagents is not installed; in a virtual environment: pip install deepagents=={WANTED}")
except ImportError as error:
    sys.exit(f"reference.py: {error}\nThe packages do not fit together. Install the versions named at the top of this file.")

IMPORT_CPU = time.process_time()


class FixedModel(BaseChatModel):
    """Answers every prompt with the same text."""

    text: str
    sent: list[BaseMessage] = []
    tools: Any = []

    def bind_tools(self, tools: Any, **kwargs: Any) -> FixedModel:
        self.tools = tools
        return self

    @property
    def _llm_type(self) -> str:
        return "fixed"

    def _generate(self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **kwargs: Any) -> ChatResult:
        self.sent = messages
        return ChatResult(generations=[ChatGeneration(message=AIMessage(self.text))])


def assistant(message: dict[str, Any]) -> AIMessage:
    good, bad = [], []
    for call in message.get("tool_calls") or []:
        name, arguments = call["function"]["name"], call["function"].get("arguments")
        try:
            parsed = json.loads(arguments, strict=False) if isinstance(arguments, str) else arguments
        except ValueError:
            parsed = None
        if isinstance(parsed, dict):
            good.append({"name": name, "args": parsed, "id": call.get("id"), "type": "tool_call"})
        else:
            bad.append({"name": name, "args": arguments, "id": call.get("id"), "error": None, "type": "invalid_tool_call"})
    legacy = {"function_call": message["function_call"]} if message.get("function_call") else {}
    return AIMessage(content=message.get("content") or "", name=message.get("name"), tool_calls=good, invalid_tool_calls=bad, additional_kwargs=legacy)


def to_langchain(message: dict[str, Any]) -> BaseMessage:
    role, content, name = message["role"], message.get("content") or "", message.get("name")
    match role:
        case "user":
            return HumanMessage(content=content, name=name)
        case "assistant":
            return assistant(message)
        case "tool":
            return ToolMessage(content=content, name=name, tool_call_id=message.get("tool_call_id") or "")
        case "system":
            return SystemMessage(content=content, name=name)
        case "developer":
            return SystemMessage(content=content, name=name, additional_kwargs={"__openai_role__": "developer"})
        case "function":
            return FunctionMessage(content=content, name=name or "")
    raise ValueError(f"unknown role {role!r}")


class Agent:
    """The agent that the middleware is made for, set up once."""

    def __init__(self, trigger: int, archive: Path, summary: str) -> None:
        from deepagents import create_deep_agent

        def set_up(limit: int | None) -> None:
            self.model = FixedModel(text=summary, profile={"max_input_tokens": limit} if limit else None)
            self.agent = create_deep_agent(self.model, backend=FilesystemBackend(root_dir=archive, virtual_mode=True))

        # Its own system message and tools count as well: what they have comes on top of the trigger.
        set_up(None)
        self.agent.invoke({"messages": []})
        own = count_tokens_approximately(self.model.sent, tools=self.model.tools)
        # It summarises at 0.85 of what the model accepts.
        set_up(round((trigger + own) / 0.85))

    def compact(self, record: dict[str, Any], thread: str) -> bool:
        """As [`Reference.compact`]; the agent's own system message is left out."""
        messages = [to_langchain(m) for m in record["messages"]]
        self.agent.invoke({"messages": messages}, config={"configurable": {"thread_id": thread}})
        sent = [m for m in self.model.sent if not isinstance(m, SystemMessage)]
        if len(sent) == sum(not isinstance(m, SystemMessage) for m in messages):
            return False
        record["messages"] = convert_to_openai_messages(sent)
        return True


class Reference:
    """The middleware and what it needs, set up once."""

    def __init__(self, trigger: list[tuple[str, Any]], keep: tuple[str, Any], truncate: bool, archive: Path, summary: str) -> None:
        self.model = FixedModel(text=summary)
        self.runtime = SimpleNamespace(context=None, store=None, stream_writer=None, config={})
        self.middleware = SummarizationMiddleware(
            model=self.model,
            backend=FilesystemBackend(root_dir=archive, virtual_mode=True),
            trigger=trigger,
            keep=keep,
            trim_tokens_to_summarize=None,
            # what create_deep_agent sets for a model without a known limit
            truncate_args_settings={"trigger": ("messages", 20), "keep": ("messages", 20)} if truncate else None,
        )

    def compact(self, record: dict[str, Any], thread: str) -> bool:
        """Put the messages that the model would be sent into the record. False: they are the ones that were there."""
        messages = [to_langchain(m) for m in record["messages"]]
        system = messages.pop(0) if messages and isinstance(messages[0], SystemMessage) else None
        request = ModelRequest(
            model=self.model,
            messages=messages,
            system_message=system,
            tools=record.get("tools") or [],
            state={"messages": messages},
            runtime=self.runtime,
        )
        sent: list[BaseMessage] = []

        def handler(final: ModelRequest) -> ModelResponse:
            sent.extend(final.messages)
            return ModelResponse(result=[AIMessage("ok")])

        with set_config_context({"configurable": {"thread_id": thread}}) as context:
            response = context.run(self.middleware.wrap_model_call, request, handler)
        same = len(sent) == len(messages) and all(a is b for a, b in zip(sent, messages, strict=True))
        if same and not isinstance(response, ExtendedModelResponse):
            return False
        record["messages"] = record["messages"][: system is not None] + convert_to_openai_messages(sent)
        return True


    def replay(self, record: dict[str, Any], thread: str) -> list[int]:
        """How many messages each model call sends."""
        messages = [to_langchain(m) for m in record["messages"]]
        system = messages.pop(0) if messages and isinstance(messages[0], SystemMessage) else None
        ends = [at for at, message in enumerate(messages) if isinstance(message, AIMessage)]
        if messages and not isinstance(messages[-1], AIMessage):
            ends.append(len(messages))
        sent: list[int] = []
        event = None

        def handler(final: ModelRequest) -> ModelResponse:
            sent.append(len(final.messages))
            return ModelResponse(result=[AIMessage("ok")])

        for end in ends:
            state = {"messages": messages[:end], "_summarization_event": event}
            request = ModelRequest(
                model=self.model,
                messages=state["messages"],
                system_message=system,
                tools=record.get("tools") or [],
                state=state,
                runtime=self.runtime,
            )
            with set_config_context({"configurable": {"thread_id": thread}}) as context:
                response = context.run(self.middleware.wrap_model_call, request, handler)
            if isinstance(response, ExtendedModelResponse):
                event = response.command.update["_summarization_event"]
        return sent


def size(text: str) -> tuple[str, Any]:
    kind, _, value = text.partition("=")
    try:
        return kind, KINDS[kind](value)
    except (KeyError, ValueError):
        raise argparse.ArgumentTypeError(f"{text!r} is none; write tokens=N, messages=N or fraction=F") from None


def main() -> int:
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--trigger", type=size, action="append", metavar="KIND=N", help="when to summarise; repeat for OR (default: tokens=8000)")
    ap.add_argument("--keep", type=size, default=("tokens", 2000), metavar="KIND=N", help="what stays (default: tokens=2000)")
    ap.add_argument("--no-truncate", action="store_true", help="leave long arguments of old calls alone")
    how = ap.add_mutually_exclusive_group()
    how.add_argument("--replay", action="store_true", help="one model call before each assistant message")
    how.add_argument("--agent", action="store_true", help="through the whole agent; --trigger is one tokens=N")
    ap.add_argument("--archive", type=Path, metavar="DIR", help="where the history goes (default: a temporary directory)")
    ap.add_argument("--summary", default="The conversation so far, in short.", metavar="TEXT", help="what the fake model answers")
    ap.add_argument("input", type=Path, metavar="IN.jsonl")
    ap.add_argument("output", type=Path, metavar="OUT.jsonl")
    args = ap.parse_args()

    triggers = args.trigger or [("tokens", 8000)]
    if args.agent and [kind for kind, _ in triggers] != ["tokens"]:
        ap.error("--agent takes one --trigger tokens=N")
    transcripts = changed = 0
    with tempfile.TemporaryDirectory(prefix="reference-") as scratch:
        archive = args.archive or Path(scratch)
        if args.agent:
            reference = Agent(triggers[0][1], archive, args.summary)
        else:
            reference = Reference(triggers, args.keep, not args.no_truncate, archive, args.summary)
        with open(args.input, "rb") as lines, open(args.output, "wb") as out:
            for number, line in enumerate(lines, 1):
                if not line.strip():
                    continue
                record = json.loads(line)
                transcripts += 1
                if args.replay:
                    calls = reference.replay(record, str(record.get("thread_id") or f"line-{number}"))
                    out.write(json.dumps(calls).encode() + b"\n")
                    continue
                if reference.compact(record, str(record.get("thread_id") or f"line-{number}")):
                    changed += 1
                    line = json.dumps(record, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
                out.write(line)
        cpu = time.process_time()
    mb = args.input.stat().st_size / 1e6
    print(f"transcripts={transcripts} changed={changed} mb={mb:.3f} cpu_s={cpu - IMPORT_CPU:.3f} cpu_s_with_import={cpu:.3f} mb_per_cpu_s={mb / (cpu - IMPORT_CPU):.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
