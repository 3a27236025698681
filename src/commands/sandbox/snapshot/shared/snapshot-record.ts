// The printed record of a snapshot.

import * as schema from '../../../../cli/schema.js';

/** `saved_at` is by the real clock, not by the clock of the sandbox. */
export const SNAPSHOT = schema.record({
  name: schema.text,
  saved_at: schema.titled('saved', schema.timestamp),
  bytes: schema.integer,
  file: schema.text,
});
