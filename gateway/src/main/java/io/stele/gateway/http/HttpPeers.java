package io.stele.gateway.http;

import io.stele.base.bytes.Bytes;
import io.stele.base.dataset.DatasetStatus;
import io.stele.base.error.SteleException;
import io.stele.base.error.UnavailableException;
import io.stele.datasets.serve.DatasetPeer;
import io.stele.datasets.serve.PeerAnswer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;

/**
 * Other nodes, over HTTP. Connections are kept and used again. A future that is cancelled ends its
 * request, and with it the connection: HTTP/1.1 has no other way.
 */
public final class HttpPeers implements DatasetPeer, AutoCloseable {
  private static final Duration CONNECT_PATIENCE = Duration.ofSeconds(1);
  private static final Duration STATUS_PATIENCE = Duration.ofSeconds(2);

  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final Duration patience;
  private final HttpClient client;

  /**
   * Connects when it is first asked to.
   *
   * @param patience after which a lookup is given up, where nobody has cancelled it before
   */
  public HttpPeers(Duration patience) {
    this.patience = patience;
    this.client =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .connectTimeout(CONNECT_PATIENCE)
            .executor(threads)
            .build();
  }

  @Override
  public CompletableFuture<List<PeerAnswer>> get(
      String address, String dataset, String version, List<Bytes> keys) {
    String query = "?proxy=" + RequestPath.encode(Bytes.utf8(version));
    String path = RequestPath.encode(Bytes.utf8(dataset));
    if (keys.size() == 1 && !keys.getFirst().isEmpty()) {
      HttpRequest request =
          to(address, path + "/" + RequestPath.encode(keys.getFirst()) + query, patience).build();
      return send(request, answer -> List.of(one(address, version, answer)));
    }
    HttpRequest request =
        to(address, path + query, patience)
            .header("Content-Type", Answers.BINARY)
            .POST(BodyPublishers.ofByteArray(MultiGet.toBinary(keys)))
            .build();
    return send(request, answer -> many(address, version, keys.size(), answer));
  }

  @Override
  public CompletableFuture<List<DatasetStatus>> status(String address) {
    HttpRequest request =
        to(address, "?proxy=status", STATUS_PATIENCE).header("Accept", Answers.JSON).build();
    return send(
        request,
        answer -> {
          if (answer.statusCode() != Answers.OK) {
            throw refused(address, answer);
          }
          return StatusJson.read(new String(answer.body(), StandardCharsets.UTF_8));
        });
  }

  private static HttpRequest.Builder to(String address, String rest, Duration patience) {
    try {
      return HttpRequest.newBuilder(URI.create("http://" + address + "/" + rest)).timeout(patience);
    } catch (IllegalArgumentException e) {
      throw new UnavailableException("'" + address + "' is no address of a node", e);
    }
  }

  /** Cancelling what is returned cancels the request: a stage behind it alone would not. */
  private <T> CompletableFuture<T> send(
      HttpRequest request, Function<HttpResponse<byte[]>, T> reading) {
    CompletableFuture<HttpResponse<byte[]>> sent =
        client.sendAsync(request, BodyHandlers.ofByteArray());
    CompletableFuture<T> answer =
        new CompletableFuture<>() {
          @Override
          public boolean cancel(boolean mayInterrupt) {
            sent.cancel(true);
            return super.cancel(mayInterrupt);
          }
        };
    var _ =
        sent.whenComplete(
            (response, problem) -> {
              if (problem != null) {
                answer.completeExceptionally(failed(request, problem));
                return;
              }
              try {
                answer.complete(reading.apply(response));
              } catch (RuntimeException e) {
                answer.completeExceptionally(e);
              }
            });
    return answer;
  }

  private static SteleException failed(HttpRequest request, Throwable problem) {
    Throwable cause =
        problem instanceof CompletionException && problem.getCause() != null
            ? problem.getCause()
            : problem;
    return new UnavailableException(request.uri().getAuthority() + ": " + cause, cause);
  }

  private static PeerAnswer one(String address, String version, HttpResponse<byte[]> answer) {
    return switch (answer.statusCode()) {
      case Answers.OK -> {
        check(address, version, answer);
        yield new PeerAnswer.Found(Bytes.wrap(answer.body()));
      }
      case Answers.NOT_FOUND -> {
        check(address, version, answer);
        yield new PeerAnswer.Missing();
      }
      case Answers.NOT_HERE -> new PeerAnswer.NotHere(text(answer));
      default -> throw refused(address, answer);
    };
  }

  private static List<PeerAnswer> many(
      String address, String version, int keys, HttpResponse<byte[]> answer) {
    if (answer.statusCode() != Answers.OK) {
      throw refused(address, answer);
    }
    check(address, version, answer);
    List<MultiGet.Entry> entries = MultiGet.entries(answer.body());
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
            case Answers.NOT_HERE -> new PeerAnswer.NotHere(entry.content().toUtf8());
            default ->
                throw new UnavailableException(
                    address + ": status " + entry.status() + ": " + entry.content().toUtf8());
          });
    }
    return answers;
  }

  private static void check(String address, String version, HttpResponse<byte[]> answer) {
    String found = answer.headers().firstValue(Answers.VERSION).orElse("");
    if (!found.equals(version)) {
      throw new UnavailableException(
          "%s: an answer of status %d from version '%s': must be from '%s'"
              .formatted(address, answer.statusCode(), found, version));
    }
  }

  private static UnavailableException refused(String address, HttpResponse<byte[]> answer) {
    return new UnavailableException(
        address + ": status " + answer.statusCode() + ": " + text(answer));
  }

  private static String text(HttpResponse<byte[]> answer) {
    return new String(answer.body(), StandardCharsets.UTF_8).strip();
  }

  @Override
  public void close() {
    client.shutdownNow();
    threads.shutdownNow();
  }
}
