package io.stele.bench.measure;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/**
 * Where sides take turns: each runs once in every round, so that whatever changes on the machine
 * meets all of them, and in every second round in reverse order, so that none is always first. The
 * median of its rounds is a side's figure. While one is measured, the others are idle: what they
 * use of the machine all the same, and what other processes use, is noise.
 */
public final class Arena {
  /** One turn, set up and torn down by itself. Rounds count from 0. */
  public interface Turn<T> {
    T run(int round) throws Exception;
  }

  /** Something that is done once. */
  public interface Step {
    void run() throws Exception;
  }

  /**
   * Who takes part.
   *
   * @param name for the progress lines and notes
   * @param warmUp done once, before the first round
   */
  public record Entrant<T>(String name, Footprint footprint, Step warmUp, Turn<T> turn) {
    /** One that is in this process. */
    public Entrant(String name, Step warmUp, Turn<T> turn) {
      this(name, Footprint.THIS_PROCESS, warmUp, turn);
    }
  }

  /**
   * What an entrant showed.
   *
   * @param samples one a round
   * @param figure the median of all rounds
   * @param serverSeconds of processor time in all rounds
   * @param clientSeconds likewise, this process included
   * @param others the largest share of the machine that anything but this side used in a round
   * @param idle the largest share that the sides beside it used
   */
  public record Shown<T>(
      String name,
      List<T> samples,
      double figure,
      double serverSeconds,
      double clientSeconds,
      OptionalDouble others,
      double idle) {

    /** The median of something else than the figure. */
    public double median(ToDoubleFunction<? super T> of) {
      return Median.of(samples.stream().mapToDouble(of).toArray());
    }
  }

  private final int rounds;
  private final Progress progress;

  public Arena(int rounds, Progress progress) {
    this.rounds = rounds;
    this.progress = progress;
  }

  /**
   * Runs all rounds.
   *
   * @param figure what is taken from each sample, such as its rate
   * @return in the order of the entrants
   */
  public <T> List<Shown<T>> contest(
      String title, String unit, ToDoubleFunction<? super T> figure, List<Entrant<T>> entrants)
      throws Exception {
    List<List<T>> samples = new ArrayList<>();
    List<List<CpuMeter.Use>> uses = new ArrayList<>();
    for (Entrant<T> entrant : entrants) {
      entrant.warmUp().run();
      samples.add(new ArrayList<>());
      uses.add(new ArrayList<>());
    }
    List<Footprint> footprints = entrants.stream().map(Entrant::footprint).toList();
    System.gc(); // what was there before is collected now, and not in the middle of a turn
    for (int round = 0; round < rounds; round++) {
      for (int i : order(entrants.size(), round)) {
        Entrant<T> entrant = entrants.get(i);
        CpuMeter meter = new CpuMeter(entrant.footprint(), footprints);
        T sample = entrant.turn().run(round);
        uses.get(i).add(meter.stop());
        samples.get(i).add(sample);
        progress.line(
            String.format(
                Locale.ROOT,
                "%-22s %d/%d  %-34s %,14.1f %s",
                title,
                round + 1,
                rounds,
                entrant.name(),
                figure.applyAsDouble(sample),
                unit));
      }
    }
    List<Shown<T>> shown = new ArrayList<>();
    for (int i = 0; i < entrants.size(); i++) {
      shown.add(shown(entrants.get(i).name(), samples.get(i), uses.get(i), figure));
    }
    return shown;
  }

  /** Who comes when in a round. */
  private static int[] order(int entrants, int round) {
    return IntStream.range(0, entrants).map(i -> round % 2 == 0 ? i : entrants - 1 - i).toArray();
  }

  private static <T> Shown<T> shown(
      String name, List<T> samples, List<CpuMeter.Use> uses, ToDoubleFunction<? super T> figure) {
    return new Shown<>(
        name,
        List.copyOf(samples),
        Median.of(samples.stream().mapToDouble(figure).toArray()),
        uses.stream().mapToDouble(CpuMeter.Use::servers).sum(),
        uses.stream().mapToDouble(CpuMeter.Use::clients).sum(),
        uses.stream().map(CpuMeter.Use::others).flatMapToDouble(OptionalDouble::stream).max(),
        uses.stream().mapToDouble(CpuMeter.Use::idle).max().orElse(0));
  }
}
