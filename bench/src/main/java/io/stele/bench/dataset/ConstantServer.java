package io.stele.bench.dataset;

import java.nio.ByteBuffer;
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
 * everything: the limit of what can be answered. A process of its own; its argument is the port.
 */
public final class ConstantServer {
  private static final int THREADS = 16;
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
    server.setHandler(new Constant());
    server.start();
    server.join();
  }

  private static final class Constant extends Handler.Abstract {
    private final byte[] value = BenchRecords.value(0);
    private final HttpField type =
        new PreEncodedHttpField(HttpHeader.CONTENT_TYPE, "application/octet-stream");
    private final HttpField length =
        new PreEncodedHttpField(HttpHeader.CONTENT_LENGTH, Integer.toString(value.length));

    Constant() {
      super(InvocationType.NON_BLOCKING);
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
      response.setStatus(200);
      response.getHeaders().add(type).add(length);
      response.write(true, ByteBuffer.wrap(value), callback);
      return true;
    }
  }
}
