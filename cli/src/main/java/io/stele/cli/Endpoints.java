package io.stele.cli;

import io.stele.base.error.InvalidRequestException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Which servers to ask: those given, else those of the environment, else this machine's. */
public final class Endpoints {

  /** Of a server's native interface. */
  public static final int DEFAULT_PORT = 7835;

  /** The variable that names servers for all commands. */
  public static final String VARIABLE = "STELE_ENDPOINTS";

  /** Its name when the metastore was all there was; read where the other is not set. */
  private static final String OLD_VARIABLE = "STELE_METASTORE";

  /** A server of this machine with the default settings. */
  public static final List<String> LOCAL = List.of("127.0.0.1:" + DEFAULT_PORT);

  private static final int MAX_PORT = 65_535;

  private Endpoints() {}

  /** The addresses, each {@code HOST:PORT}; those of {@code otherwise} where none are given. */
  static List<String> choose(
      @Nullable String given, Map<String, String> environment, List<String> otherwise) {
    if (given != null) {
      return parse("--endpoints", given);
    }
    for (String variable : List.of(VARIABLE, OLD_VARIABLE)) {
      String value = environment.get(variable);
      if (value != null) {
        return parse(variable, value);
      }
    }
    return otherwise;
  }

  private static List<String> parse(String origin, String text) {
    return Arrays.stream(text.split(",", -1))
        .map(String::strip)
        .map(address -> check(origin, address))
        .toList();
  }

  /** One address, which a message names by where it was found. */
  public static String check(String origin, String address) {
    int colon = address.lastIndexOf(':');
    String port = address.substring(colon + 1);
    if (colon < 1 || !port.matches("[0-9]{1,5}") || !isPort(Integer.parseInt(port))) {
      throw new InvalidRequestException(
          "%s: '%s' is no address; must be HOST:PORT, such as 127.0.0.1:%d"
              .formatted(origin, address, DEFAULT_PORT));
    }
    return address;
  }

  private static boolean isPort(int number) {
    return number >= 1 && number <= MAX_PORT;
  }
}
