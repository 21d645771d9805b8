package io.stele.gateway.http;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.UnavailableException;
import io.stele.datasets.serve.LargeValue;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.eclipse.jetty.client.InputStreamResponseListener;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.client.Response;
import org.eclipse.jetty.client.Result;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.jspecify.annotations.Nullable;

/**
 * Receives what another node answers to one request. A large value is handed over when its head has
 * arrived, and the connection is read as far as its reader is; everything else is put together
 * first. Jetty calls it from one thread at a time.
 */
final class IncomingAnswer<T> implements Response.Listener {
  /** An answer that is complete. */
  record Answer(int status, HttpFields headers, Bytes body) {
    String text() {
      return body.toUtf8().strip();
    }
  }

  /**
   * An answer whose body is still to be read.
   *
   * @param head without the body
   */
  record LargeAnswer(Answer head, LargeValue value) {}

  private final Request request;
  private final CompletableFuture<T> answer;
  private final Function<Answer, T> reading;
  private final @Nullable Function<LargeAnswer, T> readingLarge;
  private @Nullable InputStreamResponseListener large;
  private byte[] body = new byte[0];
  private int filled;

  /**
   * Completes a future with what is read from the answer.
   *
   * @param readingLarge null if the body is needed as a whole, however large
   */
  IncomingAnswer(
      Request request,
      CompletableFuture<T> answer,
      Function<Answer, T> reading,
      @Nullable Function<LargeAnswer, T> readingLarge) {
    this.request = request;
    this.answer = answer;
    this.reading = reading;
    this.readingLarge = readingLarge;
  }

  @Override
  public void onHeaders(Response response) {
    long length = response.getHeaders().getLongField(HttpHeader.CONTENT_LENGTH);
    if (readingLarge != null
        && length > LargeValue.THRESHOLD
        && response.getStatus() == Answers.OK) {
      large = new InputStreamResponseListener();
      large.onHeaders(response);
      hand(
          readingLarge, response, new LargeValue(length, new Body(large.getInputStream(), length)));
    } else if (length > LargeValue.MOST_WHOLE) {
      var _ = response.abort(tooLarge());
    } else if (length > 0) {
      body = new byte[(int) length];
    }
  }

  private void hand(Function<LargeAnswer, T> to, Response response, LargeValue value) {
    Answer head = new Answer(response.getStatus(), response.getHeaders(), Bytes.EMPTY);
    try {
      if (!answer.complete(to.apply(new LargeAnswer(head, value)))) {
        var _ = response.abort(new CancellationException("nobody wants the value any more"));
      }
    } catch (RuntimeException e) {
      answer.completeExceptionally(e);
      var _ = response.abort(e);
    }
  }

  @Override
  public void onContent(Response response, Content.Chunk chunk, Runnable demander) {
    if (large != null) {
      large.onContent(response, chunk, demander);
      return;
    }
    int count = chunk.remaining();
    if (count > LargeValue.MOST_WHOLE - filled) {
      var _ = response.abort(tooLarge());
      return;
    }
    if (count > body.length - filled) {
      body = Arrays.copyOf(body, Math.max(filled + count, 2 * filled));
    }
    chunk.getByteBuffer().get(body, filled, count);
    filled += count;
    demander.run();
  }

  private static UnavailableException tooLarge() {
    return new UnavailableException(
        "an answer of more than %d bytes: ask for fewer keys".formatted(LargeValue.MOST_WHOLE));
  }

  @Override
  public void onSuccess(Response response) {
    if (large != null) {
      large.onSuccess(response);
    }
  }

  @Override
  public void onFailure(Response response, Throwable failure) {
    if (large != null) {
      large.onFailure(response, failure);
    }
  }

  @Override
  public void onComplete(Result result) {
    if (large != null) {
      large.onComplete(result);
    } else if (result.isFailed()) {
      Throwable problem = result.getFailure();
      answer.completeExceptionally(
          new UnavailableException(
              request.getHost() + ":" + request.getPort() + ": " + problem, problem));
    } else {
      complete(result.getResponse());
    }
  }

  private void complete(Response response) {
    byte[] whole = filled == body.length ? body : Arrays.copyOf(body, filled);
    try {
      answer.complete(
          reading.apply(
              new Answer(response.getStatus(), response.getHeaders(), Bytes.wrap(whole))));
    } catch (RuntimeException e) {
      answer.completeExceptionally(e);
    }
  }

  /** Ends the request when it is closed before its end, so that the other node stops sending. */
  private final class Body extends FilterInputStream {
    private long left;

    Body(InputStream in, long length) {
      super(in);
      this.left = length;
    }

    @Override
    public int read() throws IOException {
      int read = super.read();
      left -= read < 0 ? 0 : 1;
      return read;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      int count = super.read(target, offset, length);
      left -= Math.max(0, count);
      return count;
    }

    @Override
    public void close() throws IOException {
      if (left > 0) {
        var _ = request.abort(new CancellationException("nobody wants the rest of the value"));
      }
      super.close();
    }
  }
}
