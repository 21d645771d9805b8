package io.stele.metastore.raft;

import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.UnavailableException;
import io.stele.base.event.Events;
import io.stele.base.time.Clock;
import java.io.IOException;
import java.net.BindException;
import java.net.DatagramPacket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.MulticastSocket;
import java.net.NetworkInterface;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Announces a server by multicast, and remembers those that announced themselves of late. One
 * thread sends and listens; a server that starts asks the others, so that both know of each other
 * at once.
 */
final class Announcer implements AutoCloseable {
  /** More servers than this are not remembered, whoever fills the network with their names. */
  static final int MAX_KNOWN = 256;

  private final String serviceAddress;
  private final DiscoverySettings settings;
  private final Clock clock;
  private final Events events;
  private final InetSocketAddress group;
  private final List<NetworkInterface> interfaces;
  private final MulticastSocket socket;
  private final Thread thread;

  private final Map<String, Long> heardNanos = new HashMap<>(); // guarded by itself
  private volatile boolean closed;

  private Announcer(
      String serviceAddress,
      DiscoverySettings settings,
      Clock clock,
      Events events,
      InetSocketAddress group,
      List<NetworkInterface> interfaces,
      MulticastSocket socket) {
    this.serviceAddress = serviceAddress;
    this.settings = settings;
    this.clock = clock;
    this.events = events;
    this.group = group;
    this.interfaces = interfaces;
    this.socket = socket;
    this.thread = Thread.ofPlatform().name("stele-announcer").daemon().unstarted(this::run);
  }

  static Announcer start(
      String serviceAddress, DiscoverySettings settings, Clock clock, Events events)
      throws IOException {
    InetAddress address = InetAddress.getByName(settings.multicastGroup());
    if (!address.isMulticastAddress()) {
      throw new InvalidRequestException(
          "discovery: group " + settings.multicastGroup() + " is no multicast address");
    }
    InetSocketAddress group = new InetSocketAddress(address, settings.multicastPort());
    List<NetworkInterface> interfaces = interfaces(settings.multicastInterface());
    MulticastSocket socket = listen(settings.multicastPort());
    try {
      socket.setTimeToLive(1);
      socket.setOption(StandardSocketOptions.IP_MULTICAST_LOOP, true);
      for (NetworkInterface one : interfaces) {
        socket.joinGroup(group, one);
      }
    } catch (IOException e) {
      socket.close();
      throw e;
    }
    Announcer announcer =
        new Announcer(serviceAddress, settings, clock, events, group, interfaces, socket);
    announcer.thread.start();
    return announcer;
  }

  private static MulticastSocket listen(int port) throws IOException {
    try {
      return new MulticastSocket(port);
    } catch (BindException e) {
      throw new UnavailableException(
          "cannot listen for announcements of other servers on UDP port "
              + port
              + ": "
              + e.getMessage(),
          e);
    }
  }

  private static List<NetworkInterface> interfaces(String name) throws IOException {
    if (!name.isEmpty()) {
      NetworkInterface named = NetworkInterface.getByName(name);
      if (named == null) {
        throw new InvalidRequestException(
            "discovery: no network interface " + name + ", there are " + names());
      }
      return List.of(named);
    }
    List<NetworkInterface> all = new ArrayList<>();
    for (NetworkInterface one : Collections.list(NetworkInterface.getNetworkInterfaces())) {
      if (one.isUp() && one.supportsMulticast() && one.getInetAddresses().hasMoreElements()) {
        all.add(one);
      }
    }
    if (all.isEmpty()) {
      throw new InvalidRequestException(
          "discovery: no network interface carries multicast, of " + names());
    }
    return all;
  }

  private static Set<String> names() throws IOException {
    Set<String> names = new TreeSet<>();
    for (NetworkInterface one : Collections.list(NetworkInterface.getNetworkInterfaces())) {
      names.add(one.getName());
    }
    return names;
  }

  /** Service addresses that were announced of late, this server's own not among them. */
  List<String> known() {
    synchronized (heardNanos) {
      forget();
      return heardNanos.keySet().stream().sorted().toList();
    }
  }

  private void forget() {
    long limit = 3 * settings.interval().toNanos();
    long now = clock.nanos();
    heardNanos.values().removeIf(heard -> now - heard > limit);
  }

  private void run() {
    long interval = settings.interval().toNanos();
    long sent = clock.nanos() - interval;
    long next = sent;
    boolean first = true;
    byte[] buffer = new byte[Announcement.MAX_BYTES + 1];
    while (!closed) {
      try {
        long wait = next - clock.nanos();
        if (wait <= 0) {
          send(new Announcement(serviceAddress, first));
          first = false;
          sent = clock.nanos();
          next = sent + interval;
          continue;
        }
        socket.setSoTimeout((int) Math.max(1, Math.min(wait / 1_000_000, 1_000)));
        DatagramPacket packet = new DatagramPacket(buffer, buffer.length);
        socket.receive(packet);
        if (hear(Announcement.parse(buffer, packet.getLength()).orElse(null))) {
          // Soon, but not more often than that, however many ask.
          next = sent + interval / 10;
        }
      } catch (SocketTimeoutException _) {
        // Time to look whether to announce.
      } catch (IOException e) {
        if (!closed) {
          events.publish(new RaftEvent.DiscoveryFailed(serviceAddress, e.toString()));
          next = clock.nanos() + interval;
        }
      }
    }
  }

  /** Returns true if another server asked who is there. */
  private boolean hear(@Nullable Announcement announcement) {
    if (announcement == null || announcement.serviceAddress().equals(serviceAddress)) {
      return false;
    }
    synchronized (heardNanos) {
      forget();
      if (heardNanos.size() < MAX_KNOWN || heardNanos.containsKey(announcement.serviceAddress())) {
        heardNanos.put(announcement.serviceAddress(), clock.nanos());
      }
    }
    return announcement.asks();
  }

  private void send(Announcement announcement) throws IOException {
    byte[] bytes = announcement.toBytes();
    for (NetworkInterface one : interfaces) {
      socket.setNetworkInterface(one);
      socket.send(new DatagramPacket(bytes, bytes.length, group));
    }
  }

  @Override
  public void close() {
    closed = true;
    socket.close();
    Futures.joinThread(thread);
  }
}
