package io.stele.base.file;

import io.stele.base.error.InvalidRequestException;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * Opens the file store that a location names.
 *
 * <ul>
 *   <li>{@code /var/lib/stele}, {@code data}, {@code file:/var/lib/stele}: a local directory,
 *       beside other openers
 *   <li>{@code memory:} (as a URI, {@code memory:/}): a new, empty store in memory
 *   <li>{@code hdfs://name-node/stele}, {@code s3a://bucket/stele}, …: whatever the {@link
 *       FileStoreProvider}s on the class path open
 * </ul>
 */
public final class FileStores {
  /** What makes a location a URI; one letter would be a drive. */
  private static final Pattern SCHEME = Pattern.compile("[A-Za-z][A-Za-z0-9+.-]+:.*");

  private FileStores() {}

  /** Opens a location as a person writes it: a path, or a URI. */
  public static FileStore open(String location) throws IOException {
    if (!SCHEME.matcher(location).matches()) {
      return LocalFileStore.open(Path.of(location));
    }
    try {
      // A scheme alone is not a URI to the JDK.
      return open(new URI(location.equals("memory:") ? "memory:/" : location));
    } catch (URISyntaxException e) {
      throw new InvalidRequestException(
          "file store \"" + location + "\" is neither a path nor a URI: " + e.getMessage(), e);
    }
  }

  public static FileStore open(URI location) throws IOException {
    return open(location, Map.of());
  }

  /**
   * Opens a location.
   *
   * @param options settings of the store; local directories and memory have none
   */
  public static FileStore open(URI location, Map<String, String> options) throws IOException {
    String scheme = location.getScheme() == null ? "file" : location.getScheme();
    return switch (scheme.toLowerCase(Locale.ROOT)) {
      case "file" -> {
        refuseOptions(location, options);
        yield LocalFileStore.open(localPath(location));
      }
      case "memory" -> {
        refuseOptions(location, options);
        yield new MemoryFileStore();
      }
      default -> openByProvider(location, options);
    };
  }

  private static FileStore openByProvider(URI location, Map<String, String> options)
      throws IOException {
    List<FileStoreProvider> providers = new ArrayList<>();
    ServiceLoader.load(FileStoreProvider.class).forEach(providers::add);
    for (FileStoreProvider provider : providers) {
      if (provider.supports(location)) {
        return provider.open(location, options);
      }
    }
    TreeSet<String> known = new TreeSet<>(List.of("file", "memory"));
    providers.forEach(provider -> known.addAll(provider.schemes()));
    throw new InvalidRequestException(
        "no file store for the scheme \""
            + location.getScheme()
            + "\" of "
            + withoutPassword(location)
            + "; known here: "
            + String.join(", ", known)
            + ". HDFS, S3 and other Hadoop file systems need the stele-hadoop module, and those"
            + " that Hadoop ships apart (s3a: hadoop-aws) their own library, on the class path");
  }

  private static Path localPath(URI location) {
    String authority = location.getRawAuthority();
    String path = location.getPath();
    if (path == null) {
      // As in file:data, which URI takes for opaque.
      path = location.getSchemeSpecificPart();
    }
    if (authority != null || path.isEmpty()) {
      throw new InvalidRequestException(
          "file store "
              + withoutPassword(location)
              + " names no local directory: write file:/path");
    }
    return Path.of(path);
  }

  private static void refuseOptions(URI location, Map<String, String> options) {
    if (!options.isEmpty()) {
      throw new InvalidRequestException(
          "file store " + location + " has no options, found " + new TreeSet<>(options.keySet()));
    }
  }

  /** Some stores take their credentials from the location: these must not end up in a log. */
  private static String withoutPassword(URI location) {
    String user = location.getRawUserInfo();
    return user == null ? location.toString() : location.toString().replace(user + "@", "");
  }
}
