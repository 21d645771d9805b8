package io.stele.testkit.history;

import io.stele.testkit.history.RegisterCall.CompareAndSet;
import io.stele.testkit.history.RegisterCall.Delete;
import io.stele.testkit.history.RegisterCall.Get;
import io.stele.testkit.history.RegisterCall.Put;
import io.stele.testkit.history.RegisterResult.Done;
import io.stele.testkit.history.RegisterResult.Found;
import io.stele.testkit.history.RegisterResult.Unequal;
import java.util.Optional;

/**
 * A key-value store of which every key is a register: the last value put, or nothing. It finds the
 * most when every put writes a value of its own.
 */
public final class RegisterModel
    implements Model<RegisterModel.Held, RegisterCall, RegisterResult> {

  /** What a key holds; empty is absence. */
  public record Held(Optional<String> value) {
    @Override
    public String toString() {
      return value.orElse("(absent)");
    }
  }

  private static final Held NOTHING = new Held(Optional.empty());

  @Override
  public Held initial() {
    return NOTHING;
  }

  @Override
  public String partition(RegisterCall call) {
    return call.key();
  }

  @Override
  public Optional<Held> after(Held state, RegisterCall call, RegisterResult result) {
    return possible(state, call, result) ? Optional.of(after(state, call)) : Optional.empty();
  }

  private static boolean possible(Held state, RegisterCall call, RegisterResult result) {
    return switch (call) {
      case Put _, Delete _ -> result instanceof Done;
      case Get _ -> result instanceof Found(var value) && value.equals(state.value);
      case CompareAndSet(_, var expected, _) ->
          switch (result) {
            case Done() -> state.value.equals(expected);
            case Unequal() -> !state.value.equals(expected);
            case Found(var value) -> state.value.equals(value) && !value.equals(expected);
          };
    };
  }

  @Override
  public Held after(Held state, RegisterCall call) {
    return switch (call) {
      case Get _ -> state;
      case Put(_, String value) -> new Held(Optional.of(value));
      case Delete _ -> NOTHING;
      case CompareAndSet(_, var expected, var replacement) ->
          state.value.equals(expected) ? new Held(replacement) : state;
    };
  }

  @Override
  public boolean changesNothing(RegisterCall call, RegisterResult result) {
    return changesNothing(call) || (call instanceof CompareAndSet && !(result instanceof Done));
  }

  @Override
  public boolean changesNothing(RegisterCall call) {
    return call instanceof Get;
  }

  @Override
  public Optional<Held> requires(RegisterCall call, RegisterResult result) {
    if (result instanceof Found(var value)) {
      return Optional.of(new Held(value));
    }
    return call instanceof CompareAndSet(_, var expected, _) && result instanceof Done
        ? Optional.of(new Held(expected))
        : Optional.empty();
  }

  @Override
  public Optional<Held> changesOnlyIn(RegisterCall call) {
    return call instanceof CompareAndSet(_, var expected, _)
        ? Optional.of(new Held(expected))
        : Optional.empty();
  }

  @Override
  public boolean overwrites(RegisterCall call) {
    return call instanceof Put || call instanceof Delete;
  }

  @Override
  public boolean overwrites(RegisterCall call, RegisterResult result) {
    return overwrites(call) && result instanceof Done;
  }

  @Override
  public Optional<Held> produces(RegisterCall call) {
    return switch (call) {
      case Get _ -> Optional.empty();
      case Put(_, String value) -> Optional.of(new Held(Optional.of(value)));
      case Delete _ -> Optional.of(NOTHING);
      case CompareAndSet(_, _, var replacement) -> Optional.of(new Held(replacement));
    };
  }
}
