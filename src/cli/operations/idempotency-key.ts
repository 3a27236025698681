// Runs a command under an idempotency key: the same again answers with what was made, and changes nothing.

import {getterOf, operationWithId, shapeOfId} from '../../api/registry.js';
import type {Context} from '../../context/context.js';
import {CentavoError, nextCommand, refusedError, usageError, type ErrorDetails} from '../../common/errors.js';
import {momentText, waitUntilSettled} from '../../guard/repeats.js';
import {quote} from '../../input/money.js';
import type {Claim, KeyedChange, Repeats} from '../../repeats/repeats.js';
import type {KeyedCommand} from '../base.js';
import {globalFlags} from '../global-flags.js';
import {accountArgs, accountFlagsOf} from '../next-steps.js';
import {namesSeveral} from './params.js';
import {apiResultOf} from '../presentation/results.js';

/** Characters. */
const MAX_KEY_LENGTH = 255;

export const IDEMPOTENCY_KEY = 'idempotency-key';
/** Flags that do not describe the change, besides the global ones. */
export const NOT_DESCRIBING: readonly string[] = [...Object.keys(globalFlags), IDEMPOTENCY_KEY, 'allow-duplicate'];

/** Everything but the confirmation has to be typed. @throws CentavoError `idempotency_mismatch`, `in_progress` or kind `outcome_unknown` */
export async function runWithKey(context: Context, command: KeyedCommand): Promise<unknown> {
  const {flags, run} = command;
  const key = checkedKey(command);
  if (key === undefined || flags['dry-run']) return run();
  context.io.settings.confirmsOnly = true;
  const repeats = await context.repeats();
  // Makes a missing sandbox: two processes that each named a new one would not know of each other.
  await context.accountNow();
  const wanted = {
    account: await context.accountId(),
    key,
    digest: repeats.digestOf(await describedBy(context, command)),
    command: command.id.replaceAll(':', ' '),
  };
  const claim = async (): Promise<Claim> => repeats.claim(wanted, await context.accountNow(), context.allowsPruning());
  let claimed = await claim();
  while (claimed.is === 'other') {
    await refuseOther(context, repeats, claimed.change);
    claimed = await claim();
  }
  const {is, change} = claimed;
  if (is === 'busy')
    throw refusedError('in_progress', `another process makes this change (process ${change.pid}).`, {
      why: `It began ${momentText(change.begun_at, await context.accountNow())}, under the key ${quote(key)}.`,
      hint: 'Run the same command again when it has ended.',
      retryable: true,
    });
  if (is === 'done') return answerWith(context, command, change);
  if (is === 'unknown') {
    const {settleUnknown} = await import('./settle-unknown.js');
    const settled = await settleUnknown(context, repeats, change);
    if (settled === 'done') return answerWith(context, command, repeats.current!);
  }
  return run();
}

/** Returns the key as typed; undefined if there is none: behind `--`, it is another word. */
export function checkedKey({flags, args}: KeyedCommand): string | undefined {
  if (flags[IDEMPOTENCY_KEY] === undefined) return undefined;
  const key = String(flags[IDEMPOTENCY_KEY]);
  if (namesSeveral(args))
    throw usageError('invalid_flag', '--idempotency-key names one change, so it works with one id only.', {
      hint: 'Run the command for each id, with a key for each.',
    });
  const isPlain = /^[\x21-\x7e]+$/.test(key);
  if (isPlain && key.length <= MAX_KEY_LENGTH) return key;
  throw usageError('invalid_key', `the idempotency key ${quote(key)} cannot be used.`, {
    why: `It needs 1 to ${MAX_KEY_LENGTH} letters, digits or signs, without spaces.`,
    hint: 'For example: --idempotency-key refund-2026-11-0042',
  });
}

/**
 * Returns the arguments, flags and contents of files that describe the change, as they were typed.
 * @param inputs receives the bytes of each file by its path as typed, and of stdin as `-`
 */
export async function describedBy(
  context: Context,
  {id, flags, args}: KeyedCommand,
  {
    skips = NOT_DESCRIBING,
    inputs,
  }: {readonly skips?: readonly string[]; readonly inputs?: Map<string, Uint8Array>} = {},
): Promise<unknown> {
  const contentOf = async (name: string, value: unknown): Promise<unknown> => {
    if (Array.isArray(value)) return Promise.all(value.map((each) => contentOf(name, each)));
    const path =
      value === '-' || name === 'file' || name === 'items'
        ? String(value)
        : name === 'data' && /^@(.+)$/s.exec(String(value))?.[1];
    if (!path) return value;
    const bytes = path === '-' ? await context.readInputBytes() : await context.readFile(path, name);
    inputs?.set(path, bytes);
    return bytes;
  };
  const typed = Object.entries({...flags, ...args})
    .filter(([name, value]) => value !== undefined && !skips.includes(name))
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return [id, await Promise.all(typed.map(async ([name, value]) => [name, await contentOf(name, value)]))];
}

/** Frees a key of another change that was not made, as a person says; otherwise throws. */
export async function refuseOther(context: Context, repeats: Repeats, change: KeyedChange): Promise<void> {
  const {key, command, object, begun_at: at} = change;
  const now = await context.accountNow();
  const isUnknown = change.state === 'sending';
  if (isUnknown && context.io.canConfirm) {
    const {askWhetherMade} = await import('./settle-unknown.js');
    await waitUntilSettled(context);
    if ((await askWhetherMade(context, change)) === 'not_made') return repeats.free(change);
  }
  throw refusedError('idempotency_mismatch', `the key ${quote(key)} stands for another change.`, {
    why: `It is \`centavo ${command}\` with other values, ${momentText(at, now)}${isUnknown ? '; its outcome is unknown' : ''}.`,
    hint: `If it is another change, use another key.${object === null ? '' : ` To see what was made: centavo get ${object}${accountFlagsOf(context)}`}`,
    ...(object !== null && {ids: [object], next: [nextCommand('See it', 'get', object, accountArgs(context))]}),
    ...(isUnknown && {needsPerson: true}),
  });
}

/** Prints the object as it is now, or the answer of then if the API cannot read it, with `already` and `done_at`. */
async function answerWith(context: Context, {print}: KeyedCommand, change: KeyedChange): Promise<unknown> {
  const {object: id, answer, command, ended_at: at, key} = change;
  const now = await context.accountNow();
  const getter = id === null ? undefined : getterOf(shapeOfId(id)!.prefix);
  const found = getter && id !== null ? await readAgain(context, getter, id, change) : undefined;
  const made = found ?? (JSON.parse(answer ?? '{}') as {status?: unknown});
  context.io.note(`Done before, ${momentText(at ?? now, now)}, under the key ${quote(key)}. Nothing was changed.`);
  if (!found && made.status === 'pending') context.io.note('It was pending then, and may have failed since.');
  const result = {...made, already: true, done_at: at};
  const shape = id === null ? operationWithId(command.replace(' ', ':')).resource.shape : shapeOfId(id)!;
  await print(apiResultOf(shape, [result], result, 'one'), 'no');
  return result;
}

async function readAgain(
  context: Context,
  getter: NonNullable<ReturnType<typeof getterOf>>,
  id: string,
  {key, command}: KeyedChange,
): Promise<{status?: unknown}> {
  const gone = (details: ErrorDetails = {}): CentavoError =>
    new CentavoError('not_found', `${id}, which \`centavo ${command}\` made under the key ${quote(key)}, is gone.`, {
      ...details,
      code: 'object_gone',
      hint: 'To make another one, use another key.',
      ids: [id],
      applied: 'no',
    });
  const client = await context.client();
  const call = client.perform({...getter, ids: [id], params: {}}, {signal: context.signal});
  const found = (await Promise.resolve(call).catch((error: unknown) => {
    if (error instanceof CentavoError && error.kind === 'not_found') throw gone({request: error.details.request});
    throw error;
  })) as {deleted?: unknown; status?: unknown};
  if (found.deleted === true) throw gone();
  return found;
}
