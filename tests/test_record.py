import io
import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from unifilter.record import Record, read, write_atomically


def record(seed: int = 0) -> Record:
    return Record(
        "unifilter", {"K": 10}, {"lr": 0.1}, {"name": "cora"}, {"name": "quota"}, seed, {"test": {}}
    )


def test_a_record_comes_back_from_its_line():
    one = record()
    assert Record.from_json(one.to_json()) == one


def test_a_record_says_what_it_was_made_with():
    assert {"python", "torch", "unifilter"} <= set(record().versions)


def test_threads_may_append_to_one_file(tmp_path):
    file = tmp_path / "deep" / "record.jsonl"
    threads = [threading.Thread(target=record(s).append, args=(file,)) for s in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(r.seed for r in read(file)) == list(range(20))


def test_a_last_line_that_was_cut_short_is_left_out(tmp_path):
    file = tmp_path / "record.jsonl"
    record().append(file)
    with file.open("a") as stream:
        stream.write(record(1).to_json()[:30])
    assert [r.seed for r in read(file)] == [0]


def test_a_broken_line_in_the_middle_is_named(tmp_path):
    file = tmp_path / "record.jsonl"
    file.write_text("{broken\n" + record().to_json() + "\n")
    with pytest.raises(ValueError, match="line 1"):
        read(file)


def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch):
    file = tmp_path / "a.json"
    write_atomically(file, "old")

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr("os.replace", fail)
    with pytest.raises(OSError, match="disk full"):
        write_atomically(file, json.dumps("new"))
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]


def test_a_line_that_was_cut_short_is_mended_before_others_follow(tmp_path):
    file = tmp_path / "records.jsonl"
    record(0).append(file)
    with file.open("a") as stream:
        stream.write('{"model": "unif')
    before = file.read_bytes()
    assert [r.seed for r in read(file)] == [0]
    assert file.read_bytes() == before  # whoever reads changes nothing: another may be writing
    for seed in (1, 2):
        record(seed).append(file)
    assert [r.seed for r in read(file)] == [0, 1, 2]
    assert file.read_bytes().startswith(before)


def test_a_disk_that_is_full_is_told(tmp_path, monkeypatch):
    class Full(io.BytesIO):
        def write(self, data):
            return super().write(data[:5])

    whole = Path.open
    monkeypatch.setattr(
        Path, "open", lambda self, *of, **more: Full() if "a+b" in of else whole(self, *of, **more)
    )
    with pytest.raises(OSError, match="No space left"):
        record().append(tmp_path / "records.jsonl")


def test_text_is_utf_8_whatever_the_locale(tmp_path):
    code = f"from unifilter.record import write_atomically as w; w({str(tmp_path / 'a.html')!r}, '\\u03c4')"
    subprocess.run([sys.executable, "-X", "utf8=0", "-c", code], env=os.environ | {"LC_ALL": "C"}, check=True)
    assert (tmp_path / "a.html").read_text(encoding="utf-8") == "τ"
