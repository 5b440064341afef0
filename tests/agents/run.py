#!/usr/bin/env python3
"""Live agents resume the sessions that epitome compacted.

Usage: run.py EPITOME [AGENT...]. Needs node 22, and `npm ci --ignore-scripts` in this directory before. An agent that is
not installed is skipped with a word: npm leaves Claude Code and pi out for an older node.

Each agent talks with a model server of ours for some turns, and keeps its log. epitome compacts the log, the agent
resumes it, and the questions that it then sends must hold what epitome says they will: each message of the log as it
is before the question, in order, and nothing that was removed. The log that went on is compacted again, and goes on
again. Where epitome has a preset of the agent, this is done under it, too.
"""

import collections
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from model_server import ModelServer

HERE = pathlib.Path(__file__).resolve().parent
PACKAGES = HERE / "node_modules"
TURNS = 6
# Compactions of a session, and questions after each of them.
COMPACTIONS = 2
QUESTIONS = 3
CUT = ["--trigger", "messages=6", "--keep", "messages=3"]
SECONDS = 120


def question(number):
    return f"QUESTION-{number}: what does the log of day {number} say?"


class Agent:
    """A live agent in a home folder of its own. Each kind knows its settings, its commands and its log."""

    name = ""
    package = ""
    preset = None

    def __init__(self, folder, server):
        self.folder, self.server = folder, server
        self.work = folder / "work"
        self.work.mkdir()
        self.environment = {"PATH": os.environ["PATH"], "HOME": str(folder), **self.settings()}

    @classmethod
    def program(cls):
        """The program, or None if it is not installed."""
        path = PACKAGES / ".bin" / cls.name
        return path if path.exists() else None

    @classmethod
    def version(cls):
        return json.loads((PACKAGES / cls.package / "package.json").read_text())["version"]

    def settings(self):
        """Writes the settings. Returns the variables of the environment."""
        raise NotImplementedError

    def arguments(self, is_first, text):
        raise NotImplementedError

    def ask(self, number):
        return self.run(*self.arguments(number == 0, question(number)))

    def run(self, *arguments):
        command = [str(self.program()), *map(str, arguments)]
        child = subprocess.run(
            command, cwd=self.work, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS
        )
        assert child.returncode == 0, f"{command}: status {child.returncode}\n{child.stderr.decode()[-2000:]}"
        return child.stdout

    def newest_file(self, pattern):
        """The log that was written last: Gemini CLI begins another file with each minute in which it is resumed."""
        files = [path for path in self.folder.glob(pattern) if path.is_file()]
        assert files, f"no file {pattern}"
        return max(files, key=lambda path: path.stat().st_mtime_ns)

    def take_log(self):
        """The log of the session. Its name counts for some agents."""
        return self.newest_file(self.log)

    def put_log(self, path):
        shutil.copyfile(path, self.take_log())


class Codex(Agent):
    name, package, log = "codex", "@openai/codex", ".codex/sessions/**/*.jsonl"
    preset = "codex"

    def settings(self):
        home = self.folder / ".codex"
        home.mkdir()
        (home / "config.toml").write_text(
            'model = "gpt-5-codex"\nmodel_provider = "test"\ncheck_for_update_on_startup = false\n'
            'approval_policy = "never"\nsandbox_mode = "read-only"\n[analytics]\nenabled = false\n'
            f'[model_providers.test]\nname = "Test"\nbase_url = "{self.server.url}/v1"\nenv_key = "TEST_KEY"\n'
            'wire_api = "responses"\nrequest_max_retries = 0\nstream_max_retries = 0\n'
        )
        return {"CODEX_HOME": str(home), "TEST_KEY": "x"}

    def arguments(self, is_first, text):
        return ["exec", "--skip-git-repo-check", *([] if is_first else ["resume", "--last"]), text]


class ClaudeCode(Agent):
    name, package, log = "claude", "@anthropic-ai/claude-code", ".claude/projects/*/*.jsonl"
    preset = "claude-code"

    @classmethod
    def program(cls):
        # The package's own command is made by a script of its installation.
        return next((PACKAGES / "@anthropic-ai").glob("claude-code-*/claude"), None)

    def settings(self):
        (self.folder / ".claude.json").write_text('{"hasCompletedOnboarding": true, "projects": {}}')
        switches = ["CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "DISABLE_TELEMETRY", "DISABLE_AUTOUPDATER"]
        return {
            "CLAUDE_CONFIG_DIR": str(self.folder / ".claude"),
            "ANTHROPIC_BASE_URL": self.server.url,
            "ANTHROPIC_API_KEY": "x",
            **dict.fromkeys([*switches, "DISABLE_ERROR_REPORTING"], "1"),
        }

    def arguments(self, is_first, text):
        return ["-p", "--model", "claude-sonnet-4-5", *([] if is_first else ["--continue"]), text]


class GeminiCli(Agent):
    name, package, log = "gemini", "@google/gemini-cli", ".gemini/tmp/*/chats/*.json*"

    def settings(self):
        home = self.folder / ".gemini"
        home.mkdir()
        off = {"general": {"enableAutoUpdate": False}, "privacy": {"usageStatisticsEnabled": False}}
        key = {"security": {"auth": {"selectedType": "gemini-api-key"}}, "telemetry": {"enabled": False}}
        (home / "settings.json").write_text(json.dumps({**off, **key}))
        return {
            "GEMINI_API_KEY": "x",
            "GOOGLE_GEMINI_BASE_URL": self.server.url,
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
            "NO_BROWSER": "1",
        }

    def arguments(self, is_first, text):
        return ["-m", "gemini-2.5-pro", *([] if is_first else ["--resume", "latest"]), "-p", text]


class Pi(Agent):
    name, package, log = "pi", "@earendil-works/pi-coding-agent", ".pi/agent/sessions/**/*.jsonl"
    preset = "pi"

    def settings(self):
        home = self.folder / ".pi" / "agent"
        home.mkdir(parents=True)
        model = {"id": "m", "name": "m", "reasoning": False, "input": ["text"], "contextWindow": 400000, "maxTokens": 8000}
        provider = {"baseUrl": f"{self.server.url}/v1", "api": "openai-completions", "apiKey": "x", "models": [model]}
        (home / "models.json").write_text(json.dumps({"providers": {"test": provider}}))
        return {"PI_OFFLINE": "1"}

    def arguments(self, is_first, text):
        return ["--offline", "--provider", "test", "--model", "m", *([] if is_first else ["--continue"]), "-p", text]


class OpenCode(Agent):
    name, package = "opencode", "opencode-linux-x64"

    @classmethod
    def program(cls):
        path = PACKAGES / cls.package / "bin" / "opencode"
        return path if path.exists() else None

    def settings(self):
        model = {"m": {"name": "m", "tool_call": True, "limit": {"context": 400000, "output": 8000}}}
        options = {"baseURL": f"{self.server.url}/v1", "apiKey": "x"}
        provider = {"npm": "@ai-sdk/openai-compatible", "name": "Test", "options": options, "models": model}
        config = {"autoupdate": False, "share": "disabled", "snapshot": False, "model": "test/m", "small_model": "test/m"}
        (self.folder / "config.json").write_text(json.dumps({**config, "provider": {"test": provider}}))
        switches = ["OPENCODE_DISABLE_MODELS_FETCH", "OPENCODE_DISABLE_AUTOUPDATE", "OPENCODE_DISABLE_DEFAULT_PLUGINS"]
        self.session, self.stores = None, 0
        return {"OPENCODE_CONFIG": str(self.folder / "config.json"), **dict.fromkeys(switches, "1"), **self.store("first")}

    def store(self, name):
        """The variables of a store of its own: an import into a store that has the session changes nothing."""
        kinds = ["DATA", "CONFIG", "STATE", "CACHE"]
        return {f"XDG_{kind}_HOME": str(self.folder / name / kind.lower()) for kind in kinds}

    def arguments(self, is_first, text):
        session = ["--session", self.session] if self.session else ["--continue"]
        return ["run", *([] if is_first else session), text]

    def take_log(self):
        sessions = json.loads(self.run("session", "list", "--format", "json"))
        assert len(sessions) == 1, sessions
        self.session = sessions[0]["id"]
        path = self.folder / "session.json"
        path.write_bytes(self.run("export", self.session))
        return path

    def put_log(self, path):
        self.stores += 1
        self.environment |= self.store(f"store{self.stores}")
        self.run("import", path.resolve())


AGENTS = [Codex, ClaudeCode, GeminiCli, Pi, OpenCode]


def run_epitome(program, *arguments):
    command = [str(program), *map(str, arguments)]
    child = subprocess.run(command, capture_output=True, text=True)
    assert child.returncode == 0, f"{command}: status {child.returncode}\n{child.stderr}"
    return child.stdout


def strings(value):
    """All strings in a JSON value, in order."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from strings(item)


def marks(text):
    """How often each question and answer is named."""
    return collections.Counter(re.findall(r"(?:QUESTION|ANSWER)-\d+:", text))


def texts_of(message):
    content = message["content"]
    parts = [content] if isinstance(content, str) else [part.get("text", "") for part in content or []]
    return [part for part in parts if part]


def read_log(program, log, folder):
    """The texts that epitome finds in a log, in the order in which the agent will send them."""
    folder.mkdir()
    source, chat = folder / "log", folder / "chat"
    source.mkdir()
    shutil.copyfile(log, source / log.name)
    run_epitome(program, "convert", source / log.name, "--to", "openai", "-o", chat)
    converted = next(path for path in chat.iterdir() if path.name.startswith(log.stem) and "report" not in path.name)
    messages = json.loads(converted.read_text().splitlines()[0])["messages"]
    spoken = [message for message in messages if message["role"] not in ("system", "developer")]
    return [text for message in spoken for text in texts_of(message)]


def compact(program, log, folder, preset):
    """Compacts a log. Returns the compacted log."""
    folder.mkdir()
    source, output = folder / "logs", folder / "out"
    source.mkdir()
    shutil.copyfile(log, source / log.name)
    policy = ["--preset", preset] if preset else []
    run_epitome(program, "compact", source, "-o", output, *CUT, *policy)
    totals = json.loads((output / "report.json").read_text())["totals"]
    assert totals["compacted"] == 1 and "summarize" in totals["stages"], f"nothing was summarized: {totals}"
    return output / log.name


def check_request(agent, number, predicted):
    """Asks a question. The agent must send what was predicted, in order, and nothing else that was said."""
    before = len(agent.server.questions)
    agent.ask(number)
    sent = [body for body in agent.server.questions[before:] if question(number) in "\n".join(strings(body))]
    assert sent, f"the agent did not ask question {number}"
    request = "\n".join(strings(sent[-1]))
    at = 0
    for text in predicted:
        found = request.find(text.strip(), at)
        assert found >= 0, f"question {number}: not sent, or not in its place: {text[:300]}\nin\n{request[-6000:]}"
        at = found + len(text.strip())
    wanted = marks("\n".join([*predicted, question(number)]))
    assert marks(request) == wanted, f"question {number}: sent {marks(request)}, predicted {wanted}"


def check_agent(kind, program, preset):
    """Lets an agent resume a session that was compacted, go on, and resume it once more after a second compaction.
    Before each question the log is read again. Returns the number of texts that it sent as predicted."""
    count = 0
    with tempfile.TemporaryDirectory() as folder, ModelServer() as server:
        folder = pathlib.Path(folder).resolve()
        agent = kind(folder, server)
        for number in range(TURNS):
            agent.ask(number)
        number = TURNS
        for compaction in range(COMPACTIONS):
            compacted = compact(program, agent.take_log(), folder / f"compaction{compaction}", preset)
            agent.put_log(compacted)
            log = compacted
            for _ in range(QUESTIONS):
                predicted = read_log(program, log, folder / f"before{number}")
                check_request(agent, number, predicted)
                count += len(predicted)
                number += 1
                log = agent.take_log()
    return count


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    names = sys.argv[2:]
    assert set(names) <= {kind.name for kind in AGENTS}, f"agents are {[kind.name for kind in AGENTS]}"
    for kind in AGENTS:
        if names and kind.name not in names:
            continue
        if kind.program() is None:
            print(f"skipped: {kind.name} is not installed")
            continue
        for preset in filter(None, ["deepagents", kind.preset]):
            count = check_agent(kind, program, preset)
            print(f"{kind.name} {kind.version()} resumed under {preset}, and sent {count} texts as predicted", flush=True)


if __name__ == "__main__":
    main()
