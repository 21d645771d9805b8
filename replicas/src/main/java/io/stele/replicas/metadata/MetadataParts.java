package io.stele.replicas.metadata;

import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.time.Clock;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.random.RandomGenerator;

/**
 * What a metadata server works with; all of it stays its owner's.
 *
 * @param server the id of this server
 * @param files on the local disk
 * @param directory in which METADATA files are kept
 * @param peers how servers are reached, by their addresses
 * @param random for names; any number of threads may use it
 * @param events told of everything that happens, on the thread on which it does
 * @param calls runs calls of other servers, which block: any number at once, so on virtual threads
 */
public record MetadataParts(
    String server,
    FileStore files,
    FilePath directory,
    Coordination coordination,
    Function<String, MetadataPeer> peers,
    Clock clock,
    RandomGenerator random,
    Consumer<? super MetadataEvent> events,
    Executor calls) {

  /** Calls on virtual threads. */
  public static Executor virtualThreads() {
    return task -> Thread.ofVirtual().name("stele-metadata-call").start(task);
  }
}
