package io.stele.gateway.admin;

import io.stele.base.text.Json;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** What a page of the admin port answers. */
public sealed interface AdminAnswer {
  int OK = 200;
  int UNAVAILABLE = 503;

  /**
   * A text.
   *
   * @param type its content type
   */
  record Text(int status, String type, String text) implements AdminAnswer {}

  /** The content of a file, which is deleted afterwards. */
  record Download(Path file, String type, String name) implements AdminAnswer {}

  /** Plain text for people and scripts. */
  static AdminAnswer plain(int status, String text) {
    return new Text(status, "text/plain; charset=utf-8", text);
  }

  /** A value as {@link Json} writes it. */
  static AdminAnswer json(@Nullable Object value) {
    return new Text(OK, "application/json", Json.write(value) + "\n");
  }
}
