package io.stele.gateway.http;

import io.stele.base.bytes.Bytes;
import io.stele.base.dataset.Lookup;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.text.Json;
import io.stele.base.text.JsonReader;
import io.stele.datasets.serve.PeerAnswer;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Many keys in one request, {@code POST /DATASET}: no key has that path. By the type of its body:
 *
 * <pre>
 *   application/json           ["alice", {"base64": "/wA="}]
 *   text/plain                 alice NEWLINE bob            a newline at the end counts for nothing
 *   application/octet-stream   {length:4 key}*              big-endian
 * </pre>
 *
 * and answers to them, in the order of the keys, each with the status that a request for it alone
 * would have had:
 *
 * <pre>
 *   application/json           {"version": "7", "values": [
 *                                {"key": "alice", "status": 200, "value": "1"},
 *                                {"key_base64": "/wA=", "status": 200, "value_base64": "/w=="},
 *                                {"key": "bob", "status": 404},
 *                                {"key": "eve", "status": 504, "error": "..."}]}
 *   application/octet-stream   {status:4 length:4 value or message}*, where the body was such
 * </pre>
 */
final class MultiGet {
  static final int MOST_KEYS = 10_000;
  static final int MOST_BYTES = 16 << 20;

  private static final int INT = Integer.BYTES;

  /** One of the answers. */
  record Entry(int status, Bytes content) {
    static Entry of(Lookup lookup) {
      return switch (lookup) {
        case Lookup.Found found -> new Entry(Answers.OK, found.value());
        case Lookup.Missing _ -> new Entry(Answers.NOT_FOUND, Bytes.EMPTY);
        case Lookup.Failed failed ->
            new Entry(Answers.status(failed.failure()), Bytes.utf8(failed.reason()));
      };
    }

    static Entry of(PeerAnswer answer) {
      return switch (answer) {
        case PeerAnswer.Found(Bytes value) -> new Entry(Answers.OK, value);
        case PeerAnswer.Large _ ->
            throw new IllegalStateException("a large value, and a request that is not for one key");
        case PeerAnswer.TooLarge() -> new Entry(Answers.TOO_LARGE, Bytes.EMPTY);
        case PeerAnswer.Missing() -> new Entry(Answers.NOT_FOUND, Bytes.EMPTY);
        case PeerAnswer.NotHere(String reason) -> new Entry(Answers.NOT_HERE, Bytes.utf8(reason));
      };
    }
  }

  private MultiGet() {}

  static boolean isBinary(@Nullable String type) {
    return type != null && type.toLowerCase(Locale.ROOT).startsWith(Answers.BINARY);
  }

  // ---- keys

  static List<Bytes> keys(@Nullable String type, byte[] body) {
    List<Bytes> keys;
    if (isBinary(type)) {
      keys = binaryKeys(body);
    } else if (type != null && type.toLowerCase(Locale.ROOT).startsWith("text/plain")) {
      keys = lines(body);
    } else {
      keys = jsonKeys(new String(body, StandardCharsets.UTF_8));
    }
    if (keys.size() > MOST_KEYS) {
      throw new InvalidRequestException(
          keys.size() + " keys in one request: must be at most " + MOST_KEYS);
    }
    return keys;
  }

  private static List<Bytes> binaryKeys(byte[] body) {
    List<Bytes> keys = new ArrayList<>();
    ByteBuffer rest = ByteBuffer.wrap(body);
    while (rest.hasRemaining()) {
      int at = rest.position();
      int length = rest.remaining() < INT ? -1 : rest.getInt();
      if (length < 0 || length > rest.remaining()) {
        throw new InvalidRequestException(
            "byte %d of %d: must be the length of a key that follows, in four bytes"
                .formatted(at, body.length));
      }
      keys.add(Bytes.copyOf(body, rest.position(), length));
      rest.position(rest.position() + length);
    }
    return keys;
  }

  private static List<Bytes> lines(byte[] body) {
    List<Bytes> keys = new ArrayList<>();
    int from = 0;
    for (int i = 0; i < body.length; i++) {
      if (body[i] == '\n') {
        keys.add(Bytes.copyOf(body, from, i - from));
        from = i + 1;
      }
    }
    if (from < body.length) {
      keys.add(Bytes.copyOf(body, from, body.length - from));
    }
    return keys;
  }

  private static List<Bytes> jsonKeys(String text) {
    if (!(JsonReader.read(text) instanceof List<?> list)) {
      throw new InvalidRequestException(
          "the body must be a list of keys, such as [\"alice\", \"bob\"]");
    }
    List<Bytes> keys = new ArrayList<>(list.size());
    for (Object key : list) {
      keys.add(jsonKey(key, keys.size()));
    }
    return keys;
  }

  private static Bytes jsonKey(@Nullable Object key, int at) {
    if (key instanceof String text) {
      return Bytes.utf8(text);
    }
    if (key instanceof Map<?, ?> map && map.get("base64") instanceof String encoded) {
      try {
        return Bytes.wrap(Base64.getDecoder().decode(encoded));
      } catch (IllegalArgumentException e) {
        throw new InvalidRequestException(
            "key " + at + ": '" + encoded + "' is not base64: " + e.getMessage(), e);
      }
    }
    throw new InvalidRequestException(
        "key %d is %s: must be a string, or {\"base64\": \"...\"}"
            .formatted(at, Json.writeLine(key)));
  }

  static byte[] toBinary(List<Bytes> keys) {
    ByteBuffer body = ByteBuffer.allocate(keys.stream().mapToInt(key -> INT + key.length()).sum());
    for (Bytes key : keys) {
      body.putInt(key.length()).put(key.sharedArray());
    }
    return body.array();
  }

  // ---- answers

  static byte[] binary(List<Entry> entries) {
    int bytes = 0;
    for (Entry entry : entries) {
      bytes = Math.addExact(bytes, 2 * INT + entry.content().length());
    }
    ByteBuffer body = ByteBuffer.allocate(bytes);
    for (Entry entry : entries) {
      body.putInt(entry.status()).putInt(entry.content().length());
      body.put(entry.content().sharedArray());
    }
    return body.array();
  }

  /** What {@link #binary} wrote, as long as it is that. */
  static List<Entry> entries(byte[] body) {
    List<Entry> entries = new ArrayList<>();
    ByteBuffer rest = ByteBuffer.wrap(body);
    while (rest.remaining() >= 2 * INT) {
      int status = rest.getInt();
      int length = rest.getInt();
      if (length < 0 || length > rest.remaining()) {
        break;
      }
      entries.add(new Entry(status, Bytes.copyOf(body, rest.position(), length)));
      rest.position(rest.position() + length);
    }
    return entries;
  }

  static byte[] json(String version, List<Bytes> keys, List<Entry> entries) {
    List<Object> values = new ArrayList<>(entries.size());
    for (int i = 0; i < entries.size(); i++) {
      Entry entry = entries.get(i);
      Map<String, Object> json = new LinkedHashMap<>();
      put(json, "key", keys.get(i));
      json.put("status", entry.status());
      if (entry.status() == Answers.OK) {
        put(json, "value", entry.content());
      } else if (!entry.content().isEmpty()) {
        json.put("error", entry.content().toUtf8());
      }
      values.add(json);
    }
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("version", version);
    all.put("values", values);
    return (Json.writeLine(all) + "\n").getBytes(StandardCharsets.UTF_8);
  }

  /** As text where it is some, otherwise in base64 under a name that says so. */
  private static void put(Map<String, Object> json, String name, Bytes bytes) {
    try {
      json.put(
          name,
          StandardCharsets.UTF_8
              .newDecoder()
              .decode(ByteBuffer.wrap(bytes.sharedArray()))
              .toString());
    } catch (CharacterCodingException e) {
      json.put(name + "_base64", Base64.getEncoder().encodeToString(bytes.sharedArray()));
    }
  }
}
