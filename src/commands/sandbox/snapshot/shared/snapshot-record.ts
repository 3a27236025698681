// The printed record of a snapshot.

import {integerSchema, recordSchema, textSchema, timestampSchema, titledSchema} from '../../../../cli/schema.js';

/** `saved_at` is by the real clock, not by the clock of the sandbox. */
export const SNAPSHOT = recordSchema({
  name: textSchema,
  saved_at: titledSchema('saved', timestampSchema),
  bytes: integerSchema,
  file: textSchema,
});
