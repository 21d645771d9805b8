package io.stele.bench.dataset;

import java.nio.ByteBuffer;
import org.eclipse.jetty.client.BufferingResponseListener;
import org.eclipse.jetty.client.HttpClient;
import org.eclipse.jetty.client.Result;
import org.eclipse.jetty.client.transport.HttpClientTransportOverHTTP;
import org.eclipse.jetty.http.HttpCookieStore;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.PreEncodedHttpField;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/**
 * The HTTP server that datasets are served by, set up alike, with the same value as the answer to
 * everything: the limit of what can be answered. A process of its own; its first argument is the
 * port. With the address of such a server as the second one it gets each answer from there: the
 * limit of a proxy that sends every request on, without waiting, over connections that it keeps.
 */
public final class ConstantServer {
  private static final int THREADS = 16;
  private static final int CLIENT_THREADS = 8;
  private static final int CONNECTIONS = 256;
  private static final int LONGEST_REQUEST_LINE = 64 << 10;

  private ConstantServer() {}

  public static void main(String[] arguments) throws Exception {
    QueuedThreadPool pool = new QueuedThreadPool(THREADS, 4);
    pool.setReservedThreads(0);
    Server server = new Server(pool);
    HttpConfiguration http = new HttpConfiguration();
    http.setSendServerVersion(false);
    http.setRequestHeaderSize(LONGEST_REQUEST_LINE);
    ServerConnector connector = new ServerConnector(server, 1, -1, new HttpConnectionFactory(http));
    connector.setHost("127.0.0.1");
    connector.setPort(Integer.parseInt(arguments[0]));
    server.addConnector(connector);
    server.setHandler(arguments.length == 1 ? new Constant() : new Proxied(client(), arguments[1]));
    server.start();
    server.join();
  }

  private static HttpClient client() throws Exception {
    HttpClient client = new HttpClient(new HttpClientTransportOverHTTP(1));
    client.setExecutor(new QueuedThreadPool(CLIENT_THREADS, 1));
    client.setMaxConnectionsPerDestination(CONNECTIONS);
    client.setFollowRedirects(false);
    client.setHttpCookieStore(new HttpCookieStore.Empty());
    client.setUserAgentField(null);
    client.start();
    client.getContentDecoderFactories().clear();
    return client;
  }

  private static void answer(byte[] value, HttpField length, Response response, Callback callback) {
    response.setStatus(200);
    response.getHeaders().add(TYPE).add(length);
    response.write(true, ByteBuffer.wrap(value), callback);
  }

  private static final HttpField TYPE =
      new PreEncodedHttpField(HttpHeader.CONTENT_TYPE, "application/octet-stream");

  private static final class Constant extends Handler.Abstract {
    private final byte[] value = BenchRecords.value(0);
    private final HttpField length =
        new PreEncodedHttpField(HttpHeader.CONTENT_LENGTH, Integer.toString(value.length));

    Constant() {
      super(InvocationType.NON_BLOCKING);
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
      answer(value, length, response, callback);
      return true;
    }
  }

  private static final class Proxied extends Handler.Abstract {
    private final HttpClient client;
    private final String address;

    Proxied(HttpClient client, String address) {
      super(InvocationType.NON_BLOCKING);
      this.client = client;
      this.address = address;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
      client
          .newRequest("http://" + address + request.getHttpURI().getPath())
          .send(
              new BufferingResponseListener() {
                @Override
                public void onComplete(Result result) {
                  byte[] value = getContent();
                  if (result.isFailed() || value == null) {
                    callback.failed(new IllegalStateException("no answer", result.getFailure()));
                  } else {
                    answer(
                        value,
                        new HttpField(HttpHeader.CONTENT_LENGTH, Integer.toString(value.length)),
                        response,
                        callback);
                  }
                }
              });
      return true;
    }
  }
}
