package io.stele.gateway.admin;

import io.stele.base.error.SteleException;
import io.stele.base.event.Defects;
import io.stele.gateway.web.HttpErrors;
import io.stele.gateway.web.WebGuard;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.Fields;
import org.eclipse.jetty.util.Promise;

/**
 * Finds the page for a request and checks that the request may be answered, in this order:
 *
 * <pre>
 *   403  a page of another site, or an unknown host: see {@link WebGuard}
 *   404  no such page
 *   405  a method that the page does not have
 *   403  a change that comes from another machine
 *   415  a change whose content is not application/json
 *   413  a body that is too large
 * </pre>
 *
 * <p>Changes are taken from this machine alone, since the port has no authentication: whoever may
 * run programs here may also read its files.
 */
final class AdminHandler extends Handler.Abstract {
  private static final int MOST_BODY_BYTES = 64 << 10;
  private static final String JSON = "application/json";
  private static final Set<String> READING = Set.of("GET", "HEAD");

  private record Route(AdminPage page, Set<String> methods) {}

  private final WebGuard guard;
  private final Executor threads;
  private final Map<String, Route> routes = new ConcurrentHashMap<>();

  /**
   * Without any page as yet.
   *
   * @param threads a virtual one for each task
   */
  AdminHandler(WebGuard guard, Executor threads) {
    super(InvocationType.NON_BLOCKING);
    this.guard = guard;
    this.threads = threads;
  }

  void serve(String path, AdminPage page, Set<String> methods) {
    routes.put(path, new Route(page, Set.copyOf(methods)));
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) {
    Optional<WebGuard.Refusal> refusal = guard.refusal(name -> request.getHeaders().get(name));
    if (refusal.isPresent()) {
      refuse(refusal.get().status(), refusal.get().reason(), response, callback);
      return true;
    }
    String path = Optional.ofNullable(request.getHttpURI().getCanonicalPath()).orElse("/");
    Optional<Route> route = route(path);
    if (route.isEmpty()) {
      refuse(404, "there is no %s; there are %s".formatted(path, pages()), response, callback);
      return true;
    }
    String method = request.getMethod();
    boolean reading = READING.contains(method);
    Set<String> methods = route.get().methods();
    if (!methods.contains(reading ? "GET" : method)) {
      String allowed = String.join(", ", new TreeSet<>(methods));
      response.getHeaders().put(HttpHeader.ALLOW, allowed);
      refuse(405, "the method is %s: must be %s".formatted(method, allowed), response, callback);
      return true;
    }
    if (reading) {
      answer(route.get(), request, path, new byte[0], response, callback);
      return true;
    }
    if (!isFromHere(request)) {
      refuse(403, "changes are taken from this machine alone", response, callback);
      return true;
    }
    String type = request.getHeaders().get(HttpHeader.CONTENT_TYPE);
    if (type == null || !WebGuard.plainType(type).equals(JSON)) {
      String found = type == null ? "without a type" : "of type " + type;
      refuse(415, "content %s: must be %s".formatted(found, JSON), response, callback);
      return true;
    }
    withBody(route.get(), request, path, response, callback);
    return true;
  }

  /** The page of a path, or else of the longest beginning of it that ends in a slash. */
  private Optional<Route> route(String path) {
    Route exact = routes.get(path);
    if (exact != null) {
      return Optional.of(exact);
    }
    for (int slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1)) {
      Route below = routes.get(path.substring(0, slash + 1));
      if (below != null) {
        return Optional.of(below);
      }
    }
    return Optional.empty();
  }

  private String pages() {
    return String.join(", ", new TreeSet<>(routes.keySet()));
  }

  private static boolean isFromHere(Request request) {
    return request.getConnectionMetaData().getRemoteSocketAddress()
            instanceof InetSocketAddress remote
        && remote.getAddress() != null
        && remote.getAddress().isLoopbackAddress();
  }

  private void withBody(
      Route route, Request request, String path, Response response, Callback callback) {
    Content.Source.asByteArrayAsync(
        request,
        MOST_BODY_BYTES,
        new Promise.Invocable.NonBlocking<>() {
          @Override
          public void succeeded(byte[] body) {
            answer(route, request, path, body, response, callback);
          }

          @Override
          public void failed(Throwable problem) {
            refuse(
                413,
                "the body could not be read (at most %d bytes are): %s"
                    .formatted(MOST_BODY_BYTES, problem.getMessage()),
                response,
                callback);
          }
        });
  }

  private void answer(
      Route route,
      Request request,
      String path,
      byte[] body,
      Response response,
      Callback callback) {
    AdminRequest asked =
        AdminRequest.of(
            request.getMethod(),
            path,
            query(request),
            request.getHeaders().get(HttpHeader.ACCEPT),
            body);
    try {
      threads.execute(() -> answer(route.page(), asked, response, callback));
    } catch (RejectedExecutionException e) {
      refuse(AdminAnswer.UNAVAILABLE, "the server is stopping", response, callback);
    }
  }

  private static Map<String, List<String>> query(Request request) {
    Map<String, List<String>> query = new LinkedHashMap<>();
    for (Fields.Field field : Request.extractQueryParameters(request)) {
      query.computeIfAbsent(field.getName(), _ -> new ArrayList<>()).addAll(field.getValues());
    }
    return query;
  }

  private void answer(AdminPage page, AdminRequest asked, Response response, Callback callback) {
    try {
      switch (page.answer(asked)) {
        case AdminAnswer.Text(int status, String type, String text) ->
            send(status, type, text, response, callback);
        case AdminAnswer.Download download -> send(download, response, callback);
      }
    } catch (SteleException e) {
      refuse(HttpErrors.status(e), String.valueOf(e.getMessage()), response, callback);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      refuse(AdminAnswer.UNAVAILABLE, "the server is stopping", response, callback);
    } catch (IOException | RuntimeException | Error e) {
      String told = Defects.ofProcess().answer("the admin port", e);
      if (response.isCommitted()) {
        callback.failed(e);
      } else {
        response.reset();
        refuse(500, told, response, callback);
      }
    }
  }

  private static void send(AdminAnswer.Download download, Response response, Callback callback)
      throws IOException {
    try {
      response
          .getHeaders()
          .put(HttpHeader.CONTENT_TYPE, download.type())
          .put(HttpHeader.CONTENT_LENGTH, Files.size(download.file()))
          .put(HttpHeader.CONTENT_DISPOSITION, "attachment; filename=" + download.name());
      try (OutputStream out = Content.Sink.asOutputStream(response)) {
        Files.copy(download.file(), out);
      }
      callback.succeeded();
    } finally {
      Files.deleteIfExists(download.file());
    }
  }

  private static void refuse(int status, String reason, Response response, Callback callback) {
    send(status, "text/plain; charset=utf-8", reason + "\n", response, callback);
  }

  private static void send(
      int status, String type, String text, Response response, Callback callback) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    response.setStatus(status);
    response
        .getHeaders()
        .put(HttpHeader.CONTENT_TYPE, type)
        .put(HttpHeader.CONTENT_LENGTH, bytes.length)
        .put(HttpHeader.CACHE_CONTROL, "no-store")
        .put("X-Content-Type-Options", "nosniff");
    response.write(true, ByteBuffer.wrap(bytes), callback);
  }
}
