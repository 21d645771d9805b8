package io.stele.gateway.admin;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.text.JsonReader;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A request to the admin port.
 *
 * @param method in upper case; HEAD comes as GET
 * @param path without the query
 * @param query all values of each parameter
 * @param accept what the client wants to have, as its header says; empty if it does not
 * @param body of a request that changes something; empty otherwise
 */
public record AdminRequest(
    String method, String path, Map<String, List<String>> query, String accept, String body) {
  public AdminRequest {
    query = Map.copyOf(query);
  }

  static AdminRequest of(
      String method,
      String path,
      Map<String, List<String>> query,
      @Nullable String accept,
      byte[] body) {
    return new AdminRequest(
        method.equals("HEAD") ? "GET" : method,
        path,
        query,
        accept == null ? "" : accept.toLowerCase(Locale.ROOT),
        new String(body, StandardCharsets.UTF_8));
  }

  public boolean isGet() {
    return method.equals("GET");
  }

  /** Whether a parameter is there, with or without a value. */
  public boolean has(String parameter) {
    return query.containsKey(parameter);
  }

  /** The first value of a parameter. */
  public Optional<String> parameter(String name) {
    return query.getOrDefault(name, List.of()).stream().findFirst();
  }

  /** All values of a parameter. */
  public List<String> parameters(String name) {
    return query.getOrDefault(name, List.of());
  }

  /** Whether the client asks for JSON, by its header or by {@code ?format=json}. */
  public boolean wantsJson() {
    return parameter("format").map("json"::equals).orElse(accept.contains("application/json"));
  }

  /** The fields of the JSON object in the body; none for an empty body. */
  public Map<String, @Nullable Object> fields() {
    if (body.isBlank()) {
      return Map.of();
    }
    if (!(JsonReader.read(body) instanceof Map<?, ?> object)) {
      throw new InvalidRequestException("the body is " + body + ": must be a JSON object");
    }
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    object.forEach((name, value) -> fields.put(String.valueOf(name), value));
    return fields;
  }
}
