package io.stele.server;

import io.stele.base.settings.About;
import io.stele.base.settings.ByteSize;
import io.stele.engine.StoreSettings;
import io.stele.metastore.state.StateSettings;

/** How the metastore's state is kept, and how much memory it may take. */
public record StorageSettings(
    @About("For blocks of the state's files.") ByteSize cache,
    @About("Of changes that are not in files yet, at which they are written to one.")
        ByteSize memFragment,
    @About("Of all changes that are not in files yet; beyond it writers wait.") ByteSize memory,
    @About(
            "The newest cluster version that this member agrees to. A group stays at the oldest"
                + " version of its members, and there is no way back to a program that does not"
                + " know the group's version: hold it back on one member until an upgrade has"
                + " proved itself.")
        int newestVersion) {

  public static final StorageSettings DEFAULTS =
      new StorageSettings(
          StateSettings.DEFAULT.cache(),
          new ByteSize(StateSettings.DEFAULT.store().memFragmentBytes()),
          new ByteSize(StateSettings.DEFAULT.store().memoryBytes()),
          StateSettings.DEFAULT.newestVersion());

  public StorageSettings {
    StoreSettings.DEFAULT.withMemory(memFragment.bytes(), memory.bytes()); // refuses what cannot be
    StateSettings.DEFAULT.withNewestVersion(newestVersion); // likewise
  }

  StateSettings state() {
    StateSettings defaults = StateSettings.DEFAULT;
    return new StateSettings(
        defaults.store().withMemory(memFragment.bytes(), memory.bytes()),
        cache,
        defaults.limits(),
        newestVersion);
  }
}
