package io.stele.it.datasets;

import io.stele.base.text.Json;
import io.stele.base.text.JsonReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Asks one node over HTTP, one request after the other. */
final class Reader {
  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  /**
   * What a node said.
   *
   * @param version empty if it named none
   * @param proxiedTo the node that had the value; empty if it is the one that was asked
   */
  record Answer(int status, String version, String proxiedTo, String body) {
    /** Whether it is the value of a key in the version that it is said to be from. */
    boolean isValueOf(String key) {
      return status == 200 && !version.isEmpty() && body.equals(Source.value(version, key));
    }
  }

  private final String address;

  Reader(String address) {
    this.address = address;
  }

  Answer get(String dataset, String key) {
    return answer(request(dataset + "/" + key).build());
  }

  /** The page of all datasets, or whatever else is at a path. */
  Answer page(String path) {
    return answer(request(path).header("Accept", "application/json").build());
  }

  /** Many keys at once; the values, in order, with what stands for a value that was not had. */
  Answer getMany(String dataset, List<String> keys) {
    return answer(
        request(dataset)
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(Json.write(keys)))
            .build());
  }

  /** The values of an answer to {@link #getMany}; {@code status N} in place of one not had. */
  static List<String> values(Answer answer) {
    if (JsonReader.read(answer.body) instanceof Map<?, ?> object
        && object.get("values") instanceof List<?> values) {
      return values.stream().map(Reader::value).toList();
    }
    throw new AssertionError("no values in " + answer);
  }

  private static String value(Object entry) {
    return entry instanceof Map<?, ?> map && map.get("value") instanceof String value
        ? value
        : "status " + (entry instanceof Map<?, ?> map ? map.get("status") : entry);
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create("http://" + address + "/" + path)).timeout(PATIENCE);
  }

  private static Answer answer(HttpRequest request) {
    try {
      HttpResponse<String> response = HTTP.send(request, HttpResponse.BodyHandlers.ofString());
      return new Answer(
          response.statusCode(),
          response.headers().firstValue("X-Sequins-Version").orElse(""),
          response.headers().firstValue("X-Sequins-Proxied-To").orElse(""),
          response.body());
    } catch (IOException e) {
      throw new UncheckedIOException(request.toString(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
  }
}
