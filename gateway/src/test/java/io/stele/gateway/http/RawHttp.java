package io.stele.gateway.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Requests as they are on the wire, so that nothing is made simpler on the way. */
public final class RawHttp {
  /** An answer. */
  public record Answer(int status, Map<String, String> headers, byte[] body) {
    public @Nullable String header(String name) {
      return headers.get(name.toLowerCase(Locale.ROOT));
    }

    public String text() {
      return new String(body, StandardCharsets.UTF_8);
    }
  }

  private final int port;

  public RawHttp(int port) {
    this.port = port;
  }

  public Answer get(String path, String... headers) throws IOException {
    return send("GET", path, new byte[0], headers);
  }

  public Answer send(String method, String path, byte[] body, String... headers)
      throws IOException {
    return send(method.getBytes(StandardCharsets.US_ASCII), path, body, headers);
  }

  private Answer send(byte[] method, String path, byte[] body, String... headers)
      throws IOException {
    ByteArrayOutputStream request = new ByteArrayOutputStream();
    request.writeBytes(method);
    request.writeBytes((" " + path + " HTTP/1.1\r\n").getBytes(StandardCharsets.UTF_8));
    if (Arrays.stream(headers).noneMatch(header -> header.startsWith("Host: "))) {
      request.writeBytes("Host: here\r\n".getBytes(StandardCharsets.US_ASCII));
    }
    for (String header : headers) {
      request.writeBytes((header + "\r\n").getBytes(StandardCharsets.US_ASCII));
    }
    if (body.length > 0) {
      request.writeBytes(
          ("Content-Length: " + body.length + "\r\n").getBytes(StandardCharsets.US_ASCII));
    }
    request.writeBytes("Connection: close\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
    request.writeBytes(body);
    try (Socket socket = new Socket("127.0.0.1", port)) {
      socket.setSoTimeout(10_000);
      socket.getOutputStream().write(request.toByteArray());
      return read(socket.getInputStream());
    }
  }

  private static Answer read(InputStream in) throws IOException {
    byte[] all = in.readAllBytes();
    String head = new String(all, StandardCharsets.ISO_8859_1);
    int end = head.indexOf("\r\n\r\n");
    String[] lines = head.substring(0, end).split("\r\n");
    Map<String, String> headers = new TreeMap<>();
    for (int i = 1; i < lines.length; i++) {
      int colon = lines[i].indexOf(':');
      headers.put(
          lines[i].substring(0, colon).toLowerCase(Locale.ROOT),
          lines[i].substring(colon + 1).strip());
    }
    byte[] body = new byte[all.length - end - 4];
    System.arraycopy(all, end + 4, body, 0, body.length);
    return new Answer(Integer.parseInt(lines[0].split(" ")[1]), headers, body);
  }
}
