// Leaves in an error only the commands that a program may run without a person.

import {CentavoError, nextCommand, type NextCommand} from '../../common/errors.js';
import type {Context} from '../../context/context.js';
import type {CommandIndex} from '../catalog/command-index.js';
import {longId} from '../catalog/short-names.js';
import {accountArgs} from '../next-steps.js';
import {isOverride} from '../overrides.js';
import {findCommand} from './argv.js';

/**
 * Removes the flags that lift a guard. In live mode a change is a person's, so only reads remain. A read keeps --live if
 * the key is a profile's: without it the read would use the test key, and find nothing. A live key of the environment
 * needs no flag.
 */
export async function nextForPrograms(
  error: CentavoError,
  context: Context,
  commands: CommandIndex['commands'],
): Promise<CentavoError> {
  const {next = []} = error.details;
  if (next.length === 0) return error;
  const {isLive, needsFlag} = await modeOf(context);
  const allowed = isLive ? next.filter(({args}) => isRead(args, commands)) : next;
  const safe = allowed.map(({words, args}): NextCommand => ({
    words,
    args: args.filter((arg) => !isOverride(arg) || (arg === '--live' && isLive && needsFlag)),
  }));
  if (safe.length > 0) return error.with({next: safe});
  const [id] = error.details.ids ?? [];
  const see = id === undefined ? [] : [nextCommand('See it', 'get', id, accountArgs(context))];
  return error.with({next: see, needsPerson: true});
}

async function modeOf(context: Context): Promise<{isLive: boolean; needsFlag: boolean}> {
  try {
    const {mode, key} = await context.connection();
    return {isLive: mode === 'live', needsFlag: key?.stored !== undefined};
  } catch (error) {
    if (!(error instanceof CentavoError)) throw error;
    // The account is not known, so --live decides.
    return {isLive: context.flags.live === true, needsFlag: true};
  }
}

function isRead(args: readonly string[], commands: CommandIndex['commands']): boolean {
  if (args[0] === 'api') return args[1] === 'GET';
  const {typed} = findCommand(args, commands);
  return typed === undefined || commands[longId(typed)]?.risk === 'reads' || args.includes('--help');
}
