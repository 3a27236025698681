// The flags by which a command that is proposed means the same account as the one that proposes it.

import type {Context} from '../context.js';
import {shellQuote} from '../input/words.js';

/**
 * ` --profile shop --live`, or nothing: what the environment and the configuration say, they say again.
 * Without them a look after a doubt would be taken at another account, find nothing, and invite to do it twice.
 */
export const sameAccount = ({flags}: Context): string =>
  `${flags.profile === undefined ? '' : ` --profile ${shellQuote(flags.profile)}`}${flags.live ? ' --live' : ''}`;
