package io.stele.replicas.push;

import io.stele.base.time.Clock;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/**
 * What all replicas of a server share.
 *
 * @param clock for waits
 * @param time the clock whose time goes along with messages, and which learns from theirs
 */
public record ReplicaParts(
    Partners partners,
    Clock clock,
    HybridClock time,
    RandomGenerator random,
    PushSettings settings,
    Consumer<? super ReplicaEvent> events) {}
