#!/usr/bin/env python3
"""Converts logs to ShareGPT and reads the result with LLaMA-Factory's own converter.

    scripts/validate_llamafactory.py EPITOME FILE...

The converter skips a sample that it finds abnormal, with a line in its log and nothing else. So every sample must
come out with all its turns, its system prompt and its tools, and alternate as the converter wants it. Exit status 1 if
one does not. Needs a Python with the package llamafactory (`pip install --no-deps llamafactory`): what else it
imports is not needed for this part of it.
"""

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import json
import pathlib
import subprocess
import sys
import tempfile
import types


class Absent(types.ModuleType):
    """A module that is not installed. Whatever is taken from it is another of its kind."""

    __path__ = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Absent(f"{self.__name__}.{name}")

    def __call__(self, *arguments, **_):
        # As a decorator it leaves the function as it is.
        return arguments[0] if arguments and callable(arguments[0]) else self


class AbsentModules(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Stands in for heavy modules that the converter imports and does not use."""

    NAMES = {"datasets", "fsspec", "huggingface_hub", "peft", "torch", "transformers"}

    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in self.NAMES:
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        return Absent(spec.name)

    def exec_module(self, module):
        pass


def load_converter():
    """The converter's module and the attributes of a data set, without what the packages import around them."""
    root = pathlib.Path(importlib.util.find_spec("llamafactory").submodule_search_locations[0])
    sys.meta_path.insert(0, AbsentModules())
    for name in ["llamafactory", "llamafactory.data", "llamafactory.extras"]:
        package = types.ModuleType(name)
        package.__path__ = [str(root.joinpath(*name.split(".")[1:]))]
        sys.modules[name] = package
    converter = importlib.import_module("llamafactory.data.converter")
    return converter, importlib.import_module("llamafactory.data.parser").DatasetAttr


def convert(epitome, files, folder):
    """The samples that epitome writes of the files, each with its place."""
    for number, path in enumerate(files):
        output = folder / str(number)
        child = subprocess.run(
            [epitome, "convert", path, "--to", "sharegpt", "-o", output, "--max-errors", "all"], capture_output=True, text=True
        )
        if child.returncode != 0:
            sys.exit(f"{path}: status {child.returncode}\n{child.stderr}")
        for written in sorted(output.glob("*.json*")):
            if written.name.startswith("report."):
                continue
            for line, record in enumerate(written.read_text(encoding="utf-8").splitlines(), 1):
                sample = json.loads(record)
                # A record that could not be converted stands as it was.
                if "conversations" in sample:
                    yield f"{path}:{line}", sample


def main():
    epitome, *files = sys.argv[1:]
    module, attributes = load_converter()
    attributes = attributes("file", "test", formatting="sharegpt", system="system", tools="tools")
    converter = module.SharegptDatasetConverter(dataset_attr=attributes, data_args=None)
    samples, single, wrong = 0, 0, []
    with tempfile.TemporaryDirectory() as folder:
        for place, sample in convert(str(pathlib.Path(epitome).resolve()), files, pathlib.Path(folder)):
            if len(sample["conversations"]) == 1:
                # Nothing can be learnt from a question alone.
                single += 1
                continue
            samples += 1
            read = converter({"system": "", "tools": "", **sample})
            turns = [turn["content"] for turn in read["_prompt"] + read["_response"]]
            if turns != [turn["value"] for turn in sample["conversations"]]:
                wrong.append(f"{place}: {len(turns)} of {len(sample['conversations'])} turns are read")
            elif (read["_system"], read["_tools"]) != (sample.get("system", ""), sample.get("tools", "")):
                wrong.append(f"{place}: the system prompt or the tools are lost")
    print("\n".join(wrong))
    print(f"{samples} samples read by LLaMA-Factory's converter, {len(wrong)} not as written; {single} of a single turn")
    if wrong or not samples:
        sys.exit(1)


if __name__ == "__main__":
    main()
