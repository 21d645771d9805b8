package io.stele.gateway.http;

import io.stele.base.bytes.Bytes;
import io.stele.base.dataset.DatasetStatus;
import io.stele.base.error.UnavailableException;
import io.stele.base.tls.Tls;
import io.stele.datasets.serve.DatasetPeer;
import io.stele.datasets.serve.LargeValue;
import io.stele.datasets.serve.PeerAnswer;
import io.stele.gateway.http.IncomingAnswer.Answer;
import io.stele.gateway.http.IncomingAnswer.LargeAnswer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.eclipse.jetty.client.BytesRequestContent;
import org.eclipse.jetty.client.HttpClient;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.client.transport.HttpClientTransportOverHTTP;
import org.eclipse.jetty.http.HttpCookieStore;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.io.ClientConnector;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.jspecify.annotations.Nullable;

/**
 * Other nodes, over HTTP. Connections are kept and used again; beyond {@value #CONNECTIONS} to a
 * node, {@value #QUEUED} requests wait for one, and others fail at once. A future that is cancelled
 * ends its request, and with it the connection: HTTP/1.1 has no other way. A value of more than
 * {@value LargeValue#THRESHOLD} bytes is not put together in memory: its reader takes it piece by
 * piece, and the other node sends no more until it does. Answers to several keys are, and must not
 * be larger than {@value LargeValue#MOST_WHOLE} bytes.
 *
 * <p>By Jetty's client, which answered between two and three times as many requests as the JDK's
 * did, of one caller at a time as well as of 64.
 */
public final class HttpPeers implements DatasetPeer, AutoCloseable {
  private static final Duration CONNECT_PATIENCE = Duration.ofSeconds(1);
  private static final Duration STATUS_PATIENCE = Duration.ofSeconds(2);
  private static final int MOST_IDLE_MILLIS = 30_000; // a server ends what is idle for longer
  private static final int THREADS = 8; // the client's own; they do not wait for anything
  private static final int CONNECTIONS = 256;
  private static final int QUEUED = 4096;

  private final HttpClient client;
  private final String scheme;

  /**
   * Connects when it is first asked to.
   *
   * @param patience with a connection on which nothing happens: a lookup is given up if nothing has
   *     arrived and nobody has cancelled it, and a large value of which nobody has taken anything.
   *     Half a minute at most.
   * @param tls that accepts nodes alone; nothing for connections without TLS
   */
  public HttpPeers(Duration patience, Optional<Tls> tls) {
    ClientConnector connector = new ClientConnector();
    connector.setSelectors(1);
    tls.ifPresent(secured -> connector.setSslContextFactory(ssl(secured)));
    this.scheme = tls.isPresent() ? "https://" : "http://";
    this.client = new HttpClient(new HttpClientTransportOverHTTP(connector));
    QueuedThreadPool pool = new QueuedThreadPool(THREADS, 1);
    pool.setName("stele-http-peers");
    pool.setDaemon(true);
    client.setExecutor(pool);
    client.setConnectTimeout(CONNECT_PATIENCE.toMillis());
    // Of connections, not of requests, each of which would start and stop two timers.
    client.setIdleTimeout(Math.min(patience.toMillis(), MOST_IDLE_MILLIS));
    client.setMaxConnectionsPerDestination(CONNECTIONS);
    client.setMaxRequestsQueuedPerDestination(QUEUED);
    client.setFollowRedirects(false);
    client.setHttpCookieStore(new HttpCookieStore.Empty());
    client.setUserAgentField(null);
    try {
      client.start();
    } catch (Exception e) {
      throw new UnavailableException("cannot make connections to other nodes: " + e, e);
    }
    client.getContentDecoderFactories().clear();
  }

  private static SslContextFactory.Client ssl(Tls tls) {
    SslContextFactory.Client ssl = new SslContextFactory.Client(); // compares the host
    ssl.setSslContext(tls.context());
    return ssl;
  }

  @Override
  public CompletableFuture<List<PeerAnswer>> get(
      String address, String dataset, String version, int shards, List<Bytes> keys) {
    String query = "?proxy=" + RequestPath.encode(Bytes.utf8(version)) + "&shards=" + shards;
    String path = RequestPath.encode(Bytes.utf8(dataset));
    if (keys.size() == 1 && !keys.getFirst().isEmpty()) {
      return send(
          to(address, path + "/" + RequestPath.encode(keys.getFirst()) + query),
          answer -> List.of(one(address, version, answer)),
          answer -> List.of(large(address, version, answer)));
    }
    return post(address, path + query, version, keys);
  }

  @Override
  public CompletableFuture<List<PeerAnswer>> getSmall(
      String address, String dataset, String version, int shards, List<Bytes> keys) {
    String path = RequestPath.encode(Bytes.utf8(dataset));
    String query = "?proxy=" + RequestPath.encode(Bytes.utf8(version)) + "&shards=" + shards;
    return post(address, path + query + "&small=true", version, keys);
  }

  private CompletableFuture<List<PeerAnswer>> post(
      String address, String rest, String version, List<Bytes> keys) {
    return send(
        to(address, rest)
            .method(HttpMethod.POST)
            .body(new BytesRequestContent(Answers.BINARY, MultiGet.toBinary(keys))),
        answer -> many(address, version, keys.size(), answer),
        null);
  }

  @Override
  public CompletableFuture<List<DatasetStatus>> status(String address) {
    return send(
        to(address, "?proxy=status")
            .timeout(STATUS_PATIENCE.toNanos(), TimeUnit.NANOSECONDS)
            .headers(headers -> headers.put(HttpHeader.ACCEPT, Answers.JSON)),
        answer -> {
          if (answer.status() != Answers.OK) {
            throw refused(address, answer);
          }
          return StatusJson.read(answer.text());
        },
        null);
  }

  private Request to(String address, String rest) {
    try {
      return client.newRequest(scheme + address + "/" + rest);
    } catch (IllegalArgumentException e) {
      throw new UnavailableException("'" + address + "' is no address of a node", e);
    }
  }

  private static <T> CompletableFuture<T> send(
      Request request, Function<Answer, T> reading, @Nullable Function<LargeAnswer, T> large) {
    CompletableFuture<T> answer =
        new CompletableFuture<>() {
          @Override
          public boolean cancel(boolean mayInterrupt) {
            boolean cancelled = super.cancel(mayInterrupt);
            if (cancelled) {
              var _ = request.abort(new CancellationException("another node was faster"));
            }
            return cancelled;
          }
        };
    request.send(new IncomingAnswer<>(request, answer, reading, large));
    return answer;
  }

  private static PeerAnswer one(String address, String version, Answer answer) {
    return switch (answer.status()) {
      case Answers.OK -> {
        check(address, version, answer);
        yield new PeerAnswer.Found(answer.body());
      }
      case Answers.NOT_FOUND -> {
        check(address, version, answer);
        yield new PeerAnswer.Missing();
      }
      case Answers.NOT_HERE -> new PeerAnswer.NotHere(answer.text());
      default -> throw refused(address, answer);
    };
  }

  private static PeerAnswer large(String address, String version, LargeAnswer answer) {
    check(address, version, answer.head());
    return new PeerAnswer.Large(answer.value());
  }

  private static List<PeerAnswer> many(String address, String version, int keys, Answer answer) {
    if (answer.status() != Answers.OK) {
      throw refused(address, answer);
    }
    check(address, version, answer);
    List<MultiGet.Entry> entries = MultiGet.entries(answer.body().sharedArray());
    if (entries.size() != keys) {
      throw new UnavailableException(
          "%s: %d answers to %d keys".formatted(address, entries.size(), keys));
    }
    List<PeerAnswer> answers = new ArrayList<>(keys);
    for (MultiGet.Entry entry : entries) {
      answers.add(
          switch (entry.status()) {
            case Answers.OK -> new PeerAnswer.Found(entry.content());
            case Answers.NOT_FOUND -> new PeerAnswer.Missing();
            case Answers.TOO_LARGE -> new PeerAnswer.TooLarge();
            case Answers.NOT_HERE -> new PeerAnswer.NotHere(entry.content().toUtf8());
            default ->
                throw new UnavailableException(
                    address + ": status " + entry.status() + ": " + entry.content().toUtf8());
          });
    }
    return answers;
  }

  private static void check(String address, String version, Answer answer) {
    String found = answer.headers().get(Answers.VERSION);
    if (!version.equals(found)) {
      throw new UnavailableException(
          "%s: an answer of status %d from version '%s': must be from '%s'"
              .formatted(address, answer.status(), found == null ? "" : found, version));
    }
  }

  private static UnavailableException refused(String address, Answer answer) {
    return new UnavailableException(address + ": status " + answer.status() + ": " + answer.text());
  }

  @Override
  public void close() {
    try {
      client.stop();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (Exception e) {
      throw new UnavailableException("connections to other nodes did not end in order: " + e, e);
    }
  }
}
