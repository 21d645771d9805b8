package io.stele.gateway.nativeapi;

/** What a {@link NativeServer} serves, until this is closed or something else takes its place. */
public interface Serving extends AutoCloseable {
  /** Requests are answered with {@code NotServing} from now on, unless others serve already. */
  @Override
  void close();
}
