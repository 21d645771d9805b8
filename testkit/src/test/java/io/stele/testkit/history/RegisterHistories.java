package io.stele.testkit.history;

import io.stele.base.time.RandomSource;
import io.stele.testkit.history.RegisterCall.CompareAndSet;
import io.stele.testkit.history.RegisterCall.Delete;
import io.stele.testkit.history.RegisterCall.Get;
import io.stele.testkit.history.RegisterCall.Put;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * Histories as clients of a correct store see them: each call takes effect at one moment between
 * its invocation and its return, those of unknown outcome also much later or never.
 */
final class RegisterHistories {
  private final RandomGenerator random;
  private final int clients;
  private final int keys;
  private final double unknown;
  private final boolean told;
  private int values;

  /**
   * @param unknown the share of calls without an answer
   * @param told whether a failed compare-and-set tells what it found
   */
  RegisterHistories(long seed, int clients, int keys, double unknown, boolean told) {
    this.random = RandomSource.seeded(seed);
    this.clients = clients;
    this.keys = keys;
    this.unknown = unknown;
    this.told = told;
  }

  private static final class Planned {
    final String client;
    final RegisterCall call;
    final long invoked;
    final long returned;
    final boolean answered;
    final long effect;
    Optional<RegisterResult> result = Optional.empty();

    Planned(
        String client,
        RegisterCall call,
        long invoked,
        long returned,
        boolean answered,
        long effect) {
      this.client = client;
      this.call = call;
      this.invoked = invoked;
      this.returned = returned;
      this.answered = answered;
      this.effect = effect;
    }

    Operation<RegisterCall, RegisterResult> operation() {
      Outcome<RegisterResult> outcome =
          answered && result.isPresent()
              ? new Outcome.Returned<>(result.get(), returned)
              : new Outcome.Unknown<>();
      return new Operation<>(client, call, invoked, outcome);
    }
  }

  List<Operation<RegisterCall, RegisterResult>> generate(int operations) {
    List<Planned> plan = new ArrayList<>();
    long[] free = new long[clients];
    Map<String, List<String>> written = new HashMap<>();
    for (int i = 0; i < operations; i++) {
      int client = i % clients;
      long invoked = free[client] + 1 + random.nextInt(200);
      long returned = invoked + 1 + random.nextInt(1000);
      free[client] = returned;
      boolean answered = random.nextDouble() >= unknown;
      long effect = invoked + random.nextLong(returned - invoked + 1);
      if (!answered) {
        effect =
            switch (random.nextInt(3)) {
              case 0 -> effect;
              case 1 -> returned + random.nextLong(200_000);
              default -> Long.MAX_VALUE;
            };
      }
      plan.add(new Planned("c" + client, call(written), invoked, returned, answered, effect));
    }
    execute(plan);
    return plan.stream()
        .sorted(Comparator.comparingLong(planned -> planned.invoked))
        .map(Planned::operation)
        .toList();
  }

  private RegisterCall call(Map<String, List<String>> written) {
    String key = "/k" + random.nextInt(keys);
    List<String> known = written.computeIfAbsent(key, _ -> new ArrayList<>());
    int kind = random.nextInt(10);
    if (kind < 5) {
      return new Get(key);
    }
    if (kind == 5) {
      return new Delete(key);
    }
    String value = "v" + ++values;
    Optional<String> expected =
        known.isEmpty() || random.nextInt(5) == 0
            ? Optional.empty()
            : Optional.of(known.get(Math.max(0, known.size() - 1 - random.nextInt(3))));
    known.add(value);
    return kind < 8 ? new Put(key, value) : new CompareAndSet(key, expected, Optional.of(value));
  }

  private void execute(List<Planned> plan) {
    RegisterModel model = new RegisterModel();
    Map<String, RegisterModel.Held> store = new HashMap<>();
    plan.stream()
        .filter(planned -> planned.effect != Long.MAX_VALUE)
        .sorted(Comparator.comparingLong(planned -> planned.effect))
        .forEach(
            planned -> {
              RegisterModel.Held before = store.getOrDefault(planned.call.key(), model.initial());
              planned.result = Optional.of(answer(planned.call, before));
              store.put(planned.call.key(), model.after(before, planned.call));
            });
  }

  private RegisterResult answer(RegisterCall call, RegisterModel.Held before) {
    return switch (call) {
      case Get _ -> new RegisterResult.Found(before.value());
      case Put _, Delete _ -> RegisterResult.DONE;
      case CompareAndSet(_, var expected, _) ->
          expected.equals(before.value())
              ? RegisterResult.DONE
              : told ? new RegisterResult.Found(before.value()) : RegisterResult.UNEQUAL;
    };
  }
}
