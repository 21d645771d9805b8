package io.stele.gateway.web;

import io.netty.util.NetUtil;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Keeps web pages out. A browser lets any page send requests to a server that its user can reach,
 * so a request is refused if
 *
 * <ul>
 *   <li>its {@code Origin} or {@code Sec-Fetch-Site}, which browsers send and other clients do not,
 *       tells of a page that the settings do not name;
 *   <li>it calls the server by a name that is not the server's: a page can let its own name lead to
 *       this server (DNS rebinding), and its requests then count as sent to the page's own origin;
 *   <li>its content is of a type that only forms of web pages have. {@code
 *       application/x-www-form-urlencoded} is accepted, since curl sends it unless told otherwise;
 *       a form cannot write JSON in it.
 * </ul>
 */
public final class WebGuard {
  private static final String ALL = "*";
  private static final String ORIGIN = "origin";
  private static final String HOST = "host";
  private static final String FETCH_SITE = "sec-fetch-site";
  private static final String TYPE = "content-type";
  private static final Set<String> FORMS = Set.of("text/plain", "multipart/form-data");
  private static final int FORBIDDEN = 403;
  private static final int UNSUPPORTED_TYPE = 415;

  private final String section;
  private final Set<String> origins;
  private final Set<String> hosts;
  private final boolean anyHost;
  private final boolean servesPages;

  /**
   * For a server.
   *
   * @param section of the settings, with the keys {@code origins} and {@code hosts}; for messages
   * @param origins of web pages that may use it; {@code *} for all
   * @param hosts its names, besides addresses and {@code localhost}; {@code *} for all
   * @param loopback whether only its own machine can reach it: then it has only the names that are
   *     given; another one has all names if none is given
   * @param servesPages whether it serves web pages itself, which may use it
   */
  public WebGuard(
      String section,
      List<String> origins,
      List<String> hosts,
      boolean loopback,
      boolean servesPages) {
    this.section = section;
    this.origins = Set.copyOf(origins);
    this.hosts = Set.copyOf(hosts.stream().map(host -> host.toLowerCase(Locale.ROOT)).toList());
    this.anyHost = hosts.contains(ALL) || (hosts.isEmpty() && !loopback);
    this.servesPages = servesPages;
  }

  /** Why a request is not answered. */
  public record Refusal(int status, String reason) {}

  /**
   * Checks any request.
   *
   * @param headers the value of a header by its lower-case name
   */
  public Optional<Refusal> refusal(Function<String, @Nullable String> headers) {
    if (isForeignPage(headers)) {
      String origin = headers.apply(ORIGIN);
      return Optional.of(
          new Refusal(
              FORBIDDEN,
              (origin == null ? "another site's page" : "origin " + origin)
                  + ": not among "
                  + section
                  + ".origins"));
    }
    String host = headers.apply(HOST);
    return host == null || anyHost || isOwn(name(host))
        ? Optional.empty()
        : Optional.of(
            new Refusal(
                FORBIDDEN,
                "host "
                    + host
                    + ": must be an address, localhost or one of "
                    + section
                    + ".hosts"));
  }

  /** Checks the content of a call. */
  public static Optional<Refusal> contentRefusal(Function<String, @Nullable String> headers) {
    String type = headers.apply(TYPE);
    return type != null && FORMS.contains(plainType(type))
        ? Optional.of(
            new Refusal(UNSUPPORTED_TYPE, "content of type " + type + ": must be application/json"))
        : Optional.empty();
  }

  /** A content type without its parameters. */
  public static String plainType(String type) {
    return type.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
  }

  private boolean isForeignPage(Function<String, @Nullable String> headers) {
    if (origins.contains(ALL)) {
      return false;
    }
    String origin = headers.apply(ORIGIN);
    if (origin != null) {
      return !origins.contains(origin) && !(servesPages && isOwnOrigin(origin, headers));
    }
    String site = headers.apply(FETCH_SITE);
    return site != null && !site.equals("none") && !(servesPages && site.equals("same-origin"));
  }

  /** Whether a page came from the address that is called now, which is checked by itself. */
  private static boolean isOwnOrigin(String origin, Function<String, @Nullable String> headers) {
    String host = headers.apply(HOST);
    return host != null && (origin.equals("http://" + host) || origin.equals("https://" + host));
  }

  private boolean isOwn(String name) {
    return name.equals("localhost")
        || NetUtil.isValidIpV4Address(name)
        || NetUtil.isValidIpV6Address(name)
        || hosts.contains(name);
  }

  /** Without the port, and without the brackets of an address. */
  private static String name(String host) {
    String lower = host.strip().toLowerCase(Locale.ROOT);
    if (lower.startsWith("[")) {
      int end = lower.indexOf(']');
      return end < 0 ? lower : lower.substring(1, end);
    }
    int colon = lower.lastIndexOf(':');
    return colon < 0 ? lower : lower.substring(0, colon);
  }
}
