package io.stele.gateway.http;

import io.stele.base.bytes.Bytes;
import io.stele.base.dataset.Lookup;
import io.stele.base.dataset.Origin;
import io.stele.base.error.SteleException;
import io.stele.base.event.Defects;
import io.stele.datasets.serve.LargeValue;
import io.stele.datasets.serve.OpenedLookup;
import io.stele.datasets.serve.PeerAnswer;
import io.stele.gateway.web.HttpErrors;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.eclipse.jetty.http.DateGenerator;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.http.PreEncodedHttpField;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/**
 * What is answered, as status codes and headers. This is the one place that maps kinds of errors to
 * codes:
 *
 * <pre>
 *   200  the value                       X-Sequins-Version, Last-Modified, X-Sequins-Proxied-To
 *   400  a request that must be changed
 *   404  X-Sequins-Version: the version does not have the key; without: there is no such dataset
 *   500  the shard is here and cannot be read
 *   501  to a node that asked for a version or a shard that is not here
 *   502  no node has the shard, or all that have it failed
 *   503  the server is starting
 *   504  the nodes that have the shard did not answer in time
 * </pre>
 */
final class Answers {
  static final String VERSION = "X-Sequins-Version";
  static final String PROXIED_TO = "X-Sequins-Proxied-To";
  static final String JSON = "application/json";
  static final String HTML = "text/html; charset=utf-8";
  static final String BINARY = "application/octet-stream";

  static final int OK = 200;
  static final int BAD_REQUEST = 400;
  static final int NOT_FOUND = 404;
  static final int TOO_LARGE = 413; // of several keys that another node asks for
  static final int INTERNAL = 500;
  static final int NOT_HERE = 501;
  static final int NO_PEER = 502;
  static final int UNAVAILABLE = 503;
  static final int TIMED_OUT = 504;

  private static final HttpField TEXT =
      new PreEncodedHttpField(HttpHeader.CONTENT_TYPE, "text/plain; charset=utf-8");
  private static final int PIECE_BYTES = 64 << 10;
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0).asReadOnlyBuffer();

  /** A version's headers, which are the same for all of its keys. */
  private record VersionFields(String version, long loaded, HttpField name, HttpField modified) {
    static VersionFields of(Origin origin) {
      return new VersionFields(
          origin.version(),
          origin.loadedMicros(),
          new PreEncodedHttpField(VERSION, origin.version()),
          new PreEncodedHttpField(
              HttpHeader.LAST_MODIFIED, DateGenerator.formatDate(origin.loadedMicros() / 1000)));
    }

    boolean areOf(Origin origin) {
      return loaded == origin.loadedMicros() && version.equals(origin.version());
    }
  }

  private final HttpField valueType;
  private final Map<String, VersionFields> fields = new ConcurrentHashMap<>(); // by dataset

  /**
   * Answers of one server.
   *
   * @param valueType the content type of values
   */
  Answers(String valueType) {
    this.valueType = new PreEncodedHttpField(HttpHeader.CONTENT_TYPE, valueType);
  }

  /** The answer to a client that asked for a key. */
  void lookup(String dataset, Lookup lookup, Response response, Callback callback) {
    switch (lookup) {
      case Lookup.Found(Bytes value, Origin origin) -> {
        version(dataset, origin, response);
        value(value, response, callback);
      }
      case Lookup.Missing(Origin origin) -> {
        version(dataset, origin, response);
        nothing(NOT_FOUND, response, callback);
      }
      case Lookup.Failed failed -> {
        response.getHeaders().put(VERSION, failed.version());
        text(status(failed.failure()), failed.reason(), response, callback);
      }
    }
  }

  /** The answer to a client that asked for a key whose value may be large; may wait for both. */
  void lookup(String dataset, OpenedLookup lookup, Response response, Callback callback) {
    switch (lookup) {
      case OpenedLookup.Whole(Lookup whole) -> lookup(dataset, whole, response, callback);
      case OpenedLookup.Large(LargeValue value, Origin origin) -> {
        version(dataset, origin, response);
        large(value, response, callback);
      }
    }
  }

  static int status(Lookup.Failure failure) {
    return switch (failure) {
      case NO_PEER -> NO_PEER;
      case TIMED_OUT -> TIMED_OUT;
      case LOCAL -> INTERNAL;
    };
  }

  /** The answer to a node that asked for a key of a version. */
  void peer(String version, PeerAnswer answer, Response response, Callback callback) {
    switch (answer) {
      case PeerAnswer.Found(Bytes value) -> {
        response.getHeaders().put(VERSION, version);
        value(value, response, callback);
      }
      case PeerAnswer.Large(LargeValue value) -> {
        response.getHeaders().put(VERSION, version);
        large(value, response, callback);
      }
      case PeerAnswer.Missing() -> {
        response.getHeaders().put(VERSION, version);
        nothing(NOT_FOUND, response, callback);
      }
      case PeerAnswer.TooLarge() ->
          throw new IllegalStateException("one key was asked for: its value is never too large");
      case PeerAnswer.NotHere(String reason) -> text(NOT_HERE, reason, response, callback);
    }
  }

  /** Says which version an answer is from. */
  void version(String dataset, Origin origin, Response response) {
    VersionFields known = fields.get(dataset);
    if (known == null || !known.areOf(origin)) {
      known = VersionFields.of(origin);
      fields.put(dataset, known);
    }
    HttpFields.Mutable headers = response.getHeaders();
    headers.add(known.name());
    headers.add(known.modified());
    if (origin.proxied()) {
      headers.add(PROXIED_TO, origin.proxiedTo());
    }
  }

  private void value(Bytes value, Response response, Callback callback) {
    response.setStatus(OK);
    HttpFields.Mutable headers = response.getHeaders();
    headers.add(valueType);
    headers.add(HttpHeader.CONTENT_LENGTH, value.length());
    response.write(true, ByteBuffer.wrap(value.sharedArray()), callback);
  }

  /** Hands on a piece at a time: the next one is read when the client has taken the one before. */
  private void large(LargeValue value, Response response, Callback callback) {
    response.setStatus(OK);
    HttpFields.Mutable headers = response.getHeaders();
    headers.add(valueType);
    headers.add(HttpHeader.CONTENT_LENGTH, value.length());
    try (value) {
      if (HttpMethod.HEAD.is(response.getRequest().getMethod())) {
        Content.Sink.write(response, true, NOTHING);
      } else {
        byte[] piece = new byte[PIECE_BYTES];
        for (long left = value.length(); left > 0; ) {
          int count = value.content().read(piece, 0, (int) Math.min(piece.length, left));
          if (count < 0) {
            throw new EOFException("the value ends %d bytes early".formatted(left));
          }
          left -= count;
          Content.Sink.write(response, left == 0, ByteBuffer.wrap(piece, 0, count));
        }
      }
    } catch (IOException e) {
      brokeOff(e, response, callback);
      return;
    }
    callback.succeeded();
  }

  /** Once the head is sent, a client can only tell by a body that ends early. */
  private static void brokeOff(IOException problem, Response response, Callback callback) {
    if (response.isCommitted()) {
      callback.failed(problem);
    } else {
      response.reset();
      text(NO_PEER, "the value broke off: " + problem.getMessage(), response, callback);
    }
  }

  private static void nothing(int status, Response response, Callback callback) {
    response.setStatus(status);
    response.getHeaders().put(HttpHeader.CONTENT_LENGTH, 0);
    response.write(true, NOTHING, callback);
  }

  static void text(int status, String message, Response response, Callback callback) {
    byte[] bytes = (message + "\n").getBytes(StandardCharsets.UTF_8);
    response.setStatus(status);
    response.getHeaders().put(TEXT).put(HttpHeader.CONTENT_LENGTH, bytes.length);
    response.write(true, ByteBuffer.wrap(bytes), callback);
  }

  static void body(int status, String type, byte[] bytes, Response response, Callback callback) {
    response.setStatus(status);
    response
        .getHeaders()
        .put(HttpHeader.CONTENT_TYPE, type)
        .put(HttpHeader.CONTENT_LENGTH, bytes.length);
    response.write(true, ByteBuffer.wrap(bytes), callback);
  }

  /** The answer to a request that failed, unless one was begun. */
  static void failure(Throwable problem, Response response, Callback callback) {
    if (response.isCommitted()) {
      callback.failed(problem);
      return;
    }
    response.reset();
    if (problem instanceof SteleException known) {
      text(HttpErrors.status(known), String.valueOf(known.getMessage()), response, callback);
    } else {
      text(INTERNAL, Defects.ofProcess().answer("datasets over HTTP", problem), response, callback);
    }
  }
}
