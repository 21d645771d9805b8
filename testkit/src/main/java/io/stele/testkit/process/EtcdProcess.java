package io.stele.testkit.process;

import io.stele.base.process.ChildProcess;
import io.stele.testkit.FreePorts;
import io.stele.testkit.run.Needs;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** etcd as it is installed, a group of one. */
public final class EtcdProcess extends ChildProcess {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final String address;

  private EtcdProcess(Path directory, String address, String peers) {
    super(
        "etcd",
        List.of(
            "etcd",
            "--name=a",
            "--data-dir=" + directory.resolve("etcd"),
            "--listen-client-urls=http://" + address,
            "--advertise-client-urls=http://" + address,
            "--listen-peer-urls=" + peers,
            "--initial-advertise-peer-urls=" + peers,
            "--initial-cluster=a=" + peers,
            "--logger=zap",
            "--log-level=warn",
            "--log-outputs=stderr"),
        directory.resolve("etcd.log"));
    this.address = address;
  }

  /** Starts one in a directory and waits until it leads. */
  public static EtcdProcess start(Path directory) {
    Needs.program("etcd", "etcd-server");
    EtcdProcess etcd =
        new EtcdProcess(
            directory, "127.0.0.1:" + FreePorts.next(), "http://127.0.0.1:" + FreePorts.next());
    etcd.launch();
    etcd.awaitReady(etcd::leads, PATIENCE);
    return etcd;
  }

  /** Where its clients find it. */
  public String address() {
    return address;
  }

  private boolean leads() {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://" + address + "/health")).build();
    try (HttpClient http = HttpClient.newHttpClient()) {
      return http.send(request, HttpResponse.BodyHandlers.ofString()).body().contains("true");
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
  }
}
