package io.stele.cli;

import io.stele.base.error.InvalidRequestException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Opens what a command asks for. */
@FunctionalInterface
public interface Connector {
  Connection open(Request request);

  /**
   * What a user has said of where to work; what he has not said is empty.
   *
   * @param endpoints servers, with commas between
   * @param data a directory to open in this process
   * @param tls the files by which connections are secured
   * @param otherwise the servers where nothing else says which
   */
  record Request(
      Optional<String> endpoints,
      Optional<Path> data,
      Optional<String> principal,
      Optional<Duration> timeout,
      TlsOptions tls,
      List<String> otherwise) {
    public Request {
      if (endpoints.isPresent() && data.isPresent()) {
        throw new InvalidRequestException(
            "--endpoints and --data: a command works on servers or on a directory, give one");
      }
      otherwise = List.copyOf(otherwise);
    }

    /** True if it leaves to the environment where to work, and how. */
    public boolean isOpen() {
      return endpoints.isEmpty()
          && data.isEmpty()
          && principal.isEmpty()
          && timeout.isEmpty()
          && tls.equals(TlsOptions.NONE);
    }
  }
}
