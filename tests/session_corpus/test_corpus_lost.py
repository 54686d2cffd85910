"""Workers that are killed, runs that are broken off: nothing is lost, and nothing counts twice."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace

import pytest

import clearhead as ch
from clearhead.session.corpus import workers
from clearhead.session.corpus.given import files_of
from clearhead.session.corpus.parts import place_of, read_part
from clearhead.session.corpus.readers import reader_of
from clearhead.session.corpus.run import _settings
from clearhead.session.corpus.units import Order, units_of
from clearhead.session.corpus.work import Job, work

distributed = pytest.importorskip("distributed")


class Stop(Exception):
    """Breaks a run off."""


def worker_processes():
    """The processes that multiprocessing started from this one and that work."""
    import psutil

    children = psutil.Process().children(recursive=True)
    return [one for one in children if "spawn_main" in " ".join(one.cmdline())]


def test_with_two_workers_of_which_one_is_killed_in_the_middle(model, corpus, tmp_path, settings, alone):
    killed, seen = [], []

    def kill(done, total):
        seen.append((done, total))
        if done >= 1 and not killed:
            victim = worker_processes()[0]
            os.kill(victim.pid, signal.SIGKILL)
            killed.append(victim)

    ch.corpus_statistics(model, corpus, tmp_path / "t.parquet", workers=2, progress=kill, **settings)
    assert (tmp_path / "t.parquet").read_bytes() == alone.path.read_bytes()
    assert killed
    assert not killed[0].is_running()
    total = seen[0][1]
    assert total > 11
    assert [done for done, _ in seen] == list(range(total + 1))  # every unit once, whoever did it
    assert not (tmp_path / "t.parquet.parts").exists()


def test_a_run_that_was_broken_off_goes_on_where_it_was(model, corpus, tmp_path, settings, alone):
    def stop(done, total):
        if done == 5:
            raise Stop

    output, folder = tmp_path / "t.parquet", tmp_path / "t.parquet.parts"
    with pytest.raises(Stop):
        ch.corpus_statistics(model, corpus, output, progress=stop, **settings)
    parts = sorted(folder.iterdir())
    assert len(parts) == 5
    assert not output.exists()
    raw = bytearray(parts[2].read_bytes())
    raw[len(raw) // 2] ^= 1  # damaged on the disk
    parts[2].write_bytes(raw)
    parts[3].write_bytes(parts[4].read_bytes())  # the part of another unit under its name
    left = folder / f"{parts[1].stem}.x.unfinished"
    left.write_bytes(b"half")  # of a worker that was killed while it wrote
    seen = []
    ch.corpus_statistics(model, corpus, output, progress=lambda done, total: seen.append(done), **settings)
    assert seen[0] == 3
    assert output.read_bytes() == alone.path.read_bytes()
    assert not folder.exists()


def test_other_settings_never_take_parts_that_are_not_theirs(model, corpus, tmp_path, settings):
    def stop(done, total):
        if done == 5:
            raise Stop

    with pytest.raises(Stop):
        ch.corpus_statistics(model, corpus, tmp_path / "t.parquet", progress=stop, **settings)
    seen = []
    other = settings | {"length": 11}
    ch.corpus_statistics(
        model, corpus, tmp_path / "t.parquet", progress=lambda done, total: seen.append(done), **other
    )
    assert seen[0] == 0
    assert len(list((tmp_path / "t.parquet.parts").iterdir())) == 5


def test_a_unit_that_is_done_twice_overwrites_itself(model, corpus, tmp_path):
    order = Order(model)
    identity = reader_of(order).identity
    settings = _settings(identity, 13, 1, 1)
    units = list(units_of(files_of(corpus, 113, False, [], print), settings))
    assert len({unit.name for unit in units}) == len(units)
    job = Job(order, settings, str(tmp_path))
    assert work(job, units[0]) == ""
    first = place_of(tmp_path, units[0].name).read_bytes()
    assert work(job, units[0]) == ""
    assert place_of(tmp_path, units[0].name).read_bytes() == first
    assert read_part(tmp_path, units[0].name).sequences > 1
    assert read_part(tmp_path, units[1].name) is None
    assert len(list(tmp_path.glob("*.npz"))) == 1
    assert not list(tmp_path.glob("*.unfinished"))


def test_a_worker_with_another_model_or_version_is_noticed(model, corpus, tmp_path):
    order = Order(model)
    identity = reader_of(order).identity
    settings = _settings(identity, 13, 1, 1)
    unit = next(units_of(files_of(corpus, 113, False, [], print), settings))
    with pytest.raises(ch.CorpusError, match="a worker has another model under this name"):
        work(Job(order, replace(settings, model="another"), str(tmp_path)), unit)
    older = tuple((name, "0" if name == "numpy" else version) for name, version in identity.versions)
    with pytest.raises(ch.CorpusError, match=r"workers: numpy is .* for one and not for another"):
        work(Job(order, replace(settings, versions=older), str(tmp_path)), unit)
    assert not list(tmp_path.glob("*.npz"))


def test_workers_that_are_lost_again_and_again_end_it_and_what_is_done_is_kept(
    model, corpus, tmp_path, settings, alone
):
    import dask

    output = tmp_path / "t.parquet"
    killed = []

    def kill(done, total):
        if done == 3:
            for victim in worker_processes():
                os.kill(victim.pid, signal.SIGKILL)
                killed.append(victim.pid)

    with dask.config.set({"distributed.scheduler.allowed-failures": 0}):
        cluster = distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None,
            worker_dashboard_address=None, silence_logs=50,
        )  # fmt: skip
        with cluster, pytest.raises(ch.CorpusError) as error:
            ch.corpus_statistics(
                model, corpus, output, scheduler=cluster.scheduler_address, progress=kill, **settings
            )
    assert killed
    assert "every worker that was given it was lost (as when memory runs out); what is done is kept" in str(
        error.value
    )
    assert not output.exists()
    seen = []
    ch.corpus_statistics(model, corpus, output, progress=lambda done, total: seen.append(done), **settings)
    assert seen[0] >= 3
    assert output.read_bytes() == alone.path.read_bytes()


def test_a_scheduler_without_workers_is_said(corpus, tmp_path, monkeypatch):
    monkeypatch.setattr(workers, "PATIENCE", 1.0)
    with pytest.raises(ch.CorpusError, match=r"scheduler: tcp://127.0.0.1:9 does not answer"):
        ch.corpus_statistics("study", corpus, tmp_path / "t.parquet", scheduler="tcp://127.0.0.1:9")
    with pytest.raises(ch.CorpusError, match="scheduler: nonsense://x does not answer"):
        ch.corpus_statistics("study", corpus, tmp_path / "t.parquet", scheduler="nonsense://x")
    with (
        distributed.LocalCluster(
            n_workers=0, host="127.0.0.1", dashboard_address=None, silence_logs=50
        ) as cluster,
        pytest.raises(ch.CorpusError, match="has no workers; expected at least one"),
    ):
        ch.corpus_statistics("study", corpus, tmp_path / "t.parquet", scheduler=cluster.scheduler_address)


def test_when_the_last_worker_is_gone_it_is_said(tmp_path, monkeypatch):
    """A worker that nobody starts again: real, in a process of its own."""
    monkeypatch.setattr(workers, "PATIENCE", 20.0)
    path = tmp_path / "a.txt"
    path.write_text("the woman calls bread milk honey ! bread milk\n" * 97)
    with distributed.LocalCluster(
        n_workers=0, host="127.0.0.1", dashboard_address=None, silence_logs=50
    ) as cluster:
        options = ["--no-nanny", "--nthreads", "1", "--no-dashboard"]
        lone = subprocess.Popen(
            [sys.executable, "-m", "distributed.cli.dask_worker", cluster.scheduler_address, *options],
            cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip

        def kill(done, total):
            if done == 2:
                lone.kill()
                lone.wait()
                monkeypatch.setattr(workers, "PATIENCE", 2.0)

        try:
            with pytest.raises(
                ch.CorpusError, match="workers: all are lost, and no new one came; what is done is kept"
            ):
                ch.corpus_statistics(
                    "study", [path], tmp_path / "t.parquet", scheduler=cluster.scheduler_address, piece=113,
                    progress=kill,
                )  # fmt: skip
        finally:
            lone.kill()
            lone.wait()
    assert len(list((tmp_path / "t.parquet.parts").iterdir())) >= 2


def test_a_scheduler_that_is_gone_is_said(tmp_path, monkeypatch):
    """Both it and its worker real, in processes of their own."""
    monkeypatch.setattr(workers, "PATIENCE", 10.0)
    path, known = tmp_path / "a.txt", tmp_path / "scheduler.json"
    path.write_text("the woman calls bread milk honey ! bread milk\n" * 97)
    started = []

    def start(module, *options):
        words = [sys.executable, "-m", f"distributed.cli.{module}", *options, "--no-dashboard"]
        started.append(
            subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        )

    def kill(done, total):
        if done == 2:
            started[0].kill()
            started[0].wait()

    start("dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(known))
    start("dask_worker", "--scheduler-file", str(known), "--no-nanny", "--nthreads", "1")
    try:
        while not known.exists() or not known.read_text().endswith("}"):
            assert started[0].poll() is None
            time.sleep(0.1)
        address = json.loads(known.read_text())["address"]
        with distributed.Client(address, timeout=300, set_as_default=False) as client:
            client.wait_for_workers(1)
        with pytest.raises(ch.CorpusError, match=r"scheduler: is gone .*; what is done is kept"):
            ch.corpus_statistics(
                "study", [path], tmp_path / "t.parquet", scheduler=address, piece=113, progress=kill
            )
    finally:
        for one in started:
            one.kill()
            one.wait()
    assert len(list((tmp_path / "t.parquet.parts").iterdir())) >= 2
