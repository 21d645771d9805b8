/** Child processes of this one, Stele servers among them: start, readiness, signals and end. */
@NullMarked
package io.stele.base.process;

import org.jspecify.annotations.NullMarked;
