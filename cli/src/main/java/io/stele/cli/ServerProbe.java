package io.stele.cli;

import io.stele.base.error.UnavailableException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Says at once that no server is there. The client would go on trying until the time-out, as it
 * should for a program that outlives a restart; a person wants to know.
 */
final class ServerProbe {
  private static final int MOST_MILLIS = 300; // for each address

  private ServerProbe() {}

  /**
   * Connects to one of the addresses after the other. Only if all of them refuse, or have no host,
   * is it certain that a call would fail now.
   *
   * @throws UnavailableException that names them all
   */
  static void requireOne(List<String> addresses) {
    List<String> found = new ArrayList<>();
    for (String address : addresses) {
      Optional<String> reason = reasonToGiveUp(address);
      if (reason.isEmpty()) {
        return;
      }
      found.add(address + " (" + reason.get() + ")");
    }
    throw new UnavailableException(
        "no server at %s. Start one with `stele up`, or name another by --endpoints or %s"
            .formatted(String.join(", ", found), Endpoints.VARIABLE));
  }

  private static Optional<String> reasonToGiveUp(String address) {
    int colon = address.lastIndexOf(':');
    String host = address.substring(0, colon);
    int port = Integer.parseInt(address.substring(colon + 1));
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(withoutBrackets(host), port), MOST_MILLIS);
      return Optional.empty();
    } catch (ConnectException e) {
      return Optional.of("connection refused");
    } catch (UnknownHostException e) {
      return Optional.of("no such host");
    } catch (IOException e) {
      return Optional.empty(); // a silent network, perhaps: for the client to find out
    }
  }

  private static String withoutBrackets(String host) {
    return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
  }
}
