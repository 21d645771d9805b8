/** The contract suite that every file store passes, and a disk that fails. */
@NullMarked
package io.stele.testkit.file;

import org.jspecify.annotations.NullMarked;
