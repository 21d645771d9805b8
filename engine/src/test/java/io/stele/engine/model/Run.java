package io.stele.engine.model;

import io.stele.base.bytes.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Plays a history on something and writes down what it answers, one line per step that has an
 * answer.
 *
 * @param <S> a snapshot
 * @param <C> an open scan
 */
abstract class Run<S, C> {
  private final List<String> answers = new ArrayList<>();
  private final List<S> snapshots = new ArrayList<>();
  private final List<C> scans = new ArrayList<>();

  abstract long apply(List<Change> changes, boolean synced);

  abstract void flush();

  abstract void compact();

  abstract void reopen();

  abstract void restrict(Set<Bytes> families);

  abstract void advance(long micros);

  abstract S openSnapshot();

  abstract void closeSnapshot(S snapshot);

  abstract S latest();

  abstract S durable();

  abstract Optional<Bytes> get(Bytes row, Bytes family, Bytes qualifier, S at);

  abstract C openScan(Question question, S at);

  abstract Optional<Version> next(C scan);

  abstract Optional<Version> seek(C scan, Step.Target target);

  abstract void closeScan(C scan);

  /** What was answered, as {@code number of the step: answer}. */
  List<String> play(List<Step> steps) {
    for (int i = 0; i < steps.size(); i++) {
      int at = answers.size();
      play(steps.get(i));
      for (int k = at; k < answers.size(); k++) {
        answers.set(k, i + ": " + answers.get(k));
      }
    }
    closeAll();
    return answers;
  }

  private void play(Step step) {
    switch (step) {
      case Step.Apply(var changes, var synced) -> answers.add("txn " + apply(changes, synced));
      case Step.Flush _ -> flush();
      case Step.Compact _ -> compact();
      case Step.Reopen _ -> {
        closeAll();
        reopen();
      }
      case Step.Restrict(var families) -> restrict(families);
      case Step.Advance(var micros) -> advance(micros);
      case Step.OpenSnapshot _ -> snapshots.add(openSnapshot());
      case Step.CloseSnapshot(var which) -> {
        if (!snapshots.isEmpty()) {
          closeSnapshot(snapshots.remove(which % snapshots.size()));
        }
      }
      case Step.Get(var row, var family, var qualifier, var at) ->
          answers.add("get " + get(row, family, qualifier, resolve(at)));
      case Step.Read(var question, var at, var moves) -> {
        C scan = openScan(question, resolve(at));
        moves.forEach(move -> move(scan, move));
        closeScan(scan);
      }
      case Step.OpenScan(var question, var at) -> scans.add(openScan(question, resolve(at)));
      case Step.MoveScan(var which, var move) -> {
        if (!scans.isEmpty()) {
          move(scans.get(which % scans.size()), move);
        }
      }
      case Step.CloseScan(var which) -> {
        if (!scans.isEmpty()) {
          closeScan(scans.remove(which % scans.size()));
        }
      }
    }
  }

  private S resolve(Step.At at) {
    return switch (at) {
      case Step.At.Latest _ -> latest();
      case Step.At.Durable _ -> durable();
      case Step.At.Snapshot(var which) ->
          snapshots.isEmpty() ? durable() : snapshots.get(which % snapshots.size());
    };
  }

  private void move(C scan, Step.Move move) {
    switch (move) {
      case Step.Move.Next(var times) -> {
        for (int i = 0; i < times; i++) {
          Optional<Version> next = next(scan);
          answers.add("next " + next);
          if (next.isEmpty()) {
            return;
          }
        }
      }
      case Step.Move.Seek(var target) -> answers.add("seek " + seek(scan, target));
    }
  }

  private void closeAll() {
    scans.forEach(this::closeScan);
    scans.clear();
    snapshots.forEach(this::closeSnapshot);
    snapshots.clear();
  }
}
