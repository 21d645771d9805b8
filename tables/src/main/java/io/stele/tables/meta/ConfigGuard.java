package io.stele.tables.meta;

import io.stele.base.error.ConflictException;
import io.stele.base.error.FencedException;
import io.stele.base.file.FilePath;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Decides by what META says of a tablet whether it may be changed. What is decided holds for the
 * write: if the row is changed in between, nothing is written, and it is read and decided again. So
 * META has one owner for each tablet, whoever believes what.
 */
public interface ConfigGuard {
  /** Where one server has all tablets: nothing is read before it is written. */
  ConfigGuard NONE = (_, _) -> {};

  /**
   * Looks at a tablet that is to be saved or removed.
   *
   * @param stored what META says of it; none if there is no such tablet
   * @throws FencedException if another server has it
   * @throws ConflictException if it is not what it was
   */
  void check(TabletKey tablet, Optional<TabletConfig> stored);

  /**
   * For the server that has a tablet: its newest changes are in this log.
   *
   * @param log the directory of the server's log
   */
  static ConfigGuard owned(FilePath log) {
    return (tablet, stored) -> {
      if (stored.isEmpty()) {
        throw new FencedException(
            tablet + " is no longer in META, and so no longer to be saved by the server of " + log);
      }
      checkOwner(tablet, stored.get(), log);
    };
  }

  /** The same, where tablets may come into being: the lower half of a split. */
  static ConfigGuard ownedOrNew(FilePath log) {
    return (tablet, stored) -> stored.ifPresent(config -> checkOwner(tablet, config, log));
  }

  private static void checkOwner(TabletKey tablet, TabletConfig stored, FilePath log) {
    if (stored.log().filter(newest -> newest.directory().equals(log)).isEmpty()) {
      throw new FencedException(
          tablet
              + " was taken from the server of "
              + log
              + ": in META it is "
              + stored.log().map(newest -> "of " + newest.directory()).orElse("nobody's"));
    }
  }

  /** For who takes tablets over: they are as they were read. */
  static ConfigGuard unchanged(List<TabletConfig> read) {
    Map<TabletKey, TabletConfig> known = new HashMap<>();
    read.forEach(config -> known.put(config.key(), config));
    return (tablet, stored) -> {
      if (!stored.equals(Optional.ofNullable(known.get(tablet)))) {
        throw new ConflictException(
            tablet
                + " was changed since it was read: in META it is "
                + stored
                    .map(
                        config -> "at \"" + config.location() + "\", revision " + config.revision())
                    .orElse("no more"));
      }
    };
  }
}
