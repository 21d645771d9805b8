package io.stele.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.settings.Settings;
import io.stele.server.admin.AdminSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;

/** What {@code deploy/kubernetes} names exists: files, settings, ports, volumes, labels. */
class KubernetesFilesTest {
  private static final Path FOLDER = Path.of("../deploy/kubernetes");

  private final Map<String, Map<String, Object>> objects = new LinkedHashMap<>(); // by KIND/NAME
  private final Map<String, Object> kustomization;
  private final Map<String, Object> pod;
  private final Map<String, Object> container;

  KubernetesFilesTest() throws IOException {
    kustomization = documents("kustomization.yaml").getFirst();
    for (Object file : list(kustomization.get("resources"))) {
      for (Map<String, Object> object : documents(file.toString())) {
        objects.put(object.get("kind") + "/" + at(object, "metadata", "name"), object);
      }
    }
    pod = map(at(objects.get("StatefulSet/stele"), "spec", "template", "spec"));
    container = map(list(pod.get("containers")).getFirst());
  }

  private static List<Map<String, Object>> documents(String file) throws IOException {
    String text = Files.readString(FOLDER.resolve(file));
    return StreamSupport.stream(new Yaml().loadAll(text).spliterator(), false)
        .map(KubernetesFilesTest::map)
        .toList();
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Object> map(Object value) {
    return (Map<String, Object>) value;
  }

  private static List<?> list(Object value) {
    return (List<?>) value;
  }

  private static Object at(Object object, String... path) {
    Object found = object;
    for (String key : path) {
      found = map(found).get(key);
      assertThat(found).as("%s of %s", String.join(".", path), object).isNotNull();
    }
    return found;
  }

  private static Map<String, Integer> ports(Object ports, String key) {
    Map<String, Integer> byName = new LinkedHashMap<>();
    list(ports).forEach(port -> byName.put(at(port, "name").toString(), (Integer) at(port, key)));
    return byName;
  }

  private static Map<String, Integer> ofServers() {
    return Map.of(
        "native", ServerSettings.DEFAULT_PORT,
        "raft", ServerSettings.DEFAULT_RAFT_PORT,
        "rows", ServerSettings.DEFAULT_ROWS_PORT,
        "etcd", EtcdSettings.USUAL_PORT,
        "admin", AdminSettings.USUAL_PORT);
  }

  /** The settings of the first pod: those of the file, and those of variables. */
  private Settings settings() throws IOException {
    Map<String, String> variables = new LinkedHashMap<>();
    for (Object each : list(container.get("env"))) {
      String value = String.valueOf(map(each).get("value"));
      variables.put(at(each, "name").toString(), value.replace("$(POD_NAME)", "stele-0"));
    }
    return ServerSchema.SCHEMA
        .reader()
        .file(FOLDER.resolve("stele.conf"))
        .environment(variables)
        .merge();
  }

  @Test
  void everyFileIsListed() throws IOException {
    List<String> listed = new ArrayList<>(List.of("kustomization.yaml", "stele.conf"));
    list(kustomization.get("resources")).forEach(file -> listed.add(file.toString()));
    try (Stream<Path> files = Files.list(FOLDER)) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .containsExactlyInAnyOrderElementsOf(listed);
    }
    assertThat(objects.keySet())
        .containsExactlyInAnyOrder(
            "Service/stele",
            "Service/stele-members",
            "StatefulSet/stele",
            "PodDisruptionBudget/stele",
            "NetworkPolicy/stele",
            "Job/stele-bootstrap");
  }

  @Test
  void settingsAreKnownAndTheirAddressesAreThoseOfThePods() throws IOException {
    ServerSettings server = settings().bind(ServerSettings.class, ServerSchema.SERVER);
    List<String> pods =
        Stream.of(0, 1, 2).map(pod -> "stele-%d.stele-members:7835".formatted(pod)).toList();

    assertThat(server.advertise()).contains("stele-0.stele-members");
    assertThat(server.name()).contains("stele-0");
    assertThat(server.seeds()).isEqualTo(pods);
    assertThat(at(objects.get("StatefulSet/stele"), "spec", "replicas")).isEqualTo(pods.size());
    assertThat(at(objects.get("StatefulSet/stele"), "spec", "serviceName"))
        .isEqualTo("stele-members");
    Object job =
        list(at(objects.get("Job/stele-bootstrap"), "spec", "template", "spec", "containers"))
            .getFirst();
    assertThat(list(at(job, "args")).stream().map(Object::toString)).containsAll(pods);
  }

  @Test
  void settingsInCommentsAreKnownToo() throws IOException {
    String uncommented =
        Files.readString(FOLDER.resolve("stele.conf")).replaceAll("(?m)^#([a-z]+\\.)", "$1");

    assertThat(uncommented).contains("\ntables.shared = true");
    ServerSchema.SCHEMA
        .reader()
        .file("stele.conf", uncommented)
        .environment(Map.of("STELE_SERVER_ADVERTISE", "h"))
        .merge();
  }

  @Test
  void portsAreThoseOfServers() {
    assertThat(ports(container.get("ports"), "containerPort")).isEqualTo(ofServers());
    for (String service : List.of("Service/stele", "Service/stele-members")) {
      assertThat(ofServers().entrySet())
          .as(service)
          .containsAll(ports(at(objects.get(service), "spec", "ports"), "port").entrySet());
    }
    for (String probe : List.of("startupProbe", "livenessProbe", "readinessProbe")) {
      Map<String, Object> how = map(container.get(probe));
      Object port = at(how, how.containsKey("httpGet") ? "httpGet" : "tcpSocket", "port");
      assertThat(ofServers()).as(probe).containsKey(port.toString());
    }
  }

  @Test
  void dataIsOnAVolumeOfThePod() throws IOException {
    List<String> volumes = new ArrayList<>();
    list(pod.get("volumes")).forEach(volume -> volumes.add(at(volume, "name").toString()));
    list(at(objects.get("StatefulSet/stele"), "spec", "volumeClaimTemplates"))
        .forEach(claim -> volumes.add(at(claim, "metadata", "name").toString()));
    Map<String, Path> mounts = new LinkedHashMap<>();
    list(container.get("volumeMounts"))
        .forEach(
            mount ->
                mounts.put(
                    at(mount, "name").toString(), Path.of(at(mount, "mountPath").toString())));

    assertThat(volumes).containsExactlyInAnyOrderElementsOf(mounts.keySet());
    assertThat(settings().bind(ServerSettings.class, ServerSchema.SERVER).data())
        .startsWithRaw(mounts.get("data"));
  }

  @Test
  void servicesAndTheBudgetSelectTheServersAlone() {
    Object labels = at(objects.get("StatefulSet/stele"), "spec", "template", "metadata", "labels");

    assertThat(at(objects.get("StatefulSet/stele"), "spec", "selector", "matchLabels"))
        .isEqualTo(labels);
    assertThat(at(objects.get("Service/stele"), "spec", "selector")).isEqualTo(labels);
    assertThat(at(objects.get("Service/stele-members"), "spec", "selector")).isEqualTo(labels);
    assertThat(at(objects.get("PodDisruptionBudget/stele"), "spec", "selector", "matchLabels"))
        .isEqualTo(labels);
    assertThat(at(objects.get("Job/stele-bootstrap"), "spec", "template", "metadata", "labels"))
        .isNotEqualTo(labels);
  }
}
