package io.stele.gateway.etcd.json;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.util.NetUtil;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

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
  private static final String FETCH_SITE = "sec-fetch-site";
  private static final Set<String> FORMS = Set.of("text/plain", "multipart/form-data");

  private final Set<String> origins;
  private final Set<String> hosts;
  private final boolean anyHost;

  /**
   * For a server.
   *
   * @param origins of web pages that may use it; {@code *} for all
   * @param hosts its names, besides addresses and {@code localhost}; {@code *} for all
   * @param loopback whether only its own machine can reach it: then it has only the names that are
   *     given; another one has all names if none is given
   */
  public WebGuard(List<String> origins, List<String> hosts, boolean loopback) {
    this.origins = Set.copyOf(origins);
    this.hosts = Set.copyOf(hosts.stream().map(host -> host.toLowerCase(Locale.ROOT)).toList());
    this.anyHost = hosts.contains(ALL) || (hosts.isEmpty() && !loopback);
  }

  /** Why a request is not answered. */
  record Refusal(HttpResponseStatus status, String reason) {}

  /** What speaks against any request. */
  Optional<Refusal> refusal(HttpHeaders headers) {
    if (isForeignPage(headers)) {
      return Optional.of(
          new Refusal(
              HttpResponseStatus.FORBIDDEN,
              "origin " + headers.get(ORIGIN) + ": not among etcd.origins"));
    }
    String host = headers.get(HttpHeaderNames.HOST);
    return host == null || anyHost || isOwn(name(host))
        ? Optional.empty()
        : Optional.of(
            new Refusal(
                HttpResponseStatus.FORBIDDEN,
                "host " + host + ": must be an address, localhost or one of etcd.hosts"));
  }

  /** What speaks against the content of a call. */
  static Optional<Refusal> contentRefusal(HttpHeaders headers) {
    String type = headers.get(HttpHeaderNames.CONTENT_TYPE, "");
    String plain = type.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
    return FORMS.contains(plain)
        ? Optional.of(
            new Refusal(
                HttpResponseStatus.UNSUPPORTED_MEDIA_TYPE,
                "content of type " + type + ": must be application/json"))
        : Optional.empty();
  }

  private boolean isForeignPage(HttpHeaders headers) {
    if (origins.contains(ALL)) {
      return false;
    }
    String origin = headers.get(ORIGIN);
    if (origin != null) {
      return !origins.contains(origin);
    }
    String site = headers.get(FETCH_SITE);
    return site != null && !site.equals("none");
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
