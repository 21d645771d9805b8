package io.stele.base.file;

import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Map;

/**
 * Opens file stores of kinds that this module does not know. Found by {@link
 * java.util.ServiceLoader}, so that the libraries a kind needs stay in its own module.
 */
public interface FileStoreProvider {
  /** Whether this provider can open such a location. Looks at its scheme and touches nothing. */
  boolean supports(URI location);

  /** The schemes it is known to open, for people who chose another one. */
  List<String> schemes();

  /**
   * Opens a location that this provider supports.
   *
   * @param options the store's own settings, by the names its documentation gives them
   */
  FileStore open(URI location, Map<String, String> options) throws IOException;
}
