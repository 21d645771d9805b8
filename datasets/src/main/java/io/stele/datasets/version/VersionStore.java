package io.stele.datasets.version;

import io.stele.base.error.CorruptDataException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.file.FileInfo;
import io.stele.base.file.FilePath;
import io.stele.base.file.LocalFileStore;
import io.stele.base.file.ReadableFile;
import io.stele.base.text.Json;
import io.stele.base.text.JsonReader;
import io.stele.datasets.shard.Shard;
import io.stele.datasets.shard.ShardFiles;
import io.stele.datasets.shard.ShardWriter;
import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What a node has of datasets on its own disk.
 *
 * <pre>
 * &lt;root&gt;/.lock/                              keeps other processes out
 * &lt;root&gt;/.scratch/                           emptied at every start
 * &lt;root&gt;/.pins.json                          the pins that were last heard of
 * &lt;root&gt;/&lt;dataset&gt;/_serving                  the version that clients were last given
 * &lt;root&gt;/&lt;dataset&gt;/&lt;version&gt;/version.json   {@link VersionRecord}; first written, first deleted
 *                              /00003.spl    a shard: its log,
 *                              /00003.spi    its index,
 *                              /00003.json   and last its manifest
 * </pre>
 *
 * <p>A directory without {@code version.json} is what a deletion has left, and a shard without a
 * manifest what a crash has left of a load: both go at the next start. Any number of threads.
 */
public final class VersionStore implements Closeable {
  private static final FilePath SCRATCH = FilePath.of(".scratch");
  private static final FilePath PINS = FilePath.of(".pins.json");
  private static final String SERVING = "_serving";
  private static final String RECORD = "version.json";

  private final Path root;
  private final LocalFileStore lock;
  private final LocalFileStore store;
  private final AtomicLong scratches = new AtomicLong();

  private VersionStore(Path root, LocalFileStore lock, LocalFileStore store) {
    this.root = root;
    this.lock = lock;
    this.store = store;
  }

  /** Opens a directory, for this process alone, and clears away what an earlier one left. */
  public static VersionStore open(Path root) throws IOException {
    LocalFileStore lock = LocalFileStore.openExclusive(root.resolve(".lock"));
    boolean opened = false;
    try {
      VersionStore store = new VersionStore(root, lock, LocalFileStore.open(root));
      store.deleteAll(SCRATCH);
      for (String dataset : store.datasets()) {
        store.clearUnfinished(dataset);
      }
      opened = true;
      return store;
    } finally {
      if (!opened) {
        lock.close();
      }
    }
  }

  private void clearUnfinished(String dataset) throws IOException {
    for (FileInfo entry : store.list(FilePath.of(dataset))) {
      if (!entry.directory()) {
        continue;
      }
      if (store.stat(entry.path().resolve(RECORD)).isEmpty()) {
        deleteAll(entry.path());
        continue;
      }
      for (FileInfo file : store.list(entry.path())) {
        String name = file.path().name();
        String shard = name.substring(0, Math.max(0, name.indexOf('.')));
        boolean finished = store.stat(entry.path().resolve(shard + ".json")).isPresent();
        if (!name.equals(RECORD) && (!finished || name.contains("tmp"))) {
          store.delete(file.path());
        }
      }
    }
  }

  private void deleteAll(FilePath path) throws IOException {
    for (FileInfo entry : store.list(path)) {
      if (entry.directory()) {
        deleteAll(entry.path());
      } else {
        store.delete(entry.path());
      }
    }
    store.delete(path);
  }

  /** The datasets of which something is here. */
  public List<String> datasets() throws IOException {
    List<String> names = new ArrayList<>();
    for (FileInfo entry : store.list(FilePath.ROOT)) {
      if (entry.directory() && Names.dataset(entry.path().name())) {
        names.add(entry.path().name());
      }
    }
    return names;
  }

  /** The versions of a dataset that were begun here, oldest first; a damaged record is left out. */
  public Map<String, VersionRecord> versions(String dataset) throws IOException {
    Map<String, VersionRecord> versions = new TreeMap<>();
    for (FileInfo entry : store.list(FilePath.of(dataset))) {
      FilePath path = entry.path().resolve(RECORD);
      if (entry.directory() && store.stat(path).isPresent()) {
        try {
          versions.put(entry.path().name(), VersionRecord.parse(path.value(), read(path)));
        } catch (CorruptDataException e) {
          deleteAll(entry.path()); // to be loaded again
        }
      }
    }
    return versions;
  }

  public void begin(String dataset, String version, VersionRecord record) throws IOException {
    store.replace(directory(dataset, version).resolve(RECORD), record.toBytes());
  }

  /** Whether a shard was finished here. */
  public boolean has(String dataset, String version, int shard) throws IOException {
    return store.stat(ShardFiles.manifest(directory(dataset, version), shard)).isPresent();
  }

  /** Opens a shard that an earlier process has finished, and verifies all of it. */
  public Shard open(String dataset, String version, int shard, int shards) throws IOException {
    return Shard.open(store, root, directory(dataset, version), shard, shards);
  }

  ShardWriter writer(String dataset, String version, int shard, int shards, int fileId)
      throws IOException {
    return new ShardWriter(store, root, directory(dataset, version), shard, shards, fileId);
  }

  Shard finish(String dataset, String version, ShardWriter writer) throws IOException {
    return Shard.open(store, root, directory(dataset, version), writer.finish());
  }

  /** Deletes a version; after a crash on the way the rest goes at the next start. */
  public void delete(String dataset, String version) throws IOException {
    store.delete(directory(dataset, version).resolve(RECORD));
    deleteAll(directory(dataset, version));
  }

  /** Deletes what else is kept of a dataset. */
  public void deleteDataset(String dataset) throws IOException {
    deleteAll(FilePath.of(dataset));
  }

  /** The version that clients were last given. */
  public Optional<String> serving(String dataset) throws IOException {
    FilePath path = FilePath.of(dataset).resolve(SERVING);
    if (store.stat(path).isEmpty()) {
      return Optional.empty();
    }
    String version = new String(read(path), StandardCharsets.UTF_8);
    return Names.version(version) ? Optional.of(version) : Optional.empty();
  }

  /** Records, durably, what clients are to be given from now on. */
  public void serve(String dataset, String version) throws IOException {
    store.replace(FilePath.of(dataset).resolve(SERVING), version.getBytes(StandardCharsets.UTF_8));
  }

  /** The pins that were last heard of. */
  public Map<String, String> pins() throws IOException {
    Map<String, String> pins = new HashMap<>();
    if (store.stat(PINS).isPresent()) {
      try {
        if (JsonReader.read(new String(read(PINS), StandardCharsets.UTF_8))
            instanceof Map<?, ?> map) {
          map.forEach((dataset, version) -> pins.put("" + dataset, "" + version));
        }
      } catch (InvalidRequestException e) {
        throw new CorruptDataException(
            PINS.value(), 0, "a JSON object", String.valueOf(e.getMessage()));
      }
    }
    return pins;
  }

  public void pins(Map<String, String> pins) throws IOException {
    store.replace(PINS, Json.write(new TreeMap<>(pins)).getBytes(StandardCharsets.UTF_8));
  }

  /** A directory that nobody else uses and that does not exist yet. */
  Path scratch() {
    return root.resolve(SCRATCH.value()).resolve(Long.toString(scratches.incrementAndGet()));
  }

  void deleteScratch(Path scratch) throws IOException {
    deleteAll(SCRATCH.resolve(String.valueOf(scratch.getFileName())));
  }

  private byte[] read(FilePath path) throws IOException {
    try (ReadableFile file = store.open(path)) {
      byte[] content = new byte[Math.toIntExact(file.length())];
      file.read(0, content, 0, content.length);
      return content;
    }
  }

  private static FilePath directory(String dataset, String version) {
    return FilePath.of(dataset).resolve(version);
  }

  @Override
  public void close() throws IOException {
    store.close();
    lock.close();
  }
}
