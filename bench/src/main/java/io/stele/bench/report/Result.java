package io.stele.bench.report;

import io.stele.bench.measure.Better;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One line of a benchmark's report.
 *
 * @param name the case
 * @param unit of both figures
 * @param peer the peer's figure; null if the peer is absent
 * @param peerName says so if the peer is absent
 * @param ratio how many times better Stele is: above 1 it always is, whatever the unit; null if
 *     there is nothing to compare with
 * @param goal the least ratio that is wanted; null if the figures are only told
 */
public record Result(
    String name,
    String unit,
    double stele,
    @Nullable Double peer,
    String peerName,
    @Nullable Double ratio,
    @Nullable Double goal,
    String note) {

  /** A figure of Stele's beside the peer's, if that is there. */
  public static Result beside(
      String name,
      String unit,
      Better better,
      double stele,
      Optional<Double> peer,
      String peerName,
      @Nullable Double goal,
      String note) {
    Double theirs = peer.orElse(null);
    Double ratio = theirs == null ? null : (Double) better.ratio(stele, theirs);
    return new Result(name, unit, stele, theirs, peerName, ratio, goal, note);
  }

  /**
   * How Stele's cost has grown, 1 meaning not at all: it is held against itself, and the peer's
   * growth only shown.
   */
  public static Result growth(
      String name,
      String unit,
      double stele,
      Optional<Double> peer,
      String peerName,
      double mostGrowth,
      String note) {
    return new Result(
        name, unit, stele, peer.orElse(null), peerName, 1 / stele, 1 / mostGrowth, note);
  }

  /**
   * A cost of Stele's that must not exceed a bound: it is held against that, and the peer's only
   * shown.
   */
  public static Result bounded(
      String name,
      String unit,
      double stele,
      Optional<Double> peer,
      String peerName,
      double bound,
      String note) {
    return new Result(name, unit, stele, peer.orElse(null), peerName, bound / stele, 1.0, note);
  }

  /**
   * Whether the goal is met by the ratio as it is shown, so that the two never contradict each
   * other; nothing if there is no goal, or nothing to compare with.
   */
  public Optional<Boolean> met() {
    Double wanted = goal;
    Double reached = ratio;
    return wanted == null || reached == null
        ? Optional.empty()
        : Optional.of(shown(reached) >= shown(wanted));
  }

  private static double shown(double figure) {
    return Figures.number(figure).doubleValue();
  }
}
