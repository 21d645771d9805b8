/** One command that looks at everything, says what is wrong, and what to do about it. */
@NullMarked
package io.stele.cli.doctor;

import org.jspecify.annotations.NullMarked;
