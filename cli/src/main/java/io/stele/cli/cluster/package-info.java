/** Commands on the servers of a cluster as a whole, and one that runs a cluster to try it out. */
@NullMarked
package io.stele.cli.cluster;

import org.jspecify.annotations.NullMarked;
