package io.stele.datasets.version;

import io.stele.base.file.FilePath;
import java.util.Optional;

/**
 * One input file of a version.
 *
 * @param declared what the version's manifest says of it
 */
public record InputFile(
    FilePath path, long bytes, Optional<VersionManifest.DeclaredFile> declared) {}
