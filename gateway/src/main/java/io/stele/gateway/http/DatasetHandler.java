package io.stele.gateway.http;

import io.stele.base.bytes.Bytes;
import io.stele.base.dataset.DatasetStatus;
import io.stele.base.dataset.Lookup;
import io.stele.base.error.DeniedException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.NotFoundException;
import io.stele.base.text.Json;
import io.stele.base.tls.Identities;
import io.stele.base.tls.Identity;
import io.stele.datasets.serve.DatasetService;
import io.stele.datasets.serve.Glance;
import io.stele.datasets.serve.OpenedLookup;
import io.stele.datasets.serve.PeerAnswer;
import io.stele.gateway.metric.Api;
import io.stele.gateway.metric.Outcome;
import io.stele.gateway.metric.RequestKind;
import io.stele.gateway.metric.Requests;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.Promise;
import org.jspecify.annotations.Nullable;

/**
 * Answers requests. Keys of shards that are here, and in memory, are answered by the thread that
 * read the request: it waits for nothing. What is to be read from the disk waits for one of a few
 * platform threads. What other nodes have is answered by the thread that their answer came by, and
 * no thread waits for it. Large values, which a client may be slow to take, and all else are done
 * by a virtual thread each. There are at most as many of either as connections, since a connection
 * has one request at a time; but for another node's requests for several keys, each of which may
 * wait for the disk by itself.
 *
 * <pre>
 *   GET  /                              all datasets: HTML, or JSON for Accept: application/json
 *   GET  /healthz                       200 if a version of any dataset is served, else 404
 *   GET  /healthz?all=true              200 if one of every dataset is, else 503
 *   GET  /DATASET                       one dataset, as above
 *   GET  /DATASET/KEY                   a value
 *   GET  /DATASET/KEY?proxy=VERSION     a value for another node, from what is here
 *   POST /DATASET[?proxy=VERSION]       values: see {@link MultiGet}; with small=true no large ones
 *   GET  /?proxy=status                 all datasets as this node alone sees them
 * </pre>
 *
 * <p>Nodes add {@code shards=N} to {@code proxy=VERSION}, the number of shards that they count, and
 * get no answer from a node that counts others.
 *
 * <p>HEAD is answered as GET is, without the body; everything else is 400.
 */
final class DatasetHandler extends Handler.Abstract {
  private static final String HEALTH = "/healthz";
  private static final String PROXY = "proxy";
  private static final String SHARDS = "shards";
  private static final String SMALL = "small";
  private static final String ALL = "all";
  private static final String SHARD_ID = "X-Sequins-Shard-ID";

  /** Answers with what was found. */
  private interface Found<T> {
    void answer(T found, Response response, Callback callback);
  }

  /** Counts a request when it has been answered. */
  private record Measured(
      RequestKind kind, String dataset, Request request, Response response, long start)
      implements Consumer<Throwable> {
    static void begin(RequestKind kind, String dataset, Request request, Response response) {
      Request.addCompletionListener(
          request, new Measured(kind, dataset, request, response, kind.start()));
    }

    @Override
    public void accept(@Nullable Throwable problem) {
      Outcome outcome = problem == null ? Outcome.of(response.getStatus()) : Outcome.CANCELLED;
      long received = Math.max(0, request.getLength());
      long sent = Math.max(0, response.getHeaders().getLongField(HttpHeader.CONTENT_LENGTH));
      kind.finished(dataset, outcome, start, received, sent);
    }
  }

  /** What another thread does for a request. */
  private interface Work {
    void answer(Response response, Callback callback);
  }

  private static final RequestKind GET = Requests.ofProcess().kind(Api.HTTP, "get");
  private static final RequestKind MULTI_GET = Requests.ofProcess().kind(Api.HTTP, "multi_get");
  private static final RequestKind STATUS = Requests.ofProcess().kind(Api.HTTP, "status");

  private final Answers answers;
  private final Executor threads;
  private final Executor diskThreads;
  private final Optional<Identities> identities;
  private volatile @Nullable DatasetService service;

  /**
   * Without anything to serve as yet.
   *
   * @param threads a virtual one for each task
   * @param diskThreads platform threads, for what waits for the disk
   * @param identities tells nodes from others, where connections are secured
   */
  DatasetHandler(
      Answers answers, Executor threads, Executor diskThreads, Optional<Identities> identities) {
    super(InvocationType.NON_BLOCKING);
    this.answers = answers;
    this.threads = threads;
    this.diskThreads = diskThreads;
    this.identities = identities;
  }

  void serve(@Nullable DatasetService served) {
    service = served;
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) {
    DatasetService served = service;
    if (served == null) {
      Answers.text(Answers.UNAVAILABLE, "the server is starting", response, callback);
      return true;
    }
    try {
      route(served, request, response, callback);
    } catch (RuntimeException e) {
      Answers.failure(e, response, callback);
    }
    return true;
  }

  private void route(DatasetService served, Request request, Response response, Callback callback) {
    checkNode(request);
    String method = request.getMethod();
    boolean get = HttpMethod.GET.is(method) || HttpMethod.HEAD.is(method);
    String path = request.getHttpURI().getPath();
    if (path == null || path.equals("/")) {
      require(get, method, "GET");
      later(response, callback, (to, done) -> all(served, request, to, done));
      return;
    }
    if (path.equals(HEALTH)) {
      require(get, method, "GET");
      later(response, callback, (to, done) -> health(served, request, to, done));
      return;
    }
    RequestPath named = RequestPath.parse(path);
    if (!named.key().isEmpty()) {
      require(get, method, "GET");
      Measured.begin(GET, named.dataset(), request, response);
      one(served, named, request, response, callback);
    } else if (HttpMethod.POST.is(method)) {
      Measured.begin(MULTI_GET, named.dataset(), request, response);
      many(served, named.dataset(), request, response, callback);
    } else {
      require(get, method, "GET, or POST to get many keys");
      Measured.begin(STATUS, named.dataset(), request, response);
      later(response, callback, (to, done) -> dataset(served, named.dataset(), request, to, done));
    }
  }

  /** What nodes ask each other is for nodes alone, where these can be told from others. */
  private void checkNode(Request request) {
    String query = request.getHttpURI().getQuery();
    if (identities.isEmpty() || query == null || RequestPath.parameter(query, PROXY) == null) {
      return;
    }
    EndPoint.@Nullable SslSessionData secured =
        request.getConnectionMetaData().getConnection().getEndPoint().getSslSessionData();
    Identity caller =
        secured == null ? new Identity.Unchecked() : identities.get().of(secured.sslSession());
    if (!(caller instanceof Identity.Node)) {
      throw new DeniedException(
          "the parameter proxy is for the servers of the cluster: "
              + caller.describe()
              + " has no certificate of a node");
    }
  }

  private static void require(boolean right, String method, String expected) {
    if (!right) {
      throw new InvalidRequestException("the method is " + method + ": must be " + expected);
    }
  }

  /** Has a virtual thread answer. */
  private void later(Response response, Callback callback, Work work) {
    on(threads, response, callback, work);
  }

  private static void on(Executor threads, Response response, Callback callback, Work work) {
    try {
      threads.execute(
          () -> {
            try {
              work.answer(response, callback);
            } catch (RuntimeException e) {
              Answers.failure(e, response, callback);
            }
          });
    } catch (RejectedExecutionException e) {
      Answers.text(Answers.UNAVAILABLE, "the server is stopping", response, callback);
    }
  }

  // ---- keys

  private void one(
      DatasetService served,
      RequestPath named,
      Request request,
      Response response,
      Callback callback) {
    String query = request.getHttpURI().getQuery();
    String proxied = query == null ? null : RequestPath.parameter(query, PROXY);
    if (proxied != null) {
      answer(
          served.glanceForPeer(named.dataset(), proxied, shards(query), named.key()),
          response,
          callback,
          (answer, to, done) -> answers.peer(proxied, answer, to, done));
    } else {
      answer(
          served.glance(named.dataset(), named.key()),
          response,
          callback,
          (lookup, to, done) -> answers.lookup(named.dataset(), lookup, to, done));
    }
  }

  private <T> void answer(
      Glance<T> glance, Response response, Callback callback, Found<T> answering) {
    switch (glance) {
      case Glance.Known<T>(T found) -> answering.answer(found, response, callback);
      case Glance.OnDisk<T>(Supplier<CompletableFuture<T>> rest) ->
          on(
              diskThreads,
              response,
              callback,
              (to, done) -> answer(rest.get(), to, done, answering));
      case Glance.Asked<T>(CompletableFuture<T> coming) ->
          answer(coming, response, callback, answering);
    }
  }

  private <T> void answer(
      CompletableFuture<T> coming, Response response, Callback callback, Found<T> answering) {
    var _ =
        coming.whenComplete(
            (found, problem) -> {
              if (problem != null) {
                Answers.failure(cause(problem), response, callback);
              } else if (isLarge(found)) {
                later(response, callback, (to, done) -> answering.answer(found, to, done));
              } else {
                try {
                  answering.answer(found, response, callback);
                } catch (RuntimeException e) {
                  Answers.failure(e, response, callback);
                }
              }
            });
  }

  private static Throwable cause(Throwable problem) {
    return problem instanceof CompletionException && problem.getCause() != null
        ? problem.getCause()
        : problem;
  }

  /** Whether the client may be slow to take it, and would keep the thread that answers. */
  private static boolean isLarge(Object found) {
    return found instanceof OpenedLookup.Large || found instanceof PeerAnswer.Large;
  }

  /** As the peer counts them; 0 if it does not say, as older ones. */
  private static int shards(@Nullable String query) {
    String given = query == null ? null : RequestPath.parameter(query, SHARDS);
    try {
      return given == null ? 0 : Integer.parseInt(given);
    } catch (NumberFormatException e) {
      throw new InvalidRequestException("shards=" + given + ": must be a number");
    }
  }

  private void many(
      DatasetService served,
      String dataset,
      Request request,
      Response response,
      Callback callback) {
    String type = request.getHeaders().get(HttpHeader.CONTENT_TYPE);
    String query = request.getHttpURI().getQuery();
    String proxied = RequestPath.parameter(query, PROXY);
    int shards = shards(query);
    boolean small = proxied != null && RequestPath.parameter(query, SMALL) != null;
    Content.Source.asByteArrayAsync(
        request,
        MultiGet.MOST_BYTES,
        new Promise.Invocable.NonBlocking<>() {
          @Override
          public void succeeded(byte[] body) {
            if (proxied != null && small) {
              small(served, dataset, proxied, shards, body, response, callback);
              return;
            }
            later(
                response,
                callback,
                (to, done) -> many(served, dataset, proxied, shards, type, body, to, done));
          }

          @Override
          public void failed(Throwable problem) {
            String message =
                "the keys could not be read (at most %d bytes are): %s"
                    .formatted(MultiGet.MOST_BYTES, problem.getMessage());
            Answers.text(Answers.BAD_REQUEST, message, response, callback);
          }
        });
  }

  /** Keys of several lookups of another node: those in memory are answered by this thread. */
  private void small(
      DatasetService served,
      String dataset,
      String version,
      int shards,
      byte[] body,
      Response response,
      Callback callback) {
    try {
      List<Bytes> keys = MultiGet.keys(Answers.BINARY, body);
      SmallValues values =
          new SmallValues(
              keys.size(),
              diskThreads,
              entries -> {
                response.getHeaders().put(Answers.VERSION, version);
                Answers.body(
                    Answers.OK, Answers.BINARY, MultiGet.binary(entries), response, callback);
              },
              problem -> Answers.failure(cause(problem), response, callback));
      for (int i = 0; i < keys.size(); i++) {
        values.add(i, served.glanceForPeer(dataset, version, shards, keys.get(i)));
      }
    } catch (RuntimeException e) {
      Answers.failure(e, response, callback);
    }
  }

  private void many(
      DatasetService served,
      String dataset,
      @Nullable String proxied,
      int shards,
      @Nullable String type,
      byte[] body,
      Response response,
      Callback callback) {
    List<Bytes> keys = MultiGet.keys(type, body);
    String version;
    List<MultiGet.Entry> entries;
    if (proxied != null) {
      version = proxied;
      entries =
          served.answerPeer(dataset, proxied, shards, keys).stream()
              .map(MultiGet.Entry::of)
              .toList();
      response.getHeaders().put(Answers.VERSION, version);
    } else {
      List<Lookup> lookups = served.mget(dataset, keys);
      version = lookups.isEmpty() ? "" : version(dataset, lookups.getFirst(), response);
      entries = lookups.stream().map(MultiGet.Entry::of).toList();
    }
    if (MultiGet.isBinary(type)) {
      Answers.body(Answers.OK, Answers.BINARY, MultiGet.binary(entries), response, callback);
    } else {
      Answers.body(
          Answers.OK, Answers.JSON, MultiGet.json(version, keys, entries), response, callback);
    }
  }

  /** All are from one version. */
  private String version(String dataset, Lookup first, Response response) {
    return switch (first) {
      case Lookup.Found(_, var origin) -> {
        answers.version(dataset, origin, response);
        yield origin.version();
      }
      case Lookup.Missing(var origin) -> {
        answers.version(dataset, origin, response);
        yield origin.version();
      }
      case Lookup.Failed failed -> {
        response.getHeaders().put(Answers.VERSION, failed.version());
        yield failed.version();
      }
    };
  }

  // ---- status

  private static void all(
      DatasetService served, Request request, Response response, Callback callback) {
    boolean own = RequestPath.parameter(request.getHttpURI().getQuery(), PROXY) != null;
    List<DatasetStatus> found = own ? served.ownStatus() : served.status();
    if (own || wantsJson(request)) {
      json(Answers.OK, StatusJson.toJson(found), response, callback);
    } else {
      html(StatusPage.of(served.address(), found), response, callback);
    }
  }

  private static void dataset(
      DatasetService served,
      String dataset,
      Request request,
      Response response,
      Callback callback) {
    boolean own = RequestPath.parameter(request.getHttpURI().getQuery(), PROXY) != null;
    DatasetStatus found =
        own
            ? served.ownStatus().stream()
                .filter(status -> status.dataset().equals(dataset))
                .findFirst()
                .orElseThrow(() -> new NotFoundException("there is no dataset " + dataset))
            : served.status(dataset);
    if (own || wantsJson(request)) {
      json(Answers.OK, StatusJson.toJson(found), response, callback);
    } else {
      html(StatusPage.of(served.address(), found), response, callback);
    }
  }

  private static boolean wantsJson(Request request) {
    String accepted = request.getHeaders().get(HttpHeader.ACCEPT);
    return accepted != null && accepted.toLowerCase(Locale.ROOT).contains(Answers.JSON);
  }

  /**
   * Healthy is who serves anything, as in Sequins: a new dataset whose first version is broken must
   * not take all nodes from behind a load balancer. Who asks for all wants to know whether a node
   * that starts has caught up. Datasets that are not to be served, since something is wrong with
   * their names, do not count then, and a node that has none must know that there are none.
   */
  private static void health(
      DatasetService served, Request request, Response response, Callback callback) {
    boolean all = RequestPath.parameter(request.getHttpURI().getQuery(), ALL) != null;
    boolean any = false;
    Map<String, Object> waiting = new LinkedHashMap<>();
    Map<String, Object> datasets = new LinkedHashMap<>();
    for (DatasetStatus dataset : served.ownStatus()) {
      Map<String, Object> versions = new LinkedHashMap<>();
      dataset
          .versions()
          .forEach(
              version ->
                  version
                      .nodes()
                      .forEach(node -> versions.put(version.version(), StatusJson.toJson(node))));
      datasets.put(dataset.dataset(), versions);
      any |= !dataset.serving().isEmpty();
      if (dataset.serving().isEmpty() && dataset.problem().isEmpty()) {
        waiting.put(dataset.dataset(), waitsFor(dataset));
      }
    }
    boolean healthy = all ? waiting.isEmpty() && (served.looked() || !datasets.isEmpty()) : any;
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("healthy", healthy);
    json.put("not_served", waiting);
    json.put("dbs", datasets);
    response.getHeaders().put(SHARD_ID, served.address());
    int not = all ? Answers.UNAVAILABLE : Answers.NOT_FOUND;
    json(healthy ? Answers.OK : not, json, response, callback);
  }

  private static String waitsFor(DatasetStatus dataset) {
    return dataset.versions().reversed().stream()
        .flatMap(
            version ->
                version.nodes().stream()
                    .map(
                        node ->
                            "version %s is %s%s"
                                .formatted(
                                    version.version(),
                                    node.state(),
                                    node.reason().isEmpty() ? "" : ": " + node.reason())))
        .findFirst()
        .orElse("it has no version");
  }

  private static void json(int status, Object json, Response response, Callback callback) {
    byte[] bytes = (Json.write(json) + "\n").getBytes(StandardCharsets.UTF_8);
    Answers.body(status, Answers.JSON, bytes, response, callback);
  }

  private static void html(String page, Response response, Callback callback) {
    Answers.body(
        Answers.OK, Answers.HTML, page.getBytes(StandardCharsets.UTF_8), response, callback);
  }
}
