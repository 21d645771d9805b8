package io.stele.bench.engine;

import io.stele.base.file.LocalFileStore;
import io.stele.base.settings.ByteSize;
import io.stele.bench.process.SteleServers;
import io.stele.engine.Store;
import io.stele.engine.StoreSettings;
import io.stele.engine.cache.BlockCache;
import io.stele.engine.disk.Codec;
import io.stele.engine.disk.FragmentSettings;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;

/** Stele's engine. */
record SteleSide(Codec codec) implements EngineSide {
  @Override
  public String name() {
    return SteleServers.NAME;
  }

  @Override
  public String version() {
    return SteleServers.version();
  }

  private StoreSettings settings() {
    return StoreSettings.DEFAULT
        .withMemory(MEMORY_TABLE_BYTES, MEMORY_TABLES * MEMORY_TABLE_BYTES)
        .withFragments(new FragmentSettings(codec, FragmentSettings.DEFAULT.blockSize()));
  }

  @Override
  public Map<String, String> facts() {
    StoreSettings settings = settings();
    return Map.of(
        name(),
        "in this JVM; codec %s, blocks of %s, mem fragments of %s and %s in all, log synced lazily after %s"
            .formatted(
                codec.name().toLowerCase(Locale.ROOT),
                new ByteSize(settings.fragments().blockSize()),
                new ByteSize(settings.memFragmentBytes()),
                new ByteSize(settings.memoryBytes()),
                settings.commitLog().lazySync().toMillis() + " ms"));
  }

  @Override
  public Engine open(Path directory, Records records, long cacheBytes) throws Exception {
    LocalFileStore files = LocalFileStore.openExclusive(directory);
    try {
      SteleEngine.Failures failures = new SteleEngine.Failures();
      Store store =
          new Store.Builder(files)
              .settings(settings())
              .cache(new BlockCache(cacheBytes))
              .events(failures)
              .open();
      return new SteleEngine(files, store, failures, records);
    } catch (RuntimeException e) {
      files.close();
      throw e;
    }
  }
}
