#!/usr/bin/env python3
"""Train the small tokenizer of the tests and write it, with texts and how many tokens they have, to fixtures/tokenizer.

    python3 -m venv env && env/bin/pip install tokenizers==0.23.3
    env/bin/python scripts/make-tokenizer.py

It has what a count must not follow: truncation, padding, and tokens that a post-processor adds.
"""
import json
from pathlib import Path

from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "fixtures" / "tokenizer"
SPECIAL = ["<|endoftext|>", "<s>", "</s>"]
TEXTS = [
    "",
    " ",
    "Hello, world!",
    "Don't panic: count 12345 tokens, 你好！",
    "    if x:\r\n\r\n\t\treturn\n\n",
    "é e\u0301 ﬁne ＡＢＣ",
    "😀👍🏽 日本語 かな 한국어",
    "<|endoftext|><s>plain text</s>",
    "=" * 300 + " " * 300 + "x",
    "The user wants to change the flight to the next day. " * 4,
    '{"path": "src/main.rs", "lines": [1, 2, 3], "ok": true}',
]


def strings(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from strings(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from strings(item)


def main() -> None:
    lines = (ROOT / "fixtures" / "demo" / "sessions.jsonl").read_text().splitlines()
    texts = [text for line in lines for text in strings(json.loads(line))]
    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(vocab_size=600, special_tokens=SPECIAL, initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()), show_progress=False)
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.encode_special_tokens = True
    counts = [{"text": text, "tokens": len(tokenizer.encode(text, add_special_tokens=False).ids)} for text in TEXTS]
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A </s>", special_tokens=[("<s>", 1), ("</s>", 2)])
    tokenizer.enable_truncation(8)
    tokenizer.enable_padding(length=8)
    OUT.mkdir(exist_ok=True)
    tokenizer.save(str(OUT / "tokenizer.json"), pretty=False)
    (OUT / "counts.json").write_text(json.dumps(counts, ensure_ascii=False, indent=1) + "\n")


if __name__ == "__main__":
    main()
