package io.stele.testkit.history;

import io.stele.testkit.history.RegisterCall.CompareAndSet;
import io.stele.testkit.history.RegisterCall.Get;
import io.stele.testkit.history.RegisterCall.Put;
import io.stele.testkit.history.RegisterResult.Done;
import io.stele.testkit.history.RegisterResult.Found;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;

/** Ways to spoil a good history, in which every put writes a value of its own, for certain. */
final class HistoryMutations {
  private HistoryMutations() {}

  /** Empty if the history has no place for it. */
  interface Mutation {
    Optional<List<Operation<RegisterCall, RegisterResult>>> apply(
        List<Operation<RegisterCall, RegisterResult>> history, RandomGenerator random);
  }

  static final List<Mutation> ALL =
      List.of(
          HistoryMutations::staleRead,
          HistoryMutations::ghostRead,
          HistoryMutations::earlyRead,
          HistoryMutations::secondSwap,
          HistoryMutations::valueComesBack);

  /** A read of a value that had been overwritten before the read began. */
  static Optional<List<Operation<RegisterCall, RegisterResult>>> staleRead(
      List<Operation<RegisterCall, RegisterResult>> history, RandomGenerator random) {
    return onSomeRead(
        history,
        random,
        get -> {
          var puts = putsBefore(history, get);
          for (var old : puts) {
            if (puts.stream().anyMatch(newer -> old.returned() < newer.invoked())) {
              return Optional.of(RegisterResult.found(((Put) old.call()).value()));
            }
          }
          return Optional.empty();
        });
  }

  /** A read of a value that was never written. */
  static Optional<List<Operation<RegisterCall, RegisterResult>>> ghostRead(
      List<Operation<RegisterCall, RegisterResult>> history, RandomGenerator random) {
    return onSomeRead(history, random, _ -> Optional.of(RegisterResult.found("ghost")));
  }

  /** A read of a value before anyone asked to write it. */
  static Optional<List<Operation<RegisterCall, RegisterResult>>> earlyRead(
      List<Operation<RegisterCall, RegisterResult>> history, RandomGenerator random) {
    return onSomeRead(
        history,
        random,
        get ->
            history.stream()
                .filter(o -> o.call().key().equals(get.call().key()))
                .filter(o -> o.invoked() > get.returned() && o.call() instanceof Put)
                .findFirst()
                .map(put -> RegisterResult.found(((Put) put.call()).value())));
  }

  /** A second compare-and-set that replaces the value which another has replaced: a lost update. */
  static Optional<List<Operation<RegisterCall, RegisterResult>>> secondSwap(
      List<Operation<RegisterCall, RegisterResult>> history, RandomGenerator random) {
    int start = random.nextInt(history.size());
    for (int i = 0; i < history.size(); i++) {
      var operation = history.get((start + i) % history.size());
      if (operation.call() instanceof CompareAndSet(String key, var expected, _)
          && expected.isPresent()
          && operation.outcome() instanceof Outcome.Returned<RegisterResult>(Done(), long at)) {
        var spoilt = new ArrayList<>(history);
        spoilt.add(
            new Operation<>(
                "second",
                new CompareAndSet(key, expected, Optional.of("second")),
                operation.invoked(),
                new Outcome.Returned<>(RegisterResult.DONE, at)));
        return Optional.of(spoilt);
      }
    }
    return Optional.empty();
  }

  /** At the end, three reads in a row that see a value, another, and the first again. */
  static Optional<List<Operation<RegisterCall, RegisterResult>>> valueComesBack(
      List<Operation<RegisterCall, RegisterResult>> history, RandomGenerator random) {
    var puts =
        history.stream()
            .filter(o -> o.call() instanceof Put)
            .filter(o -> o.call().key().equals(history.getFirst().call().key()))
            .toList();
    if (puts.size() < 2) {
      return Optional.empty();
    }
    int one = random.nextInt(puts.size());
    int other = (one + 1 + random.nextInt(puts.size() - 1)) % puts.size();
    long end = 10_000_000_000L;
    var spoilt = new ArrayList<>(history);
    for (int seen : new int[] {one, other, one}) {
      RegisterResult found = RegisterResult.found(((Put) puts.get(seen).call()).value());
      spoilt.add(
          new Operation<>(
              "reader",
              new Get(puts.get(seen).call().key()),
              end,
              new Outcome.Returned<>(found, end + 5)));
      end += 10;
    }
    return Optional.of(spoilt);
  }

  private interface Lie {
    Optional<RegisterResult> tell(Operation<RegisterCall, RegisterResult> get);
  }

  private static Optional<List<Operation<RegisterCall, RegisterResult>>> onSomeRead(
      List<Operation<RegisterCall, RegisterResult>> history, RandomGenerator random, Lie lie) {
    int start = history.size() / 4 + random.nextInt(history.size() / 2);
    for (int i = start; i < history.size(); i++) {
      var operation = history.get(i);
      if (operation.outcome() instanceof Outcome.Returned<RegisterResult>(Found _, long at)
          && operation.call() instanceof Get) {
        Optional<RegisterResult> told = lie.tell(operation);
        if (told.isPresent()) {
          var spoilt = new ArrayList<>(history);
          spoilt.set(
              i,
              new Operation<>(
                  operation.client(),
                  operation.call(),
                  operation.invoked(),
                  new Outcome.Returned<>(told.get(), at)));
          return Optional.of(spoilt);
        }
      }
    }
    return Optional.empty();
  }

  private static List<Operation<RegisterCall, RegisterResult>> putsBefore(
      List<Operation<RegisterCall, RegisterResult>> history,
      Operation<RegisterCall, RegisterResult> read) {
    return history.stream()
        .filter(o -> o.call() instanceof Put && o.call().key().equals(read.call().key()))
        .filter(o -> o.returned() < read.invoked())
        .toList();
  }
}
