package io.stele.testkit.history;

import io.stele.testkit.history.RegisterCall.CompareAndSet;
import io.stele.testkit.history.RegisterCall.Delete;
import io.stele.testkit.history.RegisterCall.Get;
import io.stele.testkit.history.RegisterCall.Put;
import io.stele.testkit.history.RegisterModel.Held;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;

/** Linearizability by its definition, for histories of a few operations. */
final class EveryOrder {
  private static final RegisterModel MODEL = new RegisterModel();

  private EveryOrder() {}

  static boolean linearizable(List<Operation<RegisterCall, RegisterResult>> history) {
    return goesOn(MODEL.initial(), history);
  }

  private static boolean goesOn(Held state, List<Operation<RegisterCall, RegisterResult>> left) {
    if (left.stream().allMatch(o -> o.outcome() instanceof Outcome.Unknown<RegisterResult>)) {
      return true;
    }
    for (var next : left) {
      if (left.stream().anyMatch(other -> other.returned() < next.invoked())) {
        continue;
      }
      Optional<Held> after =
          switch (next.outcome()) {
            case Outcome.Returned<RegisterResult>(var result, _) ->
                MODEL.after(state, next.call(), result);
            case Outcome.Unknown<RegisterResult>() -> Optional.of(MODEL.after(state, next.call()));
          };
      if (after.isPresent()) {
        var rest = new ArrayList<>(left);
        rest.remove(next);
        if (goesOn(after.get(), rest)) {
          return true;
        }
      }
    }
    return false;
  }

  /** Few values, so that they repeat; answers at random, so that many fit and many do not. */
  static List<Operation<RegisterCall, RegisterResult>> smallHistory(RandomGenerator random) {
    List<Operation<RegisterCall, RegisterResult>> history = new ArrayList<>();
    int size = 2 + random.nextInt(6);
    for (int i = 0; i < size; i++) {
      long invoked = random.nextInt(30);
      long returned = invoked + random.nextInt(15);
      RegisterCall call = call(random);
      Outcome<RegisterResult> outcome =
          random.nextInt(4) == 0
              ? new Outcome.Unknown<>()
              : new Outcome.Returned<>(result(call, random), returned);
      history.add(new Operation<>("c" + i, call, invoked, outcome));
    }
    return history;
  }

  private static RegisterCall call(RandomGenerator random) {
    return switch (random.nextInt(8)) {
      case 0, 1, 2 -> new Get("/a");
      case 3, 4 -> new Put("/a", text(random));
      case 5 -> new Delete("/a");
      default -> new CompareAndSet("/a", value(random), value(random));
    };
  }

  private static RegisterResult result(RegisterCall call, RandomGenerator random) {
    return switch (call) {
      case Put _, Delete _ -> RegisterResult.DONE;
      case Get _ -> new RegisterResult.Found(value(random));
      case CompareAndSet _ ->
          switch (random.nextInt(3)) {
            case 0 -> RegisterResult.DONE;
            case 1 -> RegisterResult.UNEQUAL;
            default -> new RegisterResult.Found(value(random));
          };
    };
  }

  private static String text(RandomGenerator random) {
    return "v" + random.nextInt(2);
  }

  private static Optional<String> value(RandomGenerator random) {
    return random.nextInt(3) == 0 ? Optional.empty() : Optional.of(text(random));
  }
}
