package io.stele.metastore.raft;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.NotServingException;
import io.stele.base.event.Events;
import io.stele.base.file.CrashMode;
import io.stele.base.file.MemoryFileStore;
import io.stele.base.time.Clock;
import io.stele.base.time.RandomSource;
import io.stele.testkit.FreePorts;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/** Servers of this process that can form groups, and find each other by their addresses. */
final class TestServers implements AutoCloseable {
  static final GroupSettings SETTINGS =
      new GroupSettings(
          false,
          Duration.ofSeconds(30),
          Duration.ofSeconds(10),
          SoloSettings.DEFAULT,
          TestMembers.SETTINGS);

  /** One server, and what survives its restart. */
  final class Server {
    final String address = "127.0.0.1:" + FreePorts.next();
    final String raftAddress = "127.0.0.1:" + FreePorts.next();
    final Path directory;
    MapReplica.Disk disk = new MapReplica.Disk();
    MemoryFileStore files = new MemoryFileStore();
    MapReplica replica = new MapReplica(disk);
    GroupSettings settings = SETTINGS;
    Optional<String> id = Optional.empty();
    volatile boolean refusesToForm;
    Optional<GroupMember<Position>> running = Optional.empty();
    Optional<GroupChanges<Position>> operator = Optional.empty();

    Server(String name) {
      this.directory = root.resolve(name);
    }

    GroupMember<Position> member() {
      return running.orElseThrow();
    }

    GroupChanges<Position> changes() {
      return operator.orElseThrow();
    }

    Server start() {
      replica = new MapReplica(disk);
      try {
        running =
            Optional.of(
                GroupMember.open(
                    new GroupMember.Place(
                        files, Optional.of(directory), raftAddress, address, id, Optional.empty()),
                    replica,
                    link,
                    settings,
                    events,
                    Clock.system(),
                    RandomSource.system()));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      operator = running.map(GroupChanges::new);
      return this;
    }

    /** Before it starts again. */
    Optional<String> takeOver() throws IOException {
      replica = new MapReplica(disk);
      return new RatisSurvivor(
              new GroupMember.Place(
                  files, Optional.of(directory), raftAddress, address, id, Optional.empty()),
              replica,
              link)
          .takeOver(RandomSource.system());
    }

    void stop() {
      running.ifPresent(GroupMember::close);
      running = Optional.empty();
    }

    /** Stops it as a power loss would, as far as the plain log and the member file go. */
    void crash() {
      MemoryFileStore left = files.crash(CrashMode.dropUnsynced());
      stop();
      files = left;
    }

    Position put(String entry) {
      return member().propose(Bytes.utf8(entry)).orTimeout(60, TimeUnit.SECONDS).join();
    }

    /** Adds a server; on a busy machine the lead may go and come back meanwhile. */
    void add(Server newcomer) {
      TestMembers.until(
          () -> {
            try {
              changes().add(newcomer.address);
              return true;
            } catch (NotServingException e) {
              return false;
            }
          });
    }

    boolean ready() {
      return running.isPresent() && member().standing().ready();
    }

    String id() {
      return member().self().id();
    }
  }

  final Map<String, Server> servers = new ConcurrentSkipListMap<>();
  final List<RaftEvent> seen = new CopyOnWriteArrayList<>();
  private final Events events =
      new Events(
          (event, failure) -> {
            throw new AssertionError(event.text(), failure);
          });
  private final Path root;
  private final PeerLink link = new Link();

  TestServers(Path root) {
    this.root = root;
    events.subscribe(RaftEvent.class, seen::add);
  }

  Server server(String name) {
    Server server = new Server(name);
    servers.put(server.address, server);
    return server;
  }

  Server leader() {
    TestMembers.until(() -> servers.values().stream().anyMatch(Server::ready));
    return servers.values().stream().filter(Server::ready).findFirst().orElseThrow();
  }

  @Override
  public void close() {
    servers.values().parallelStream().forEach(Server::stop);
  }

  /** Straight calls, on other threads as a network would make them. */
  private final class Link implements PeerLink {
    private GroupMember<Position> at(String address) {
      Server server = servers.get(address);
      if (server == null || server.running.isEmpty()) {
        throw new UncheckedIOException(new IOException("nobody answers at " + address));
      }
      return server.member();
    }

    @Override
    public CompletableFuture<Long> currentTerm(Member peer) {
      return CompletableFuture.supplyAsync(
          () -> at(peer.serviceAddress()).currentTerm(peer.id()), TestMembers.THREADS);
    }

    @Override
    public InputStream checkpoint(Member peer) {
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      at(peer.serviceAddress());
      Objects.requireNonNull(servers.get(peer.serviceAddress())).replica.writeCheckpoint(out);
      return new ByteArrayInputStream(out.toByteArray());
    }

    @Override
    public CompletableFuture<Boolean> reserve(String serviceAddress, String group) {
      return CompletableFuture.supplyAsync(
          () -> at(serviceAddress).reserve(group), TestMembers.THREADS);
    }

    @Override
    public CompletableFuture<Void> release(String serviceAddress, String group) {
      return CompletableFuture.runAsync(
          () -> at(serviceAddress).release(group), TestMembers.THREADS);
    }

    @Override
    public CompletableFuture<Void> form(
        String serviceAddress, String group, String memberId, List<Member> members) {
      return CompletableFuture.runAsync(
          () -> {
            GroupMember<Position> server = at(serviceAddress);
            if (Objects.requireNonNull(servers.get(serviceAddress)).refusesToForm) {
              throw new UncheckedIOException(new IOException("cut off"));
            }
            server.form(group, memberId, members);
          },
          TestMembers.THREADS);
    }

    @Override
    public CompletableFuture<PeerIdentity> identify(String serviceAddress) {
      return CompletableFuture.supplyAsync(
          () -> at(serviceAddress).identity(), TestMembers.THREADS);
    }

    @Override
    public CompletableFuture<Optional<String>> fingerprint(Member peer, long index) {
      return CompletableFuture.completedFuture(Optional.empty());
    }
  }
}
