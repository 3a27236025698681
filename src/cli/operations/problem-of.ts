// What is wrong with the answer to a question.

import {CentavoError} from '../../errors.js';

/** What is wrong with an answer, in one line, or undefined. The name of the flag is left out, because none was typed. */
export function problemOf(check: () => unknown): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof CentavoError)
      return [error.message.replace(/^--[\w-]+(, \w+)? /, ''), error.details.why].filter(Boolean).join(' ');
    throw error;
  }
}
