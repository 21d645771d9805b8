package io.stele.gateway.web;

import io.stele.base.error.UnavailableException;
import java.io.IOException;
import org.eclipse.jetty.server.Server;

/** Starts and stops HTTP servers, and says in Stele's errors what went wrong. */
public final class HttpServers {
  private HttpServers() {}

  /**
   * Begins to listen; the caller closes it if that fails.
   *
   * @param where it listens, for messages
   */
  public static void start(Server server, String where) {
    try {
      server.start();
    } catch (IOException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw new UnavailableException("cannot listen on " + where + ": " + cause.getMessage(), e);
    } catch (Exception e) {
      throw new UnavailableException("cannot listen on " + where + ": " + e, e);
    }
  }

  /** Lets requests that are under way end for as long as the server was told to. */
  public static void stop(Server server) {
    try {
      server.stop();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (Exception e) {
      throw new UnavailableException("the HTTP server did not stop in order: " + e, e);
    }
  }
}
