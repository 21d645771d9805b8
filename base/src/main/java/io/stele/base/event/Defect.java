package io.stele.base.event;

import java.util.Optional;

/**
 * An exception that nobody expected.
 *
 * @param id by which the client that met it knows it
 * @param where the interface that was to answer
 */
public record Defect(String id, String where, Throwable cause) implements Event {
  @Override
  public Level level() {
    return Level.ERROR;
  }

  @Override
  public String text() {
    return "defect %s in %s: %s".formatted(id, where, cause);
  }

  @Override
  public Optional<Throwable> trace() {
    return Optional.of(cause);
  }
}
