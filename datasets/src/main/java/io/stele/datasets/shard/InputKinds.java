package io.stele.datasets.shard;

import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.file.ReadableFile;
import io.stele.base.input.BrokenInputException;
import io.stele.base.input.RecordInputProvider;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.stream.Collectors;

/** The kinds of input files that are known. */
public final class InputKinds {
  private final List<RecordInputProvider> providers;

  public InputKinds(List<RecordInputProvider> providers) {
    this.providers = List.copyOf(providers);
  }

  /** All on the class path. */
  public static InputKinds onClassPath() {
    return new InputKinds(
        ServiceLoader.load(RecordInputProvider.class).stream()
            .map(ServiceLoader.Provider::get)
            .toList());
  }

  /** The file that another one is only an addition to. */
  public Optional<String> additionTo(String name) {
    return providers.stream().flatMap(kind -> kind.additionTo(name).stream()).findFirst();
  }

  /** The kind of a file, by its name and first bytes. */
  public RecordInputProvider kindOf(FileStore store, FilePath path) throws IOException {
    byte[] head;
    try (ReadableFile file = store.open(path)) {
      head = new byte[(int) Math.min(RecordInputProvider.HEAD_BYTES, file.length())];
      file.read(0, head, 0, head.length);
    }
    for (RecordInputProvider provider : providers) {
      if (provider.reads(path.name(), head)) {
        return provider;
      }
    }
    String known =
        providers.stream()
            .map(RecordInputProvider::kind)
            .sorted()
            .collect(Collectors.joining(", "));
    throw new BrokenInputException(
        path.value(), 0, "of no kind that can be read here; those are: " + known);
  }
}
