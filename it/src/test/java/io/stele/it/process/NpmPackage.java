package io.stele.it.process;

import io.stele.base.process.FileTree;
import io.stele.testkit.process.Program;
import io.stele.testkit.run.Needs;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * A package of npm with all that it needs, kept below {@code ~/.cache/stele/npm} for the next build
 * as Maven keeps jars.
 */
public final class NpmPackage {
  private final Path modules;

  private NpmPackage(Path modules) {
    this.modules = modules;
  }

  /** Installs it unless it is there, such as {@code etcd3@1.1.2}. */
  public static NpmPackage installed(String name) throws IOException {
    Needs.program("node", "nodejs");
    Needs.program("npm", "npm");
    Path cache = Path.of(System.getProperty("user.home"), ".cache", "stele", "npm");
    Path kept = cache.resolve(name.replace('/', '_'));
    if (!Files.exists(kept)) {
      Path draft = Files.createTempDirectory(Files.createDirectories(cache), "draft");
      Files.writeString(draft.resolve("package.json"), "{\"name\": \"try\", \"private\": true}");
      Program.Result npm =
          new Program(
                  List.of("npm", "install", "--no-audit", "--no-fund", "--ignore-scripts"),
                  draft,
                  variables -> {})
              .run("--prefer-offline", "--fetch-retries=0", name);
      if (npm.exitCode() != 0) {
        FileTree.delete(draft);
        Needs.that(false, "npm cannot install " + name + ": " + npm.said());
      }
      try {
        Files.move(draft, kept);
      } catch (FileAlreadyExistsException | DirectoryNotEmptyException e) {
        FileTree.delete(draft); // another build was quicker
      }
    }
    return new NpmPackage(kept.resolve("node_modules"));
  }

  /** Variables with which {@code node} finds it. */
  public Map<String, String> variables() {
    return Map.of("NODE_PATH", modules.toString());
  }
}
