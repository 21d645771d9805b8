package io.stele.server;

import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.cli.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Where a server that is ready can be reached, each {@code HOST:PORT}; in the file {@code
 * addresses.json} of its directory as long as it serves:
 *
 * <pre>{@code
 * {
 *   "native": "127.0.0.1:7835",
 *   "raft": "127.0.0.1:7836",
 *   "datasets": "127.0.0.1:9599",
 *   "etcd": "127.0.0.1:2379",
 *   "bigtable": "127.0.0.1:8086",
 *   "admin": "127.0.0.1:7838"
 * }
 * }</pre>
 *
 * @param nativeAddress of the native interface
 * @param raftAddress by which members replicate the log; empty for a server that is none
 * @param datasetsAddress of datasets over HTTP; empty for a server that has none
 * @param etcdAddress for etcd's clients; empty for a server that has none
 * @param bigtableAddress for Bigtable's clients; empty for a server that has none
 * @param adminAddress of the admin port, over HTTP; empty for a server that has none
 */
public record Addresses(
    String nativeAddress,
    String raftAddress,
    String datasetsAddress,
    String etcdAddress,
    String bigtableAddress,
    String adminAddress) {

  static final FilePath FILE = FilePath.of("addresses.json");

  /**
   * Of a server that listens.
   *
   * @param adminHost of the admin port, which may be reached from fewer places
   */
  static Addresses of(String host, String adminHost, Ports ports) {
    String name = name(host);
    return new Addresses(
        name + ":" + ports.nativePort(),
        ports.raftPort() == 0 ? "" : name + ":" + ports.raftPort(),
        ports.datasetsPort() == 0 ? "" : name + ":" + ports.datasetsPort(),
        ports.etcdPort() == 0 ? "" : name + ":" + ports.etcdPort(),
        ports.bigtablePort() == 0 ? "" : name + ":" + ports.bigtablePort(),
        ports.adminPort() == 0 ? "" : name(adminHost) + ":" + ports.adminPort());
  }

  private static String name(String host) {
    return host.indexOf(':') >= 0 && !host.startsWith("[") ? "[" + host + "]" : host;
  }

  /** Of a server that listens nowhere: those it would have, as members of a group have some. */
  static Addresses unused() {
    return new Addresses(
        "127.0.0.1:" + ServerSettings.DEFAULT_PORT,
        "127.0.0.1:" + ServerSettings.DEFAULT_RAFT_PORT,
        "127.0.0.1:" + DatasetsSettings.DEFAULT_PORT,
        "",
        "",
        "");
  }

  Addresses withoutBigtable() {
    return new Addresses(
        nativeAddress, raftAddress, datasetsAddress, etcdAddress, "", adminAddress);
  }

  static int port(String address) {
    return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
  }

  /** By the name of the interface, in a fixed order. */
  Map<String, String> byInterface() {
    Map<String, String> addresses = new LinkedHashMap<>();
    addresses.put("native", nativeAddress);
    if (!raftAddress.isEmpty()) {
      addresses.put("raft", raftAddress);
    }
    if (!datasetsAddress.isEmpty()) {
      addresses.put("datasets", datasetsAddress);
    }
    if (!etcdAddress.isEmpty()) {
      addresses.put("etcd", etcdAddress);
    }
    if (!bigtableAddress.isEmpty()) {
      addresses.put("bigtable", bigtableAddress);
    }
    if (!adminAddress.isEmpty()) {
      addresses.put("admin", adminAddress);
    }
    return addresses;
  }

  void write(FileStore directory) throws IOException {
    directory.replace(FILE, (Json.write(byInterface()) + "\n").getBytes(StandardCharsets.UTF_8));
  }

  static void remove(FileStore directory) throws IOException {
    directory.delete(FILE);
  }
}
