package io.stele.bench.engine;

import io.stele.base.file.LocalFileStore;
import io.stele.base.settings.ByteSize;
import io.stele.engine.Store;
import io.stele.engine.StoreSettings;
import io.stele.engine.cache.BlockCache;
import io.stele.engine.disk.FragmentSettings;
import java.nio.file.Path;
import java.util.Locale;

/** Stele's engine, as a library in this process. */
final class SteleSide implements EngineSide {
  private static final int BLOCK_SIZE = FragmentSettings.DEFAULT.blockSize();

  @Override
  public String name() {
    return "Stele";
  }

  private static StoreSettings settings(EngineOptions options) {
    return StoreSettings.DEFAULT
        .withMemory(
            EngineOptions.MEMORY_TABLE_BYTES,
            EngineOptions.MEMORY_TABLES * EngineOptions.MEMORY_TABLE_BYTES)
        .withFragments(new FragmentSettings(options.codec(), BLOCK_SIZE));
  }

  @Override
  public String options(EngineOptions options) {
    StoreSettings settings = settings(options);
    return "codec %s, blocks of %s, mem fragments of %s and %s in all, log synced lazily after %s"
        .formatted(
            settings.fragments().codec().name().toLowerCase(Locale.ROOT),
            new ByteSize(settings.fragments().blockSize()),
            new ByteSize(settings.memFragmentBytes()),
            new ByteSize(settings.memoryBytes()),
            settings.commitLog().lazySync().toMillis() + " ms");
  }

  @Override
  public Engine open(Path directory, Records records, EngineOptions options) throws Exception {
    LocalFileStore files = LocalFileStore.openExclusive(directory);
    try {
      SteleEngine.Failures failures = new SteleEngine.Failures();
      Store store =
          new Store.Builder(files)
              .settings(settings(options))
              .cache(new BlockCache(options.cacheBytes()))
              .events(failures)
              .open();
      return new SteleEngine(files, store, failures, records);
    } catch (RuntimeException e) {
      files.close();
      throw e;
    }
  }
}
