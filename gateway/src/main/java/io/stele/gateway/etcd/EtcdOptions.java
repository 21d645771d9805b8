package io.stele.gateway.etcd;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.settings.ByteSize;
import java.time.Duration;
import java.util.List;

/**
 * How etcd's clients are served.
 *
 * @param progressInterval how often watchers that wish it hear how far they are when nothing
 *     happens
 * @param maxRequestBytes of a put or a transaction; above it is too large
 * @param maxOperations of each list of a transaction
 * @param origins of web pages that may use JSON; {@code *} for all
 * @param hosts names by which HTTP clients may call this server, besides addresses and {@code
 *     localhost}; {@code *} for all. Where it is empty, a server that listens on loopback has no
 *     other name, and any other server has every name
 * @param requestTimeout how long a request waits for a leader
 * @param keepaliveMinTime the shortest time between two pings of a client that is not cut off
 * @param keepaliveInterval after which a silent client gets a ping
 * @param keepaliveTimeout after which a client that does not answer the ping is cut off
 * @param handshakeTimeout after which a connection is closed that has not begun to speak HTTP/1.1
 *     or HTTP/2 yet
 * @param idleTimeout after which an HTTP/1.1 connection is closed on which no request is under way,
 *     or only a part of one has come
 */
public record EtcdOptions(
    Duration progressInterval,
    ByteSize maxRequestBytes,
    int maxOperations,
    List<String> origins,
    List<String> hosts,
    Duration requestTimeout,
    Duration keepaliveMinTime,
    Duration keepaliveInterval,
    Duration keepaliveTimeout,
    Duration handshakeTimeout,
    Duration idleTimeout) {
  /** What the metastore takes in one transaction of etcd's keys. */
  private static final ByteSize MOST_BYTES = ByteSize.ofMiB(2);

  public static final EtcdOptions DEFAULT =
      new EtcdOptions(
          Duration.ofMinutes(10),
          ByteSize.ofKiB(1536),
          128,
          List.of(),
          List.of(),
          Duration.ofSeconds(7), // as etcd with its default election timeout
          Duration.ofSeconds(5),
          Duration.ofHours(2),
          Duration.ofSeconds(20),
          Duration.ofSeconds(60),
          Duration.ofMinutes(5));

  public EtcdOptions {
    origins = List.copyOf(origins);
    hosts = List.copyOf(hosts);
    check("watch-progress-interval", progressInterval);
    check("request-timeout", requestTimeout);
    check("keepalive-min-time", keepaliveMinTime);
    check("keepalive-interval", keepaliveInterval);
    check("keepalive-timeout", keepaliveTimeout);
    check("handshake-timeout", handshakeTimeout);
    check("idle-timeout", idleTimeout);
    if (maxRequestBytes.bytes() < 1 || maxRequestBytes.compareTo(MOST_BYTES) > 0) {
      throw new InvalidRequestException(
          "etcd.max-request-bytes is " + maxRequestBytes + ": must be from 1 to " + MOST_BYTES);
    }
    if (maxOperations < 1) {
      throw new InvalidRequestException(
          "etcd.max-txn-ops is " + maxOperations + ": must be at least 1");
    }
  }

  private static void check(String name, Duration value) {
    if (!value.isPositive()) {
      throw new InvalidRequestException("etcd." + name + " is " + value + ": must be positive");
    }
  }

  public EtcdOptions withProgressInterval(Duration value) {
    return new EtcdOptions(
        value,
        maxRequestBytes,
        maxOperations,
        origins,
        hosts,
        requestTimeout,
        keepaliveMinTime,
        keepaliveInterval,
        keepaliveTimeout,
        handshakeTimeout,
        idleTimeout);
  }

  public EtcdOptions withRequestTimeout(Duration value) {
    return new EtcdOptions(
        progressInterval,
        maxRequestBytes,
        maxOperations,
        origins,
        hosts,
        value,
        keepaliveMinTime,
        keepaliveInterval,
        keepaliveTimeout,
        handshakeTimeout,
        idleTimeout);
  }
}
