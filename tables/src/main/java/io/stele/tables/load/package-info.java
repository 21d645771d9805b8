/** How tablets come to a server and leave it. */
@NullMarked
package io.stele.tables.load;

import org.jspecify.annotations.NullMarked;
