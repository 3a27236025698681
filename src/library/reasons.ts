// The message of an error as a user of the library reads it. The command line prints the same reasons on lines of their own.

import {boundedText} from '../common/bounded-text.js';
import type {CentavoError} from '../common/errors.js';

/** Maximum characters of the reasons in a message. */
const MAX_REASONS = 800;

/**
 * Adds the reasons to the error's own message, and returns the error:
 * `… (HTTP 400). amount: The value for amount cannot be less than 2000. [parameter_below_minimum]`
 */
export function withReasons(error: CentavoError): CentavoError {
  const {apiErrors = [], why = '', hint} = error.details;
  const entries = apiErrors.map(({parameter, detail, code}) =>
    [parameter && `${parameter}:`, detail, `[${code}]`].filter(Boolean).join(' '),
  );
  // The reason for a refused key begins with the API's own.
  const rest = apiErrors.reduce((text, {detail}) => text.replace(detail, ''), why).trim();
  const reasons = boundedText([...entries, rest, hint].filter(Boolean).join(' '), MAX_REASONS);
  // Options are named as flags of the commands.
  error.message = `${error.message} ${reasons}`.trimEnd().replaceAll(/--(?=[a-z])/g, '');
  return error;
}
