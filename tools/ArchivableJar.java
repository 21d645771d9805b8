import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassFileVersion;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.constant.ClassDesc;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Collections;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/**
 * Gives the classes of the named jars, in place, a class-file version that the JVM's class-data
 * archives take. Those leave out classes from before Java 6, whose methods carry no stack maps;
 * picocli is compiled for Java 5 to this day, and without it in the archive {@code stele --help}
 * takes half as long again. A jar without such classes is left untouched.
 */
final class ArchivableJar {

  public static void main(String[] args) throws IOException {
    for (String jar : args) {
      modernize(Path.of(jar));
    }
  }

  private static void modernize(Path jar) throws IOException {
    Path draft = jar.resolveSibling(jar.getFileName() + ".draft");
    boolean changed = false;
    try (ZipFile in = new ZipFile(jar.toFile());
        ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(draft))) {
      ClassFile format =
          ClassFile.of(
              ClassFile.StackMapsOption.GENERATE_STACK_MAPS,
              ClassFile.ClassHierarchyResolverOption.of(hierarchyOf(in)));
      for (ZipEntry entry : Collections.list(in.entries())) {
        byte[] content = content(in, entry);
        if (entry.getName().endsWith(".class")) {
          ClassModel model = format.parse(content);
          if (model.majorVersion() < ClassFile.JAVA_6_VERSION) {
            content = format.transformClass(model, WITH_STACK_MAPS);
            changed = true;
          }
        }
        ZipEntry copy = new ZipEntry(entry.getName());
        copy.setTime(entry.getTime());
        out.putNextEntry(copy);
        out.write(content);
      }
    }
    if (changed) {
      Files.move(draft, jar, StandardCopyOption.REPLACE_EXISTING);
    } else {
      Files.delete(draft);
    }
  }

  /** Method bodies are taken apart and put together again: only then are stack maps computed. */
  private static final ClassTransform WITH_STACK_MAPS =
      ClassTransform.transformingMethodBodies((code, element) -> code.with(element))
          .andThen(
              (builder, element) -> {
                if (element instanceof ClassFileVersion) {
                  builder.withVersion(ClassFile.JAVA_17_VERSION, 0);
                } else {
                  builder.with(element);
                }
              });

  /** Stack maps need to know how classes are related: those of the jar itself, and the JDK's. */
  private static ClassHierarchyResolver hierarchyOf(ZipFile jar) {
    return ClassHierarchyResolver.ofResourceParsing((ClassDesc name) -> open(jar, name))
        .orElse(ClassHierarchyResolver.defaultResolver())
        .cached();
  }

  private static InputStream open(ZipFile jar, ClassDesc name) {
    String descriptor = name.descriptorString();
    ZipEntry entry = jar.getEntry(descriptor.substring(1, descriptor.length() - 1) + ".class");
    try {
      return entry == null ? null : jar.getInputStream(entry);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static byte[] content(ZipFile jar, ZipEntry entry) throws IOException {
    try (InputStream in = jar.getInputStream(entry)) {
      return in.readAllBytes();
    }
  }
}
