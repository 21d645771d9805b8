package io.stele.gateway.http;

import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.internal.HttpConnection;

/**
 * Connections that let a key have the byte zero. Keys that are numbers are full of them, and Jetty
 * refuses {@code %00} in a path before a handler sees it, whatever it is told to allow. So it never
 * sees one: it gets {@link #ZERO} in its place, half a character that no request can hold.
 */
final class KeyConnections extends HttpConnectionFactory {
  static final char ZERO = '\uD800';

  private static final String ESCAPED = "%00";

  KeyConnections(HttpConfiguration http) {
    super(http);
  }

  @Override
  public Connection newConnection(Connector connector, EndPoint endPoint) {
    return configure(
        new KeyConnection(getHttpConfiguration(), connector, endPoint), connector, endPoint);
  }

  private static final class KeyConnection extends HttpConnection {
    KeyConnection(HttpConfiguration http, Connector connector, EndPoint endPoint) {
      super(http, connector, endPoint);
    }

    @Override
    protected HttpStreamOverHTTP1 newHttpStream(String method, String uri, HttpVersion version) {
      return super.newHttpStream(
          method,
          uri.contains(ESCAPED) ? uri.replace(ESCAPED, String.valueOf(ZERO)) : uri,
          version);
    }
  }
}
