#!/usr/bin/env python3
"""Makes data sets of logs for every target, and reads them as trainers do.

    scripts/validate_datasets.py EPITOME FILE...

`datasets.load_dataset` must load each directory with its splits, columns and number of samples. No sample may be
without an answer to train on, or above the token limit. With an EPITOME that was built with the feature `tokenizers`,
tokens are those of `transformers`: a small tokenizer is trained here, with two chat templates, and the sums of
`report.json` must be those of `apply_chat_template`. The trainers themselves do not run: which answers they train on
follows from their documented rules. Exit status 1 at the first difference.

Needs `pip install datasets transformers jinja2`.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import datasets
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

TARGETS = ["openai", "trl", "trl-messages", "axolotl", "llamafactory", "sharegpt", "anthropic"]
LIMITS = [2000, 8000]
SPECIAL = ["<|im_start|>", "<|im_end|>", "<s>", "</s>"]

CHATML = """{%- if tools %}
    {{- '<|im_start|>system\\n# Tools\\n' }}
    {%- for tool in tools %}
        {{- tool | tojson }}
        {{- "\\n" }}
    {%- endfor %}
    {{- '<|im_end|>\\n' }}
{%- endif %}
{%- for message in messages %}
    {%- if message.role == 'assistant' %}
        {{- '<|im_start|>assistant\\n' }}
        {%- generation %}
        {{- message.content.strip() }}
        {%- for call in message.tool_calls or [] %}
            {{- '\\n<tool_call>\\n{"name": "' + call.function.name + '", "arguments": ' + (call.function.arguments | tojson) + '}\\n</tool_call>' }}
        {%- endfor %}
        {{- '<|im_end|>' }}
        {%- endgeneration %}
        {{- '\\n' }}
    {%- else %}
        {{- '<|im_start|>' + message['role'] + '\\n' + message['content'] | trim + '<|im_end|>\\n' }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"""

INST = """{{ bos_token }}
{%- set ns = namespace(turn=0) -%}
{% if messages[0]['role'] == 'system' %}{% set system = messages[0]['content'] %}{% set loop_messages = messages[1:] %}{% else %}{% set system = none %}{% set loop_messages = messages %}{% endif %}
{% for message in loop_messages %}
    {% if message['role'] == 'user' %}
        {%- set ns.turn = ns.turn + 1 -%}
        [INST] {% if loop.first and system is not none %}{{ system }} {% endif %}{{ message['content'] }} #{{ ns.turn }} [/INST]
    {% elif message['role'] == 'tool' %}
[RESULT] {{ message.get('name') }} {{ {'content': message['content']} | tojson(indent=4) }} [/RESULT]
    {% elif message['role'] == 'assistant' %}
{%- if 'tool_calls' in message %}{{ message['tool_calls'] }}{% endif %}{{ message['content'] }}{{ eos_token }}
    {% else %}{{ raise_exception('no role ' + message['role']) }}
    {% endif %}
{% endfor %}"""


def fail(text):
    sys.exit(f"validate_datasets: {text}")


def make_model(folder, template, files, eos="</s>"):
    """Trains a tokenizer on the logs and writes it as the folder of a model. Returns it as transformers read it."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=1500, special_tokens=SPECIAL, initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()), show_progress=False
    )
    tokenizer.train_from_iterator((pathlib.Path(path).read_text(encoding="utf-8", errors="replace")[:200_000] for path in files), trainer)
    return save_model(folder, template, tokenizer, eos)


def copy_model(folder, template, path, eos="</s>"):
    """Writes a tokenizer.json as the folder of a model, with the special tokens of the templates here."""
    return save_model(folder, template, Tokenizer.from_file(str(path)), eos)


def save_model(folder, template, tokenizer, eos):
    model = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token="<s>", eos_token=eos, pad_token="</s>", additional_special_tokens=SPECIAL[:2]
    )
    model.chat_template = template
    model.save_pretrained(folder)
    return model


def has_tokenizers(epitome, folder, model, path):
    """Returns true if the program was built with tokenizers."""
    probe = subprocess.run(
        [epitome, "dataset", "-o", folder / "probe", "--tokenizer", model, path], capture_output=True, text=True
    )
    return "without tokenizers" not in probe.stderr


def without_none(value):
    if isinstance(value, dict):
        return {key: without_none(item) for key, item in value.items() if item is not None}
    if isinstance(value, list):
        return [without_none(item) for item in value]
    return value


def trained_answers(target, row):
    """The messages of a row that its trainer trains on."""
    if target == "trl":
        return [message for message in row["completion"] if message["role"] == "assistant"]
    if target == "sharegpt":
        return [turn for turn in row["conversations"] if turn["from"] in ("gpt", "function_call")]
    marks = {"openai": ("weight", 1), "axolotl": ("train", True), "llamafactory": ("loss_weight", 1.0)}
    answers = [message for message in row["messages"] if message["role"] == "assistant"]
    if target in marks:
        key, value = marks[target]
        return [message for message in answers if message.get(key) == value]
    return answers


def run(epitome, files, folder, options):
    child = subprocess.run(
        [epitome, "dataset", *files, "-o", folder, "--max-errors", "all", "--quiet", *options], capture_output=True, text=True
    )
    if child.returncode != 0:
        fail(f"{options}: status {child.returncode}\n{child.stderr}")
    return json.loads((folder / "report.json").read_text())["totals"]["dataset"]


def load(folder, cache):
    return datasets.load_dataset(str(folder), cache_dir=str(cache), download_mode="force_redownload")


def chats_of(target, row):
    """The messages and tools that TRL gives to the template."""
    messages = row["prompt"] + row["completion"] if target == "trl" else row["messages"]
    return without_none(messages), without_none(row["tools"])


def check(target, totals, loaded, limit, model):
    for split in totals["splits"]:
        rows = loaded[split["split"]] if split["samples"] else []
        if len(rows) != split["samples"]:
            fail(f"{target}: {len(rows)} rows in {split['split']}, {split['samples']} in the report")
        tokens = longest = answers = 0
        for row in rows:
            trained = trained_answers(target, without_none(row))
            answers += len(trained)
            if not trained:
                fail(f"{target}: no answer to train on: {str(row)[:300]}")
            if model and target in ("trl", "trl-messages"):
                messages, tools = chats_of(target, row)
                count = len(model.apply_chat_template(messages, tools=tools, return_dict=False))
                if count > limit:
                    fail(f"{target}: {count} tokens, above {limit}: {str(row)[:300]}")
                tokens, longest = tokens + count, max(longest, count)
        if model and target in ("trl", "trl-messages") and (tokens, longest) != (split["tokens"], split["longest"]):
            fail(f"{target}: {tokens} tokens, longest {longest} by transformers, {split['tokens']} and {split['longest']} in the report")
        if target in ("openai", "trl", "axolotl", "llamafactory") and answers != split["answers"]:
            fail(f"{target}: {answers} answers are trained on, {split['answers']} in the report")


def main():
    epitome, *files = sys.argv[1:]
    datasets.disable_progress_bars()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        models_made = {name: make_model(folder / name, template, files) for name, template in [("chatml", CHATML), ("inst", INST)]}
        renders = has_tokenizers(epitome, folder, folder / "chatml", files[0])
        samples = 0
        for name, model in models_made.items():
            for limit in LIMITS:
                for target in TARGETS:
                    out = folder / f"{name}-{limit}-{target}"
                    options = ["--to", target, "--max-tokens", str(limit), "--split", "train=0.8,test=0.2", "--shuffle", "3"]
                    options += ["--tokenizer", folder / name] if renders else ["--counter", "o200k_base"]
                    totals = run(epitome, files, out, options)
                    check(target, totals, load(out, folder / "cache"), limit, model if renders else None)
                    samples += sum(split["samples"] for split in totals["splits"])
    print(f"{samples} samples of {len(files)} files loaded, tokens by {'transformers' if renders else 'o200k_base'}")


if __name__ == "__main__":
    main()
