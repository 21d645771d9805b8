package io.stele.replicas.push;

import io.stele.base.time.Clock;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/** What all replicas of a server share. */
public record ReplicaParts(
    Partners partners,
    Clock clock,
    RandomGenerator random,
    PushSettings settings,
    Consumer<? super ReplicaEvent> events) {}
