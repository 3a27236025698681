// Leaves in an error only the commands that a program may run without a person.

import {CentavoError, nextCommand, type NextCommand} from '../../common/errors.js';
import type {Context} from '../../context/context.js';
import type {CommandIndex} from '../catalog/command-index.js';
import {longId} from '../catalog/short-names.js';
import {accountArgs} from '../next-steps.js';
import {isOverride} from '../overrides.js';
import {findCommand} from './argv.js';
import {PERSON_DECIDES} from './print-error.js';

/** Completes an error for programs, and leaves only the commands that they may run. */
export async function forPrograms(
  error: CentavoError,
  context: Context,
  commands: CommandIndex['commands'],
): Promise<CentavoError> {
  const known = error.with({ids: idsOf(error), needsPerson: needsPerson(error)});
  return known.details.next?.length ? withSafeNext(known, context, commands) : known;
}

/**
 * Removes the flags that lift a guard. In live mode a change is a person's, so only reads remain. A read keeps --live if
 * the key is a profile's: without it the read would use the test key, and find nothing. A live key of the environment
 * needs no flag.
 */
async function withSafeNext(error: CentavoError, context: Context, commands: CommandIndex['commands']) {
  const {next = [], ids: [id] = []} = error.details;
  const {isLive, needsFlag} = await modeOf(context);
  const allowed = isLive ? next.filter(({args}) => isRead(args, commands)) : next;
  const isAllowed = (arg: string): boolean => !isOverride(arg) || (arg === '--live' && isLive && needsFlag);
  const safe = allowed.map(({words, args}): NextCommand => ({words, args: args.filter(isAllowed)}));
  if (safe.length > 0) return error.with({next: safe});
  const see = id === undefined ? [] : [nextCommand('See it', 'get', id, accountArgs(context))];
  return error.with({
    next: see,
    needsPerson: true,
    hint: error.details.hint ?? (see.length > 0 ? undefined : PERSON_DECIDES),
  });
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

/** Codes of refusals that a person decides, besides those that a flag lifts: keys, limits, questions, and choices. */
const DECISIONS = new Set(
  `called_off cannot_ask cannot_confirm changed_meanwhile contradiction customer_ambiguous exposed incomplete_draft
  billed_twice item_ambiguous invalid_key key_changed key_gone mode_mismatch no_key no_profile not_confirmed
  other_account other_origin over_max_amount public_key read_only send_in_doubt several_jobs statement_ambiguous
  statement_differs too_many_statements unexpected_items unknown_amount unknown_profile unsafe_tls`.split(/\s+/),
);

const needsPerson = ({code, kind, details}: CentavoError): boolean =>
  details.needsPerson ??
  (details.override !== undefined ||
    DECISIONS.has(code) ||
    kind === 'keychain' ||
    (details.faults ?? []).some(({override}) => override !== undefined));

/** An id in a path: `/billing_statements/bstm_7Hq2/send`. */
const ID_IN_PATH = /(?<=\/)[a-z_]+_(?=[^/]*[A-Z0-9])[A-Za-z0-9]+/g;

/** Returns the objects that the error names, else those of its results, the earlier change or the request. */
function idsOf({details: {ids, results, before, request}}: CentavoError): readonly string[] {
  if (ids) return ids;
  const found = results?.map(({id}) => id) ?? before?.ids ?? request?.path.match(ID_IN_PATH) ?? [];
  return [...new Set(found)];
}
