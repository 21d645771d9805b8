package io.stele.engine.model;

import java.util.List;

/** A purge policy, which decides what reads see, and what happens under it. */
public record History(Purge purge, List<Step> steps) {
  public History {
    steps = List.copyOf(steps);
  }

  public History withSteps(List<Step> newSteps) {
    return new History(purge, newSteps);
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder("purge ").append(purge.toPolicy());
    for (int i = 0; i < steps.size(); i++) {
      text.append("\n  ").append(i).append(": ").append(steps.get(i));
    }
    return text.toString();
  }
}
