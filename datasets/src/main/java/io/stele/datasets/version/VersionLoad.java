package io.stele.datasets.version;

import io.stele.base.bytes.Bytes;
import io.stele.base.dataset.LoadProgress;
import io.stele.base.file.FilePath;
import io.stele.base.input.BrokenInputException;
import io.stele.base.input.RecordInput;
import io.stele.datasets.shard.Shard;
import io.stele.datasets.shard.ShardHash;
import io.stele.datasets.shard.ShardManifest;
import io.stele.datasets.shard.ShardWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongConsumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * One attempt to load some shards of a version.
 *
 * <p>Files of a version that is not declared to be sharded are all read, side by side, and what
 * belongs to the wanted shards is kept; then each shard is finished. Of records with one key the
 * last one of the last file counts, by the files' names. Of a version that is declared to be
 * sharded only the wanted shards' files are read, each for its shard, and a record that does not
 * belong there fails the load.
 *
 * <p>A load may also assume that files are sharded by their numbers ({@link Mode#ASSUMED}). It
 * reads the wanted shards' files alone, and the first record out of place ends it with {@link
 * Listener#misplaced}. If there is none, other files may still hold keys of the wanted shards: it
 * calls {@link Listener#inPlace} and keeps what it has read until {@link #confirm} says that every
 * file was verified, or until it is cancelled. No shard is finished before that, so no key is ever
 * left out on a guess, even after a crash.
 *
 * <p>It ends once, with {@link Listener#loaded}, {@link Listener#misplaced} or {@link
 * Listener#failed}, when none of its work is running any more. Shards that are ready stay, whatever
 * becomes of the others.
 */
public final class VersionLoad {
  /** What a load tells; from its threads. */
  public interface Listener {
    /** A shard is durable and open; it is the listener's to retire. */
    void ready(Shard shard);

    void loaded();

    /**
     * All files that were to be read have been, and each has keys of the shard of its number alone.
     * Only of files that are numbered. A load that assumed it waits for {@link #confirm}.
     *
     * @param files their numbers
     */
    default void inPlace(Collection<Integer> files) {}

    /**
     * A file has a key of another shard than that of its number. The end of a load that assumed
     * otherwise; others go on.
     */
    default void misplaced(String reason) {}

    void failed(String reason);
  }

  /** Which files are read. */
  public enum Mode {
    /** Those that are declared to hold the wanted shards; all, if nothing is declared. */
    CERTAIN,
    /** Those whose numbers are those of the wanted shards. */
    ASSUMED
  }

  /** What loads work with. */
  public record Tools(
      Source source, VersionStore store, LoadQueue queue, RateLimit rate, RandomGenerator random) {}

  private static final int NO_NUMBER = -1;
  private static final Comparator<InputFile> BY_NAME =
      Comparator.comparing(file -> file.path().value());

  private final Tools tools;
  private final VersionFiles files;
  private final TreeSet<Integer> wanted;
  private final Listener listener;
  private final Mode mode;
  private final List<Integer> numbers; // of the files that are read, if they are numbered
  private final AtomicReference<@Nullable String> misplaced = new AtomicReference<>();
  private final AtomicBoolean waiting = new AtomicBoolean(); // to be confirmed
  private final AtomicReferenceArray<@Nullable ShardWriter> writers;
  private final List<InputFile> toRead;
  private final AtomicInteger pending = new AtomicInteger(); // pieces of work in this phase
  private final AtomicReference<@Nullable String> failure = new AtomicReference<>();
  private final LongAdder records = new LongAdder();
  private final LongAdder bytes = new LongAdder();
  private final AtomicInteger done = new AtomicInteger();

  public VersionLoad(
      Tools tools, VersionFiles files, Collection<Integer> wanted, Mode mode, Listener listener) {
    this.tools = tools;
    this.mode = mode;
    this.files = files;
    this.wanted = new TreeSet<>(wanted);
    this.listener = listener;
    this.writers = new AtomicReferenceArray<>(files.shards());
    List<Integer> numbered = files.sharded() ? List.of() : files.numbers();
    Map<InputFile, Integer> read = new TreeMap<>(BY_NAME); // the same order on every node
    for (int i = 0; i < files.shards(); i++) {
      InputFile file = files.inputs().get(i);
      int number = numbered.isEmpty() ? NO_NUMBER : numbered.get(i);
      int shard = files.sharded() ? file.declared().orElseThrow().shard() : number;
      if ((!files.sharded() && mode == Mode.CERTAIN) || wanted.contains(shard)) {
        read.put(file, number);
      }
    }
    this.toRead = List.copyOf(read.keySet());
    this.numbers = List.copyOf(read.values());
  }

  /** Begins; returns at once unless the queue's threads are the caller's. */
  public void start() {
    if (wanted.isEmpty()) {
      listener.loaded();
      return;
    }
    try {
      for (int shard : wanted) {
        writers.set(shard, newWriter(shard));
      }
    } catch (IOException | RuntimeException e) {
      fail(e);
    }
    pending.set(toRead.size());
    for (int i = 0; i < toRead.size(); i++) {
      int number = i;
      tools.queue.add(this, () -> work(() -> read(number, toRead.get(number)), this::afterFile));
    }
  }

  /** Gives up, as soon as the work that is running notices. */
  public void cancel() {
    failure.compareAndSet(null, "given up");
    if (waiting.compareAndSet(true, false)) {
      tools.queue.add(this, this::end);
    }
  }

  /** Goes on with what waits for it: every file has been found to have its own shard's keys. */
  public void confirm() {
    if (waiting.compareAndSet(true, false)) {
      finishAll();
    }
  }

  /** Whether it can do no more before {@link #confirm}. */
  public boolean waits() {
    return waiting.get();
  }

  public Set<Integer> wanted() {
    return Set.copyOf(wanted);
  }

  public LoadProgress progress() {
    long total = 0;
    for (InputFile file : toRead) {
      total += file.bytes();
    }
    return new LoadProgress(records.sum(), bytes.sum(), total, done.get(), wanted.size());
  }

  private ShardWriter newWriter(int shard) throws IOException {
    return tools.store.writer(
        files.dataset(), files.version(), shard, files.shards(), tools.random.nextInt());
  }

  private interface Work {
    void run() throws IOException;
  }

  private void work(Work work, Runnable after) {
    try {
      if (failure.get() == null) {
        work.run();
      }
    } catch (IOException | RuntimeException | Error e) {
      fail(e);
    }
    after.run();
  }

  private void fail(Throwable e) {
    String message = e.getMessage();
    boolean told = message != null && (e instanceof BrokenInputException || !message.isBlank());
    failure.compareAndSet(null, told && message != null ? message : e.toString());
  }

  private MeteredStore metered(LongConsumer read) {
    return new MeteredStore(tools.source.store(), tools.rate, read, () -> failure.get() != null);
  }

  private void read(int number, InputFile file) throws IOException {
    if (file.declared().isPresent() && file.declared().get().index().isPresent()) {
      takeOver(file, file.declared().get(), file.declared().get().index().get());
      return;
    }
    MeteredStore store = metered(bytes::add);
    Path scratch = tools.store.scratch();
    try (RecordInput input = files.kind().open(store, file.path(), scratch)) {
      long count = 0;
      while (input.next()) {
        store(number, file, input);
        count++;
        if ((count & 0x3ff) == 0) {
          records.add(0x400);
          stopIfFailed();
        }
      }
      records.add(count & 0x3ff);
      if (file.declared().isPresent()) {
        check(file, file.declared().get(), count, store.content(file));
      }
    } finally {
      tools.store.deleteScratch(scratch);
    }
    if (files.sharded()) {
      finish(file.declared().orElseThrow().shard());
    }
  }

  /**
   * A log that comes with its index needs no records read one by one: both are copied. They are
   * compared with what is declared, and the log's keys are looked at like any others.
   */
  private void takeOver(
      InputFile file, VersionManifest.DeclaredFile declared, ShardManifest.Content index)
      throws IOException {
    ShardWriter writer = writers.get(declared.shard());
    if (writer == null) {
      return; // the load has failed
    }
    FilePath indexPath = SparkeyPart.indexOf(file.path());
    ShardWriter.TakenOver found =
        writer.takeOver(metered(bytes::add), file.path(), metered(_ -> {}), indexPath);
    check(file.path(), found.log(), declared.content());
    check(indexPath, found.index(), index);
    long count = writer.checkTakenOver(file.path().value());
    records.add(count);
    check(file, declared, count, found.log());
    finish(declared.shard());
  }

  private static void check(
      FilePath path, ShardManifest.Content found, ShardManifest.Content declared)
      throws BrokenInputException {
    if (!found.equals(declared)) {
      throw new BrokenInputException(
          path.value(),
          found.bytes(),
          "it has " + text(found) + ", and the manifest declares " + text(declared));
    }
  }

  private void stopIfFailed() throws IOException {
    String reason = failure.get();
    if (reason != null) {
      throw new IOException(reason);
    }
  }

  private void store(int number, InputFile file, RecordInput input) throws IOException {
    byte[] key = input.key();
    int shard = ShardHash.shard(key, files.shards());
    if (file.declared().isPresent() && file.declared().get().shard() != shard) {
      throw new BrokenInputException(
          file.path().value(),
          input.position(),
          "key \""
              + Bytes.of(key)
              + "\" belongs to shard "
              + shard
              + ", and the file is declared to hold shard "
              + file.declared().get().shard()
              + " alone");
    }
    int fileNumber = numbers.get(number);
    if (fileNumber != shard && fileNumber != NO_NUMBER && misplaced.get() == null) {
      misplaced(file, key, shard, fileNumber);
    }
    ShardWriter writer = writers.get(shard);
    if (writer != null) {
      writer.put(number, key, input.value());
    }
  }

  private void misplaced(InputFile file, byte[] key, int shard, int number) throws IOException {
    String reason =
        "%s: key \"%s\" belongs to shard %d, not to %d"
            .formatted(file.path().value(), Bytes.of(key), shard, number);
    if (misplaced.compareAndSet(null, reason)) {
      if (mode == Mode.ASSUMED) {
        throw new IOException(reason);
      }
      listener.misplaced(reason);
    }
  }

  private static void check(
      InputFile file,
      VersionManifest.DeclaredFile declared,
      long records,
      ShardManifest.Content found)
      throws IOException {
    if (!found.equals(declared.content()) || records != declared.records()) {
      throw new BrokenInputException(
          file.path().value(),
          found.bytes(),
          "it has "
              + records
              + " records in "
              + text(found)
              + ", and the manifest declares "
              + declared.records()
              + " records in "
              + text(declared.content()));
    }
  }

  private static String text(ShardManifest.Content content) {
    return content.bytes() + " bytes with CRC32C %08x".formatted(content.crc32c());
  }

  private void afterFile() {
    if (pending.decrementAndGet() > 0) {
      return;
    }
    if (failure.get() != null) {
      end();
      return;
    }
    boolean inPlace = misplaced.get() == null && !numbers.contains(NO_NUMBER);
    if (mode == Mode.ASSUMED) {
      waiting.set(true);
    }
    if (inPlace) {
      listener.inPlace(numbers);
    }
    if (mode == Mode.CERTAIN) {
      finishAll();
    } else if (failure.get() != null) {
      cancel(); // before it waited
    }
  }

  private void finishAll() {
    List<Integer> open = new ArrayList<>();
    for (int shard : wanted) {
      if (writers.get(shard) != null) {
        open.add(shard);
      }
    }
    if (open.isEmpty()) {
      end();
      return;
    }
    pending.set(open.size());
    for (int shard : open) {
      tools.queue.add(this, () -> work(() -> finish(shard), this::afterShard));
    }
  }

  private void finish(int shard) throws IOException {
    ShardWriter writer = writers.get(shard);
    if (writer != null) {
      Shard ready = tools.store.finish(files.dataset(), files.version(), writer);
      writers.set(shard, null);
      done.incrementAndGet();
      listener.ready(ready);
    }
  }

  private void afterShard() {
    if (pending.decrementAndGet() == 0) {
      end();
    }
  }

  private void end() {
    for (int shard : wanted) {
      ShardWriter writer = writers.getAndSet(shard, null);
      if (writer != null) {
        try {
          writer.abandon();
        } catch (IOException e) {
          fail(e);
        }
      }
    }
    String reason = failure.get();
    String wrong = misplaced.get();
    if (reason == null) {
      listener.loaded();
    } else if (mode == Mode.ASSUMED && wrong != null) {
      listener.misplaced(wrong);
    } else {
      listener.failed(reason);
    }
  }
}
