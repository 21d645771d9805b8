package io.stele.gateway.bigtable.operation;

import com.google.longrunning.Operation;
import com.google.protobuf.Any;
import com.google.protobuf.Message;
import io.stele.base.time.Clock;
import io.stele.gateway.bigtable.note.NotedMessages;
import io.stele.gateway.bigtable.note.Notes;
import java.time.Duration;
import java.util.Optional;
import java.util.SortedMap;
import java.util.random.RandomGenerator;

/**
 * What long-running operations came to. None of Stele's takes long, since files are shared and not
 * copied: each has ended when its caller hears of it, and is kept for those who ask again by its
 * name, for a day.
 *
 * <pre>
 *   operations/RESOURCE/operations/MICROS-NUMBER      MICROS: when it was begun
 * </pre>
 */
public final class DoneOperations {
  private static final long KEPT_MICROS = Duration.ofDays(1).toNanos() / 1000;
  private static final String MARK = "/operations/";

  private final NotedMessages<Operation> notes;
  private final Clock clock;
  private final RandomGenerator random;

  public DoneOperations(Notes notes, Clock clock, RandomGenerator random) {
    this.notes = new NotedMessages<>(notes, Notes.OPERATIONS, Operation.parser());
    this.clock = clock;
    this.random = random;
  }

  /**
   * An operation that has succeeded.
   *
   * @param resource the name of what it was about
   */
  public Operation done(String resource, Message metadata, Message response) {
    Operation operation =
        Operation.newBuilder()
            .setName(
                "operations/"
                    + resource
                    + MARK
                    + "%016d-%08x".formatted(clock.micros(), random.nextInt()))
            .setMetadata(Any.pack(metadata))
            .setDone(true)
            .setResponse(Any.pack(response))
            .build();
    notes.put(operation.getName(), operation);
    return operation;
  }

  Optional<Operation> get(String name) {
    return notes.get(name);
  }

  SortedMap<String, Operation> list(String beginning) {
    return notes.list(beginning);
  }

  void delete(String name) {
    notes.remove(name);
  }

  /** Forgets those that are older than a day. */
  public void forgetOld() {
    long oldest = clock.micros() - KEPT_MICROS;
    notes.all().keySet().stream().filter(name -> micros(name) < oldest).forEach(notes::remove);
  }

  private static long micros(String name) {
    String number = name.substring(name.lastIndexOf(MARK) + MARK.length());
    return Long.parseLong(number.substring(0, number.indexOf('-')));
  }
}
