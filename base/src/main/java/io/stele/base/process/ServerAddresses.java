package io.stele.base.process;

import io.stele.base.error.UnavailableException;
import io.stele.base.text.JsonReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The addresses of a server, as it writes them to {@value #FILE} in its directory once it is ready.
 *
 * @param byInterface {@code HOST:PORT} of each interface, such as {@code native} or {@code
 *     datasets}
 */
public record ServerAddresses(Map<String, String> byInterface) {
  public static final String FILE = "addresses.json";

  /** Of a server that was never ready. */
  public static final ServerAddresses NONE = new ServerAddresses(Map.of());

  public ServerAddresses {
    byInterface = Map.copyOf(byInterface);
  }

  /** Reads the file of a server's directory. */
  public static ServerAddresses read(Path directory) {
    Path file = directory.resolve(FILE);
    try {
      if (JsonReader.read(Files.readString(file)) instanceof Map<?, ?> object) {
        Map<String, String> found = new LinkedHashMap<>();
        object.forEach((key, value) -> found.put(String.valueOf(key), String.valueOf(value)));
        return new ServerAddresses(found);
      }
    } catch (IOException e) {
      throw new UnavailableException("cannot read the addresses of a server: " + e, e);
    }
    throw new UnavailableException(file + " is not a JSON object");
  }

  public Optional<String> find(String name) {
    return Optional.ofNullable(byInterface.get(name));
  }

  /** The address of an interface that the server must have. */
  public String of(String name) {
    return find(name)
        .orElseThrow(
            () ->
                new UnavailableException(
                    "the server has no interface '%s', only %s".formatted(name, byInterface)));
  }
}
