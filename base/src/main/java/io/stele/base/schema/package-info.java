/** What a table consists of: locality groups, their families, and how each group is kept. */
@NullMarked
package io.stele.base.schema;

import org.jspecify.annotations.NullMarked;
