// Explains a key that the API refused.

import {maskedWhole} from '../config/keys/keys.js';
import type {Connection} from '../config/resolve.js';
import type {ErrorDetails} from '../common/errors.js';

/** @param used the key that was sent: a program may print another key than at the login */
export function explainRefusedKey({key, profile}: Connection, used: string): Pick<ErrorDetails, 'hint' | 'why'> {
  const {source, stored} = key!;
  return {
    why: `The key is ${maskedWhole(used)} from ${source}.`,
    hint: !stored
      ? `Set ${source} to another key.`
      : stored.store === 'command'
        ? `Check the output of ${stored.command[0]}, then try again.`
        : `To replace it: centavo login --profile ${profile.value}`,
  };
}
