/** The contract suite that every file store passes. */
@NullMarked
package io.stele.testkit.file;

import org.jspecify.annotations.NullMarked;
