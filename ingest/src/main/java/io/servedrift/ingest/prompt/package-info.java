/**
 * The key under which prompts are hashed: the deployment's, from a file, or one of this process.
 * Called by the serving node and the command line. May import the schemas module only.
 */
@NullMarked
package io.servedrift.ingest.prompt;

import org.jspecify.annotations.NullMarked;
