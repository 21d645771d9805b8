import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/**
 * Writes the notices of the libraries that a release brings along, for people: each library with
 * its licences, as the SBOM has them, and then the texts that their jars hold, each once. The
 * Apache licence is left out, since it is Stele's own too.
 *
 * <pre>
 *   ThirdPartyNotices SBOM.xml FOLDER-OF-JARS OUTPUT
 * </pre>
 */
final class ThirdPartyNotices {
  private static final Pattern TEXTS =
      Pattern.compile(
          "(META-INF/)?[^/]*(LICEN[CS]E|NOTICE|COPYRIGHT)[^/]*", Pattern.CASE_INSENSITIVE);
  private static final Pattern APACHE =
      Pattern.compile("\\s*Apache License\\s+Version 2\\.0, January 2004.*", Pattern.DOTALL);
  private static final String RULE = "-".repeat(80);

  private record Library(String name, String version, String licences, String url) {}

  public static void main(String[] args) throws Exception {
    if (args.length != 3) {
      System.err.println("arguments are SBOM.xml, a folder of jars and the file to write");
      System.exit(2);
    }
    Map<String, Library> byJar = libraries(Path.of(args[0]));
    StringBuilder text =
        new StringBuilder("Stele comes with these libraries, each under its own licence:\n\n");
    byJar.values().stream()
        .map(each -> "%s %s: %s%s\n".formatted(each.name, each.version, each.licences, each.url))
        .sorted()
        .forEach(text::append);
    Map<String, Set<String>> jarsByText = texts(Path.of(args[1]), byJar.keySet());
    jarsByText.forEach(
        (notice, jars) ->
            text.append("\n%s\n%s\n%s\n".formatted(RULE, String.join(", ", jars), RULE))
                .append('\n')
                .append(notice)
                .append('\n'));
    Files.writeString(Path.of(args[2]), text);
  }

  /** By the names of their jars. */
  private static Map<String, Library> libraries(Path sbom) throws Exception {
    NodeList components =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(sbom.toFile())
            .getElementsByTagName("component");
    Map<String, Library> byJar = new LinkedHashMap<>();
    for (int i = 0; i < components.getLength(); i++) {
      Element component = (Element) components.item(i);
      String group = first(component, "group");
      if (group.equals("io.stele")) {
        continue;
      }
      String name = first(component, "name");
      String version = first(component, "version");
      Set<String> licences = new LinkedHashSet<>();
      for (String tag : List.of("expression", "id")) {
        licences.addAll(all(component, tag));
      }
      NodeList named = component.getElementsByTagName("license");
      for (int each = 0; each < named.getLength(); each++) {
        licences.addAll(all((Element) named.item(each), "name"));
      }
      List<String> urls = all(component, "url");
      byJar.put(
          name + "-" + version + ".jar",
          new Library(
              group + ":" + name,
              version,
              licences.isEmpty() ? "licence not stated" : String.join(" or ", licences),
              urls.isEmpty() ? "" : " (" + urls.getFirst() + ")"));
    }
    return byJar;
  }

  private static String first(Element parent, String tag) {
    List<String> all = all(parent, tag);
    return all.isEmpty() ? "" : all.getFirst();
  }

  private static List<String> all(Element parent, String tag) {
    List<String> texts = new ArrayList<>();
    NodeList found = parent.getElementsByTagName(tag);
    for (int i = 0; i < found.getLength(); i++) {
      texts.add(found.item(i).getTextContent().strip());
    }
    return texts;
  }

  /** The jars that have each text, in the order of their names. */
  private static Map<String, Set<String>> texts(Path folder, Set<String> jars) throws IOException {
    Map<String, Set<String>> jarsByText = new LinkedHashMap<>();
    for (String jar : new TreeSet<>(jars)) {
      Path file = folder.resolve(jar);
      if (!Files.exists(file)) {
        continue; // for another system, or left out of the archives
      }
      try (ZipFile zip = new ZipFile(file.toFile())) {
        for (ZipEntry entry : zip.stream().filter(ThirdPartyNotices::isText).toList()) {
          String text =
              new String(zip.getInputStream(entry).readAllBytes(), StandardCharsets.UTF_8)
                  .replace("\r\n", "\n")
                  .strip();
          if (!text.isEmpty() && !APACHE.matcher(text).matches()) {
            jarsByText.computeIfAbsent(text, _ -> new TreeSet<>()).add(jar);
          }
        }
      }
    }
    return jarsByText;
  }

  private static boolean isText(ZipEntry entry) {
    return TEXTS.matcher(entry.getName()).matches() && !entry.getName().endsWith(".class");
  }
}
