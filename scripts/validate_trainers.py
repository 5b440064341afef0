#!/usr/bin/env python3
"""Reads data sets with the trainers' own code, and compares what each would train on with what is marked.

    scripts/validate_trainers.py EPITOME [--tokens 2000,8000] [--tokenizer MODEL_DIR] [--record | --recorded RECORD] FILE...

| reader | what it does here |
|---|---|
| TRL | `SFTTrainer` prepares the samples for a tiny model that is made here; its masks are read |
| Axolotl | the strategy `chat_template` makes labels |
| LLaMA-Factory | the ShareGPT converter splits turns, v1 renders labels |
| OpenAI | the rules of its guide to fine-tuning |

The texts that a reader trains on must be those of the answers that are marked, one by one. No sample may be longer than
its budget by the count of `transformers`, if EPITOME has the feature `tokenizers`. A reader that is not installed is
skipped with a word. Exit status 1 at the first difference.

The trainers bring 6 GB. With `--record RECORD` what they trained on is written down, sample by sample, with the day and
their versions; with `--recorded RECORD` these texts stand in for the trainers. A sample that they never saw is a failure:
then the data sets changed, and the trainers have to read them again.

Needs `pip install datasets transformers jinja2`, and of `torch trl accelerate`, `axolotl` and `llamafactory` (both with
`--no-deps`, and `colorama addict` for Axolotl) what is to be read with.
"""

import argparse
import contextlib
import datetime
import hashlib
import importlib
import importlib.metadata
import importlib.util
import io
import json
import os
import pathlib
import sys
import tempfile

os.environ["HF_HUB_OFFLINE"] = "1"
sys.path.insert(0, str(pathlib.Path(__file__).parent))
import validate_datasets as data  # noqa: E402

END = "<|im_end|>"
TEXTS_OF_CALLS = '\n<tool_call>\n{{"name": "{name}", "arguments": {arguments}}}\n</tool_call>'


class Sample:
    """A row with the answers that are marked, and its place for messages."""

    def __init__(self, place, row, marked):
        self.place, self.row, self.marked = place, row, marked


def answer_text(message):
    """The text of an answer as the template `CHATML` renders it, without its frame."""
    calls = message.get("tool_calls") or []
    texts = []
    for call in calls:
        arguments = call["function"]["arguments"]
        # The filter `tojson` of transformers, which does not escape.
        texts.append(TEXTS_OF_CALLS.format(name=call["function"]["name"], arguments=json.dumps(arguments, ensure_ascii=False)))
    return message["content"].strip() + "".join(texts)


def spans(ids, is_trained):
    """The runs of tokens that are trained on."""
    found, run = [], []
    for token, trained in zip(ids, is_trained):
        if trained:
            run.append(token)
        elif run:
            found.append(run)
            run = []
    return found + [run] if run else found


def compare(trainer, sample, found, per_call=False):
    """Holds what a trainer trains on against what is marked, and records it."""
    wanted = trainer.wanted(sample, per_call)
    RECORDING.trained[RECORDING.key(trainer, sample, per_call)] = found
    if found != wanted:
        pairs = [(f, w) for f, w in zip(found, wanted) if f != w]
        data.fail(
            f"{trainer.__name__}: {sample.place}: {len(found)} answers are trained on, {len(wanted)} marked; first difference "
            f"{str(pairs[:1])[:600]}"
        )


class Recording:
    """What each trainer trained on, by the sample that it was given."""

    def __init__(self, path=None):
        kept = json.loads(path.read_text(encoding="utf-8")) if path else {}
        self.date, self.versions, self.trained = kept.get("date"), kept.get("versions", {}), kept.get("trained", {})

    def key(self, trainer, sample, per_call):
        row = json.dumps([sample.row, per_call], sort_keys=True).encode()
        return f"{trainer.__name__} {hashlib.sha256(row).hexdigest()[:16]}"

    def write(self, path):
        versions = {}
        for package in ["trl", "axolotl", "llamafactory", "transformers", "torch"]:
            with contextlib.suppress(importlib.metadata.PackageNotFoundError):
                versions[package] = importlib.metadata.version(package)
        kept = {"date": datetime.date.today().isoformat(), "versions": versions, "trained": self.trained}
        path.write_text(json.dumps(kept, indent=1, ensure_ascii=False, sort_keys=True) + "\n", encoding="utf-8")


RECORDING = Recording()


def compare_with_recorded(trainer):
    """A reader that reads what `trainer` made of a sample when it was recorded."""

    class Recorded:
        targets, needs = trainer.targets, "json"

        def __init__(self, *_):
            pass

        def read(self, target, rows, samples, limit, per_call):
            for sample in samples:
                found = RECORDING.trained.get(RECORDING.key(trainer, sample, per_call))
                if found is None:
                    data.fail(f"{trainer.__name__} has not read the sample {sample.place}: {AGAIN}")
                compare(trainer, sample, found, per_call)

    Recorded.__name__ = f"{trainer.__name__} (recorded on {RECORDING.date})"
    return Recorded


AGAIN = "run this script with --record where the trainers are installed (.ci/run --weekly has them), and commit the record"


class Trl:
    """The preparation of `SFTTrainer`."""

    targets = ["trl", "trl-messages"]
    needs = "trl"

    def __init__(self, model, folder):
        from transformers import LlamaConfig, LlamaForCausalLM

        self.trl = importlib.import_module("trl")
        self.tokenizer, self.folder = model, folder
        size = dict(hidden_size=8, intermediate_size=8, num_hidden_layers=1, num_attention_heads=1, num_key_value_heads=1)
        self.model = LlamaForCausalLM(LlamaConfig(vocab_size=len(model), **size))

    def read(self, target, rows, samples, limit, per_call):
        options = dict(output_dir=str(self.folder / "trl"), use_cpu=True, bf16=False, report_to=[], max_length=limit)
        # With a single answer in each completion, TRL's defaults are enough.
        config = self.trl.SFTConfig(assistant_only_loss=not per_call, **options)
        trainer = self.trl.SFTTrainer(model=self.model, args=config, train_dataset=rows, processing_class=self.tokenizer)
        prepared = trainer.train_dataset
        if len(prepared) != len(samples):
            data.fail(f"TRL: {len(prepared)} of {len(samples)} samples are prepared")
        for sample, read in zip(samples, prepared):
            ids = read["input_ids"]
            if len(ids) > limit:
                data.fail(f"TRL: {sample.place}: {len(ids)} tokens, above {limit}")
            labels = trainer.data_collator([read])["labels"][0].tolist()
            trained = [label != -100 for label in labels]
            found = [self.tokenizer.decode(span) for span in spans(ids, trained)]
            compare(Trl, sample, found, per_call)

    @staticmethod
    def wanted(sample, per_call):
        end = END + "\n" if per_call else END
        return [answer_text(message) + end for message in sample.marked]


class Axolotl:
    """The strategy `chat_template`, configured as the data set card says."""

    targets = ["axolotl"]
    needs = "axolotl"

    def __init__(self, model, _):
        with contextlib.redirect_stdout(io.StringIO()):
            strategies = importlib.import_module("axolotl.prompt_strategies.chat_template")
            attributes = importlib.import_module("axolotl.utils.dict").DictDefault
        self.tokenizer = model
        dataset = {"type": "chat_template", "field_messages": "messages", "message_field_training": "train", "roles_to_train": []}
        config = attributes({"train_on_inputs": False, "sequence_len": 1 << 20, "chat_template": "tokenizer_default"})
        self.strategy = strategies.load(model, config, ds_cfg=attributes(dataset))

    def read(self, target, rows, samples, limit, per_call):
        for sample in samples:
            read = self.strategy.tokenize_prompt(dict(sample.row))
            if len(read["input_ids"]) > limit:
                data.fail(f"Axolotl: {sample.place}: {len(read['input_ids'])} tokens, above {limit}")
            trained = [label != -100 for label in read["labels"]]
            found = [self.tokenizer.decode(span) for span in spans(read["input_ids"], trained)]
            compare(Axolotl, sample, found)

    @staticmethod
    def wanted(sample, _):
        return [answer_text(as_objects(message)) + END for message in sample.marked]


def as_objects(message):
    """A message with the arguments of its calls as objects, as Axolotl gives them to the template."""
    copy = json.loads(json.dumps(message))
    for call in copy.get("tool_calls") or []:
        with contextlib.suppress(ValueError):
            call["function"]["arguments"] = json.loads(call["function"]["arguments"])
    return copy


class LlamaFactory:
    """The ShareGPT converter of release 0.9, which joins prompt and response."""

    targets = ["sharegpt"]
    needs = "llamafactory"

    def __init__(self, *_):
        module, attributes = importlib.import_module("validate_llamafactory").load_converter()
        attributes = attributes("file", "test", formatting="sharegpt", system="system", tools="tools")
        self.converter = module.SharegptDatasetConverter(dataset_attr=attributes, data_args=None)

    def read(self, target, rows, samples, limit, per_call):
        for sample in samples:
            read = self.converter({"system": "", "tools": "", **sample.row})
            turns = read["_prompt"] + read["_response"]
            found = [turn["content"] for turn in turns if turn["role"] in ("assistant", "function")]
            compare(LlamaFactory, sample, found)
            if len(turns) != len(sample.row["conversations"]):
                data.fail(f"LLaMA-Factory: {sample.place}: {len(turns)} of {len(sample.row['conversations'])} turns are read")

    @staticmethod
    def wanted(sample, _):
        return [turn["value"] for turn in sample.marked]


class LlamaFactoryV1:
    """The weights of LLaMA-Factory v1, as its renderer reads them."""

    targets = ["llamafactory"]
    needs = "llamafactory"

    def __init__(self, *_):
        pass

    def read(self, target, rows, samples, limit, per_call):
        roles, kinds = {"system", "user", "assistant", "tool"}, {"text", "tool_call"}
        for sample in samples:
            for message in sample.row["messages"]:
                blocks = message["content"]
                if message["role"] not in roles or not blocks or any(block["type"] not in kinds for block in blocks):
                    data.fail(f"LLaMA-Factory v1: {sample.place}: {str(message)[:200]}")
                for block in blocks:
                    if block["type"] == "tool_call" and {"name", "arguments"} - json.loads(block["value"]).keys():
                        data.fail(f"LLaMA-Factory v1: {sample.place}: {block['value'][:200]}")
                if message["loss_weight"] > 0 and message["role"] != "assistant":
                    data.fail(f"LLaMA-Factory v1: {sample.place}: a message of the {message['role']} has a weight")
            json.loads(sample.row.get("tools") or "[]")


class OpenAi:
    """The rules of OpenAI's guide to fine-tuning for chats."""

    targets = ["openai"]
    needs = "json"
    keys = {"role", "content", "name", "tool_calls", "tool_call_id", "weight"}

    def __init__(self, *_):
        pass

    def read(self, target, rows, samples, limit, per_call):
        for sample in samples:
            fault = self.fault(sample.row)
            if fault:
                data.fail(f"OpenAI: {sample.place}: {fault}")

    def fault(self, row):
        if set(row) - {"messages", "tools", "parallel_tool_calls"}:
            return f"other keys: {sorted(row)}"
        messages, open_calls = row["messages"], {}
        for message in messages:
            role = message["role"]
            if role not in ("system", "user", "assistant", "tool"):
                return f"the role {role}"
            if set(message) - self.keys:
                return f"other keys in a message: {sorted(message)}"
            if not isinstance(message.get("content"), str) or not (message["content"] or message.get("tool_calls") or role == "tool"):
                return f"a message of the {role} without content"
            if ("weight" in message) and (role != "assistant" or message["weight"] not in (0, 1)):
                return "a weight that is not 0 or 1, or not on an answer"
            if role == "tool":
                if open_calls.pop(message.get("tool_call_id"), None) is None:
                    return "a result without its call"
            elif open_calls:
                return "a call without its result"
            for call in message.get("tool_calls") or []:
                json.loads(call["function"]["arguments"])
                if call["type"] != "function" or not call["function"]["name"] or call["id"] in open_calls:
                    return f"a malformed call: {call}"
                open_calls[call["id"]] = True
        if messages[-1]["role"] != "assistant":
            return "no answer at the end"
        for tool in row.get("tools") or []:
            if tool["type"] != "function" or not tool["function"]["name"]:
                return f"a malformed tool: {str(tool)[:200]}"
        return None


READERS = [Trl, Axolotl, LlamaFactory, LlamaFactoryV1, OpenAi]


def load_samples(target, out, folder):
    """The rows of a data set as `datasets` loads them, and as samples."""
    loaded = data.load(out, folder / "cache")
    for split in loaded:
        rows = loaded[split]
        plain = [data.without_none(row) for row in rows]
        yield rows, [Sample(f"{out.name} {split}[{number}]", row, data.trained_answers(target, row)) for number, row in enumerate(plain)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("epitome")
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("--tokens", default="2000,8000", help="the budgets")
    parser.add_argument("--tokenizer", type=pathlib.Path, help="a tokenizer.json that counts beside the one that is made here")
    record = parser.add_mutually_exclusive_group()
    record.add_argument("--record", type=pathlib.Path, metavar="RECORD", help="write down what the trainers trained on")
    record.add_argument("--recorded", type=pathlib.Path, metavar="RECORD", help="let this record stand in for the trainers")
    arguments = parser.parse_args()
    global RECORDING
    RECORDING = Recording(arguments.recorded)
    data.datasets.disable_progress_bars()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        models = [data.make_model(folder / "made", data.CHATML, arguments.files, eos=END)]
        folders = [folder / "made"]
        if arguments.tokenizer:
            models.append(data.copy_model(folder / "shipped", data.CHATML, arguments.tokenizer, eos=END))
            folders.append(folder / "shipped")
        # A record holds for every version of `tokenizers`: its samples are those of a counter of our own.
        is_recorded = arguments.record or arguments.recorded
        renders = not is_recorded and data.has_tokenizers(arguments.epitome, folder, folders[0], arguments.files[0])
        # Before any is loaded: LLaMA-Factory's converter is loaded without what stands around it.
        known = [compare_with_recorded(reader) if arguments.recorded and hasattr(reader, "wanted") else reader for reader in READERS]
        readers = [reader for reader in known if arguments.recorded or importlib.util.find_spec(reader.needs)]
        for reader in known:
            if reader not in readers:
                print(f"skipped: {reader.__name__}, as {reader.needs} is not installed")
        for model, model_folder in zip(models, folders):
            for reader in readers:
                read_with(reader(model, folder), arguments, model, model_folder, renders, folder)
        if arguments.record:
            RECORDING.write(arguments.record)


def read_with(reader, arguments, model, model_folder, renders, folder):
    name, count, answers = type(reader).__name__, 0, 0
    for limit in map(int, arguments.tokens.split(",")):
        for target in reader.targets:
            for per_call in [False, True] if target == "trl" else [False]:
                out = folder / f"{model_folder.name}-{name}-{target}-{limit}-{per_call}"
                options = ["--to", target, "--max-tokens", str(limit), "--columns", "drop"] + ["--per-call"] * per_call
                options += ["--tokenizer", model_folder] if renders else ["--counter", "o200k_base"]
                if arguments.record or arguments.recorded:
                    # The words of a summary may change; what is trained on does not hang on them.
                    options += ["--summarizer", "none"]
                totals = data.run(arguments.epitome, arguments.files, out, options)
                if totals["splits"][0]["samples"] == 0:
                    continue
                most = limit if renders else 1 << 20
                for rows, samples in load_samples(target, out, folder):
                    empty = [sample for sample in samples if not sample.marked]
                    if empty:
                        data.fail(f"{name}: {empty[0].place}: no answer to train on")
                    reader.read(target, rows, samples, most, per_call)
                    count += len(samples)
                    answers += sum(len(sample.marked) for sample in samples)
    by = "transformers" if renders else "o200k_base"
    print(f"{name}: {count} samples, {answers} answers trained on as marked, with {model_folder.name} ({len(model)} tokens), budgets by {by}")


if __name__ == "__main__":
    main()
