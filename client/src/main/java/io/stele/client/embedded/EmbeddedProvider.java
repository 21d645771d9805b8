package io.stele.client.embedded;

import io.stele.client.metastore.ClientSettings;
import java.nio.file.Path;

/**
 * Opens stores in this process; found by {@link java.util.ServiceLoader}. The artifact {@code
 * stele-server} has one.
 */
public interface EmbeddedProvider {
  /**
   * Opens the store in a directory, which is made where it does not exist.
   *
   * @throws io.stele.base.error.SteleException if it cannot be opened, as when another process has
   *     it open
   */
  StoreConnection open(Path directory, ClientSettings settings);
}
