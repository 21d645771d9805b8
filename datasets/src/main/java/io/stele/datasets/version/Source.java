package io.stele.datasets.version;

import io.stele.base.file.FileInfo;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.file.ReadableFile;
import io.stele.base.input.BrokenInputException;
import io.stele.base.input.RecordInputProvider;
import io.stele.datasets.shard.InputKinds;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Where versions come from: {@code <root>/<dataset>/<version>/<files>} in a file store, which is
 * only read. Files and directories whose names begin with {@code _} or {@code .} are passed over. A
 * version that somebody is seen to be writing is not there yet.
 */
public final class Source {
  static final String SUCCESS = "_SUCCESS";

  /** There as long as {@link VersionWriter} is at work. */
  static final String UNFINISHED = "_unfinished";

  /** There as long as a job of Hadoop's is at work, or if it failed. */
  private static final String HADOOP_UNFINISHED = "_temporary";

  private final FileStore store;
  private final InputKinds kinds;
  private final boolean requireSuccess;
  private volatile Set<FilePath> complete = Set.of(); // versions, which need no second look

  public Source(FileStore store, InputKinds kinds, boolean requireSuccess) {
    this.store = store;
    this.kinds = kinds;
    this.requireSuccess = requireSuccess;
  }

  /**
   * A dataset in the source.
   *
   * @param versions that may be loaded, oldest first
   * @param problem why it cannot be loaded, or not all of it; empty if it can
   */
  public record Found(String dataset, List<String> versions, String problem) {
    public Found {
      versions = List.copyOf(versions);
    }
  }

  FileStore store() {
    return store;
  }

  /** How the place of a version is named to people. */
  public String describe(String dataset, String version) {
    return store.describe() + "/" + dataset + "/" + version;
  }

  /**
   * Everything that is there now. What is wrong with one dataset is its problem alone.
   *
   * @throws IOException if the root cannot be read: then nothing is known, least of all that
   *     datasets are gone
   */
  public List<Found> scan() throws IOException {
    List<Found> found = new ArrayList<>();
    Set<FilePath> present = new HashSet<>();
    for (FileInfo entry : store.list(FilePath.ROOT)) {
      String name = entry.path().name();
      if (!entry.directory() || Names.hidden(name)) {
        continue;
      }
      found.add(
          Names.dataset(name)
              ? scan(name, present)
              : new Found(name, List.of(), Names.DATASET_RULE));
    }
    if (found.isEmpty() && store.stat(FilePath.ROOT).isEmpty()) {
      throw new IOException(store.describe() + " does not exist");
    }
    complete = Set.copyOf(present);
    return found;
  }

  private Found scan(String dataset, Set<FilePath> present) {
    List<String> versions = new ArrayList<>();
    String problem = "";
    try {
      for (FileInfo entry : store.list(FilePath.of(dataset))) {
        String name = entry.path().name();
        if (!entry.directory() || Names.hidden(name)) {
          continue;
        }
        if (!Names.version(name)) {
          problem = "version \"" + name + "\": " + Names.VERSION_RULE;
        } else if (complete.contains(entry.path()) || isComplete(entry.path())) {
          versions.add(name);
          present.add(entry.path());
        }
      }
    } catch (IOException e) {
      problem = "cannot be listed: " + e.getMessage();
    }
    versions.sort(null);
    return new Found(dataset, versions, problem);
  }

  /** Whether nobody is writing a version any more. */
  private boolean isComplete(FilePath version) throws IOException {
    if (store.stat(version.resolve(SUCCESS)).isPresent()) {
      return true;
    }
    return !requireSuccess
        && store.stat(version.resolve(UNFINISHED)).isEmpty()
        && store.stat(version.resolve(HADOOP_UNFINISHED)).isEmpty();
  }

  /** The files of a version; its number of shards is theirs. */
  public VersionFiles files(String dataset, String version) throws IOException {
    FilePath directory = FilePath.of(dataset).resolve(version);
    Map<String, FileInfo> inputs = new HashMap<>();
    Map<String, String> additions = new HashMap<>();
    for (FileInfo entry : store.list(directory)) {
      String name = entry.path().name();
      if (Names.hidden(name)) {
        continue;
      }
      if (entry.directory()) {
        throw new BrokenInputException(entry.path().value(), 0, "a directory among input files");
      }
      kinds
          .additionTo(name)
          .ifPresentOrElse(main -> additions.put(name, main), () -> inputs.put(name, entry));
    }
    for (Map.Entry<String, String> addition : additions.entrySet()) {
      if (!inputs.containsKey(addition.getValue())) {
        throw new BrokenInputException(
            directory.resolve(addition.getKey()).value(),
            0,
            addition.getValue() + ", which it belongs to, is missing");
      }
    }
    if (inputs.isEmpty()) {
      throw new BrokenInputException(directory.value(), 0, "a version without files");
    }
    return files(dataset, version, inputs);
  }

  private VersionFiles files(String dataset, String version, Map<String, FileInfo> inputs)
      throws IOException {
    FilePath directory = FilePath.of(dataset).resolve(version);
    Map<String, VersionManifest.DeclaredFile> declared = declared(directory, inputs.keySet());
    List<InputFile> files = new ArrayList<>();
    RecordInputProvider kind = null;
    for (String name : new TreeSet<>(inputs.keySet())) {
      FilePath path = directory.resolve(name);
      RecordInputProvider own = kinds.kindOf(store, path);
      kind = kind == null ? own : kind;
      if (!kind.equals(own)) {
        throw new BrokenInputException(
            path.value(),
            0,
            "it is "
                + own.kind()
                + " and "
                + files.getFirst().path().name()
                + " is "
                + kind.kind()
                + ": the files of a version must be of one kind");
      }
      FileInfo info = inputs.get(name);
      files.add(
          new InputFile(
              path, info == null ? 0 : info.length(), Optional.ofNullable(declared.get(name))));
    }
    if (kind == null) {
      throw new BrokenInputException(directory.value(), 0, "a version without files");
    }
    boolean finished = !declared.isEmpty() || store.stat(directory.resolve(SUCCESS)).isPresent();
    return new VersionFiles(dataset, version, files, kind, !declared.isEmpty(), finished);
  }

  private Map<String, VersionManifest.DeclaredFile> declared(FilePath directory, Set<String> names)
      throws IOException {
    FilePath path = directory.resolve(VersionManifest.FILE_NAME);
    byte @Nullable [] content = store.stat(path).isPresent() ? read(path) : null;
    if (content == null) {
      return Map.of();
    }
    Map<String, VersionManifest.DeclaredFile> declared = new HashMap<>();
    for (VersionManifest.DeclaredFile file : VersionManifest.parse(path.value(), content).files()) {
      declared.put(file.name(), file);
    }
    if (!declared.keySet().equals(names)) {
      Set<String> odd = new TreeSet<>(names);
      odd.removeAll(declared.keySet());
      Set<String> missing = new HashSet<>(declared.keySet());
      missing.removeAll(names);
      odd.addAll(missing);
      throw new BrokenInputException(
          path.value(), 0, "it does not declare the files that are there; they differ in " + odd);
    }
    return declared;
  }

  private byte[] read(FilePath path) throws IOException {
    try (ReadableFile file = store.open(path)) {
      byte[] content = new byte[Math.toIntExact(file.length())];
      file.read(0, content, 0, content.length);
      return content;
    }
  }
}
