"""Many single reads cost few looks, and no look is older than it may be."""

from __future__ import annotations

from kafka_topology.cluster.live.topics import LiveTopic
from kafka_topology.cluster.outcomes import Failure, FailureKind
from kafka_topology.provider.resources.topic.reads import TopicReads


class CountingCluster:
    def __init__(self, count):
        self.topics = {f"t{n}": LiveTopic(f"t{n}", "id", 1, 1) for n in range(count)}
        self.single = self.whole = 0

    def describe_topics(self, names):
        self.single += 1
        return {name: self.topics.get(name, Failure(FailureKind.MISSING, "gone")) for name in names}

    def describe_all_topics(self):
        self.whole += 1
        return dict(self.topics)


def reads(count=1000):
    cluster, now = CountingCluster(count), [0.0]
    return TopicReads(cluster, lambda: now[0]), cluster, now


def test_a_thousand_reads_eight_at_a_time_cost_a_handful_of_looks():
    topic_reads, cluster, now = reads()
    for at in range(0, 1000, 8):
        names = [f"t{n}" for n in range(at, at + 8)]
        assert [topic.name for topic in topic_reads.read(names)] == names
        now[0] += 0.04
    assert cluster.single <= 2
    assert cluster.whole <= 3


def test_a_few_reads_look_at_nothing_else():
    topic_reads, cluster, _ = reads()
    topic_reads.read(["t1"])
    topic_reads.read(["t2"])
    assert (cluster.single, cluster.whole) == (2, 0)


def test_a_look_answers_neither_after_a_write_nor_after_its_time():
    topic_reads, cluster, now = reads(20)
    everything = list(cluster.topics)
    topic_reads.read(everything)
    del cluster.topics["t1"]
    (still,) = topic_reads.read(["t1"])
    assert isinstance(still, LiveTopic)
    topic_reads.wrote()
    (gone,) = topic_reads.read(["t1"])
    assert isinstance(gone, Failure)
    topic_reads.read(everything)
    del cluster.topics["t2"]
    now[0] += 3
    (gone,) = topic_reads.read(["t2"])
    assert isinstance(gone, Failure)
    assert gone.kind is FailureKind.MISSING


def test_a_topic_that_a_look_does_not_show_is_asked_for_by_name():
    """A list of all topics leaves out those that one may not see; they are not gone."""
    topic_reads, cluster, _ = reads(20)
    cluster.describe_topics = lambda names: {name: Failure(FailureKind.DENIED, "denied") for name in names}
    found = topic_reads.read([*cluster.topics, "hidden"])
    assert all(isinstance(topic, LiveTopic) for topic in found[:-1])
    assert found[-1].kind is FailureKind.DENIED
    (again,) = topic_reads.read(["hidden"])
    assert again.kind is FailureKind.DENIED


def test_a_look_that_takes_long_answers_for_longer():
    topic_reads, cluster, now = reads()
    describe = cluster.describe_all_topics

    def slowly():
        now[0] += 4
        return describe()

    cluster.describe_all_topics = slowly
    for at in range(0, 1000, 8):
        topic_reads.read([f"t{n}" for n in range(at, at + 8)])
        now[0] += 0.1
    assert cluster.whole == 1
