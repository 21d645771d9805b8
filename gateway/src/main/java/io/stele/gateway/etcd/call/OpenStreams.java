package io.stele.gateway.etcd.call;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Streams that are open, so that a server that stops can end them in words: one that is cut off
 * looks to etcd's clients as if it had been cancelled, and they do not come back.
 */
public final class OpenStreams {
  /** One of them; each is itself and no other. */
  public interface Stream {
    /** The server stops: ends with {@link EtcdError#STOPPED}. Called at most once. */
    void stop();
  }

  private final Set<Stream> streams = ConcurrentHashMap.newKeySet();
  private volatile boolean stopping;

  /** A stream has begun; it is stopped at once if the server stops already. */
  public void add(Stream stream) {
    streams.add(stream);
    if (stopping && streams.remove(stream)) {
      stream.stop();
    }
  }

  /** It has ended by itself. */
  public void remove(Stream stream) {
    streams.remove(stream);
  }

  /** Ends all, and those that are yet to come. */
  public void end() {
    stopping = true;
    for (Stream stream : List.copyOf(streams)) {
      if (streams.remove(stream)) {
        stream.stop();
      }
    }
  }
}
