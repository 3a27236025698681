// An error, told: in words for a person, as one line of JSON for a script, and of a bug with --verbose where it is.

import {errorLines, errorObject, type CentavoError} from '../errors.js';
import {clean, toJson} from './format.js';
import type {Io} from './io.js';
import {framesOf} from '../thrown.js';

/** Tells it whatever `--quiet` says. @param verbose also tells where in the program a bug was met */
export function tellError(error: CentavoError, io: Io, {json, verbose}: {json: boolean; verbose: boolean}): void {
  const {quiet} = io.settings;
  io.settings.quiet = false;
  if (json) io.note(toJson(errorObject(error)));
  else for (const line of errorLines(error)) io.note(clean(line));
  const {cause} = error;
  if (verbose && error.kind === 'internal') for (const line of framesOf(cause)) io.note(clean(line));
  io.settings.quiet = quiet;
}
