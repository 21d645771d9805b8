package io.stele.it.etcd;

import com.google.protobuf.ByteString;
import io.grpc.Channel;
import io.grpc.stub.StreamObserver;
import io.stele.protocol.etcd.Event;
import io.stele.protocol.etcd.WatchCreateRequest;
import io.stele.protocol.etcd.WatchGrpc;
import io.stele.protocol.etcd.WatchRequest;
import io.stele.protocol.etcd.WatchResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** All that one stream of watches told, watch by watch. */
final class WatchLog implements StreamObserver<WatchResponse>, AutoCloseable {
  private final StreamObserver<WatchRequest> requests;

  // Guarded by this.
  private final Map<Long, List<String>> told = new TreeMap<>();
  private final Map<Long, Long> newest = new TreeMap<>();
  private final List<Throwable> problems = new ArrayList<>();
  private final List<WatchResponse> responses = new ArrayList<>();

  WatchLog(Channel channel) {
    requests = WatchGrpc.newStub(channel).watch(this);
  }

  void create(WatchCreateRequest request) {
    requests.onNext(WatchRequest.newBuilder().setCreateRequest(request).build());
  }

  void send(WatchRequest request) {
    requests.onNext(request);
  }

  @Override
  public synchronized void onNext(WatchResponse response) {
    responses.add(response);
    List<String> lines = told.computeIfAbsent(response.getWatchId(), _ -> new ArrayList<>());
    if (response.getCreated()) {
      lines.add("created");
    }
    if (response.getCanceled()) {
      lines.add(
          "canceled " + response.getCancelReason() + " compact " + response.getCompactRevision());
    }
    // Many revisions may come in one message, or each in its own; keys of one in any order.
    response.getEventsList().stream()
        .collect(
            Collectors.groupingBy(
                event -> event.getKv().getModRevision(), TreeMap::new, Collectors.toList()))
        .forEach(
            (revision, events) -> {
              events.stream().map(WatchLog::text).sorted().forEach(lines::add);
              newest.put(response.getWatchId(), revision);
            });
    notifyAll();
  }

  private static String text(Event event) {
    return event.getType()
        + " "
        + text(event.getKv().getKey())
        + " "
        + event.toString().replace('\n', ' ');
  }

  private static String text(ByteString bytes) {
    return bytes.toString(java.nio.charset.StandardCharsets.ISO_8859_1);
  }

  synchronized long newest(long watch) {
    return newest.getOrDefault(watch, 0L);
  }

  synchronized List<String> told(long watch) {
    return List.copyOf(told.getOrDefault(watch, List.of()));
  }

  synchronized List<WatchResponse> responses() {
    return List.copyOf(responses);
  }

  synchronized List<Throwable> problems() {
    return List.copyOf(problems);
  }

  @Override
  public synchronized void onError(Throwable problem) {
    problems.add(problem);
  }

  @Override
  public void onCompleted() {}

  @Override
  public void close() {
    requests.onCompleted();
  }
}
