// An error, told: in words for a person, as one line of JSON for a script, and of a bug with --verbose where it is.

import {errorLines, errorObject, type CentavoError} from '../errors.js';
import {clean} from './format.js';
import type {Io} from './io.js';

/** @param verbose also tells where in the program a bug was met */
export function tellError(error: CentavoError, io: Io, {json, verbose}: {json: boolean; verbose: boolean}): void {
  if (json) io.note(JSON.stringify(errorObject(error)));
  else for (const line of errorLines(error)) io.note(clean(line));
  const {cause} = error;
  if (!verbose || error.kind !== 'internal' || !(cause instanceof Error) || !cause.stack) return;
  // As a whole first: a secret may have a line break in it.
  for (const line of io.redact(cause.stack).split('\n')) io.note(clean(line));
}
