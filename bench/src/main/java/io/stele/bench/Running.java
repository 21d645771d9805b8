package io.stele.bench;

import io.stele.bench.measure.Arena.Entrant;
import io.stele.bench.measure.Arena.Shown;
import io.stele.bench.measure.Footprint;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * What runs of each side, side by side, each with its data in a directory. One is asked at a time.
 *
 * @param <R> what runs of a side
 */
public final class Running<R extends Running.Started> implements AutoCloseable {
  /** Servers of one side that run. */
  public interface Started extends Footprint, AutoCloseable {
    /** That of the side. */
    String name();
  }

  /** How a side is started. */
  public interface Start<S, R> {
    R start(S side, Path directory) throws Exception;
  }

  /** What is done with that which runs of a side. */
  public interface Turn<R, T> {
    T run(R started, int round) throws Exception;
  }

  /** The round of a turn that warms up. */
  public static final int WARM_UP = -1;

  private final Run run;
  private final List<R> started = new ArrayList<>();
  private final List<Path> directories = new ArrayList<>();

  private Running(Run run) {
    this.run = run;
  }

  /**
   * Starts all sides, one after the other; if one of them does not start, none runs.
   *
   * @param directory the name of a side's directory, for its name to be put into
   */
  public static <S extends Side, R extends Started> Running<R> start(
      Run run, List<S> sides, String directory, Start<S, R> start) throws Exception {
    Running<R> running = new Running<>(run);
    try {
      for (S side : sides) {
        Path made = run.directory(directory.formatted(side.name()));
        running.directories.add(made);
        running.started.add(start.start(side, made));
        run.progress().line(side.name() + ": started");
      }
      return running;
    } catch (Exception e) {
      running.close();
      throw e;
    }
  }

  /** Stele's first. */
  public List<R> list() {
    return started;
  }

  /** Does something with each of them. */
  public void forEach(Turn<R, ?> step) throws Exception {
    for (R each : started) {
      var _ = step.run(each, 0);
    }
  }

  /** Lets them take turns. */
  public <T> List<Shown<T>> contest(
      String title, String unit, ToDoubleFunction<? super T> figure, Turn<R, T> turn)
      throws Exception {
    return contest(title, unit, figure, false, turn);
  }

  /** Likewise, after a turn of each that does not count, as round {@link #WARM_UP}. */
  public <T> List<Shown<T>> contestWarm(
      String title, String unit, ToDoubleFunction<? super T> figure, Turn<R, T> turn)
      throws Exception {
    return contest(title, unit, figure, true, turn);
  }

  private <T> List<Shown<T>> contest(
      String title,
      String unit,
      ToDoubleFunction<? super T> figure,
      boolean warmUp,
      Turn<R, T> turn)
      throws Exception {
    List<Entrant<T>> entrants = new ArrayList<>();
    for (R each : started) {
      entrants.add(
          new Entrant<>(
              each.name(),
              each,
              () -> {
                if (warmUp) {
                  var _ = turn.run(each, WARM_UP);
                }
              },
              round -> turn.run(each, round)));
    }
    return run.contest(title, unit, figure, entrants);
  }

  @Override
  public void close() throws Exception {
    for (R each : started) {
      each.close();
    }
    for (Path directory : directories) {
      run.delete(directory);
    }
  }
}
