package io.stele.server;

import io.stele.base.settings.About;
import io.stele.base.settings.ByteSize;
import io.stele.engine.StoreSettings;
import io.stele.metastore.state.StateSettings;

/** How much memory the metastore's state may take. */
public record StorageSettings(
    @About("For blocks of the state's files.") ByteSize cache,
    @About("Of changes that are not in files yet, at which they are written to one.")
        ByteSize memFragment,
    @About("Of all changes that are not in files yet; beyond it writers wait.") ByteSize memory) {

  public static final StorageSettings DEFAULTS =
      new StorageSettings(
          StateSettings.DEFAULT.cache(),
          new ByteSize(StateSettings.DEFAULT.store().memFragmentBytes()),
          new ByteSize(StateSettings.DEFAULT.store().memoryBytes()));

  public StorageSettings {
    StoreSettings.DEFAULT.withMemory(memFragment.bytes(), memory.bytes()); // refuses what cannot be
  }

  StateSettings state() {
    StateSettings defaults = StateSettings.DEFAULT;
    return new StateSettings(
        defaults.store().withMemory(memFragment.bytes(), memory.bytes()), cache, defaults.limits());
  }
}
