// Runs the live change of an agent up to its guard, and stores the command there until a person approves it.

import {resolve} from 'node:path';
import {getterOf, operationWithId, shapeOfId} from '../../api/registry.js';
import type {Context} from '../../context/context.js';
import {CentavoError, refusedError} from '../../common/errors.js';
import type {PlannedChange, PlannedChangeDetails} from '../../guard/change.js';
import {isForPerson} from '../../guard/guard.js';
import {momentText} from '../../guard/repeats.js';
import type {HandOver} from '../../repeats/hand-overs.js';
import type {KeyedCommand} from '../base.js';
import {apiResultOf} from '../presentation/results.js';
import {resultOfRecord} from '../records.js';
import {namesSeveral} from './params.js';
import {agentText, flagWords, HAND_OVER, handOverRecord, keyOf, NOTHING_SENT} from './hand-over-record.js';
import {checkedKey, describedBy, IDEMPOTENCY_KEY, NOT_DESCRIBING, refuseOther, runWithKey} from './idempotency-key.js';

/** Another key makes another hand-over. */
const SKIPS = NOT_DESCRIBING.filter((name) => name !== IDEMPOTENCY_KEY);
/** Flags that are not stored: those that describe no change, and those that answer what the person is asked. */
const NOT_STORED = [...SKIPS, 'accept-names', 'allow-owed', 'allow-repeated-items'];

type Agent = NonNullable<ReturnType<Context['agent']>>;

/** Runs a command that an agent asks for. In live mode a change is stored for a person, unless the profile allows it. */
export async function runForAgent(context: Context, command: KeyedCommand): Promise<unknown> {
  const {flags, run} = command;
  const agent = context.agent()!;
  const connection = await context.connection();
  // Also if the profile allows live changes.
  if (flags.reveal && connection.mode === 'live') throw secretRefused(agent);
  if (connection.mode === 'live') hideAllSecrets(context);
  if (!isForPerson(connection, agent)) return runWithKey(context, command);
  const key = checkedKey(command);
  if (flags['dry-run']) return run();
  const store = await context.handOvers();
  const account = await context.accountId();
  const repeats = await context.repeats();
  const inputs = new Map<string, Uint8Array>();
  const digest = repeats.digestOf(await describedBy(context, command, {skips: SKIPS, inputs}));
  const last = store.last({account, digest}, await context.serviceNow());
  if (last && (await isAnswered(context, command, last))) return undefined;
  if (last && ['open', 'claimed', 'unknown'].includes(last.state)) throw await waiting(context, last);
  const sent = key === undefined ? undefined : repeats.sentUnder(account, key);
  if (sent && sent.digest !== repeats.digestOf(await describedBy(context, command)))
    await refuseOther(context, repeats, sent);
  context.io.settings.handsOver = true;
  context.flags.handOver = async (details, change) => {
    const wanted = {
      ...{account, digest, profile: connection.profile.value, key_source: connection.key!.source},
      ...{command: command.id.replaceAll(':', ' '), argv: JSON.stringify(await wordsOf(context, command, inputs))},
      ...{agent: agent.variable, resolved: JSON.stringify([...context.resolved]), ...factsOf(details, change)},
    };
    const made = store.store(wanted, inputs, await context.serviceNow());
    throw await waiting(context, made, last);
  };
  // A key goes along with the stored command, and holds nothing before.
  return run();
}

/** Hides every secret that this command prints, even the secret of a new webhook. */
export const hideAllSecrets = ({io}: Context): unknown =>
  Object.defineProperty(io.settings, 'reveal', {get: () => false, set: () => {}, configurable: true});

const refusedToAgent = (agent: Agent, message: string): CentavoError =>
  refusedError('agent', message, {
    why: `${agentText(agent)}.`,
    hint: 'A person runs this command.',
    needsPerson: true,
  });

export const secretRefused = (agent: Agent): CentavoError =>
  refusedToAgent(agent, 'no secret of a live account is shown to an agent.');

/** @param action as in a question: `refund ₱100.00 to Juan` */
export const changeRefused = (agent: Agent, action: string): CentavoError =>
  refusedToAgent(agent, `an agent cannot ${action} in live mode.`);

/** Prints what was done, if the same change asked again is the one that was done. */
async function isAnswered(context: Context, command: KeyedCommand, last: HandOver): Promise<boolean> {
  const {print} = command;
  const store = await context.handOvers();
  const now = await context.serviceNow();
  if (!store.isAnswer(last, now)) return false;
  const {id, object, decided_at: at, what, result} = last;
  const nothing = ' It sent nothing then: the change was made before, or may have been.';
  const how = result === 'ok' ? '' : result === NOTHING_SENT ? nothing : ` It ended with ${result}.`;
  const another =
    command.takesKey && !namesSeveral(command.args)
      ? 'Is another one meant? Ask with --idempotency-key and a name of your own.'
      : 'Asked again after 20 hours, it counts as another one.';
  const note = `This is what ${id} did ${momentText(at!, now)}: ${what}.${how} ${another}`;
  context.io.note(note);
  const done = {already: true, done_at: at, hand_over: id, note};
  const getter = object === null ? undefined : getterOf(shapeOfId(object)!.prefix);
  if (getter && object !== null) {
    const client = await context.client();
    const made = (await client.perform({...getter, ids: [object], params: {}}, {signal: context.signal})) as object;
    const shown = context.io.hide({...made, ...done}, {stream: 'stderr'});
    await print(apiResultOf(shapeOfId(object)!, [shown], shown, 'one'), 'no');
  } else if (object !== null) {
    // The API cannot read a refund again.
    const kept = (await context.repeats()).sentUnder(last.account, keyOf(last))?.answer;
    const made = {...(JSON.parse(kept ?? '{}') as object), id: object, ...done};
    await print(apiResultOf(operationWithId(command.id).resource.shape, [made], made, 'one'), 'no');
  } else await print(resultOfRecord(HAND_OVER, {...handOverRecord(context, last), ...done} as never), 'no');
  store.told(id, now);
  return true;
}

/** The refusal of a change that waits for a person. @param before the last hand-over of the same change, which has ended */
async function waiting(context: Context, made: HandOver, before?: HandOver): Promise<CentavoError> {
  const {id, what, state, asked_at: asked, decided_at: decided, result} = made;
  const now = await context.serviceNow();
  const agent = context.agent()!;
  if (state === 'claimed')
    return refusedError('in_progress', `a person is approving ${id}: ${what}.`, {
      hint: 'Run the same command again when it has ended.',
      retryable: true,
      handOver: handOverRecord(context, made),
    });
  if (state === 'unknown' || (await context.repeats()).sentUnder(made.account, keyOf(made)))
    return new CentavoError('outcome_unknown', `the outcome of ${what} is not known.`, {
      why:
        state === 'unknown' ? `A person approved it as ${id} ${momentText(decided!, now)}.` : 'It may have been made.',
      hint: `A person can say whether it was made: centavo approve ${id}`,
      handOver: handOverRecord(context, made),
      applied: 'unknown',
      needsPerson: true,
    });
  const tried =
    result === null
      ? ''
      : ` A person ${result === 'not_confirmed' ? 'answered no' : `tried it, and it ended with ${result},`} ${momentText(decided!, now)}.`;
  const last =
    before && before.state !== 'done'
      ? ` The last one, ${before.id}, ${before.state === 'failed' ? `failed (${before.result})` : `was ${before.state}`} ${momentText(before.decided_at!, now)}.`
      : '';
  return refusedError('needs_person', `a person has to approve this: ${what}.`, {
    why: `${agentText(agent)}, so it was stored ${momentText(asked, now)} as ${id}. ${made.pid === null ? 'Nothing was sent.' : 'A person ran it, and its process was killed.'}${tried}${last}`,
    hint: `A person runs, at a terminal: centavo approve ${id}`,
    handOver: handOverRecord(context, made),
    needsPerson: true,
  });
}

const factsOf = ({action, amount, subject, names = []}: PlannedChangeDetails, {ids}: PlannedChange) => ({
  what: action,
  amount: amount !== undefined && amount <= Number.MAX_SAFE_INTEGER ? Number(amount) : null,
  customer: subject?.customer ?? (names.length === 1 ? names[0]![1].customer : undefined) ?? null,
  ids: JSON.stringify(ids),
});

/** Returns the command line as it is stored: without flags that do not describe the change, with what was chosen. */
async function wordsOf(context: Context, {id, flags, args}: KeyedCommand, inputs: Map<string, Uint8Array>) {
  const described = Object.entries(flags).filter(([name]) => !NOT_STORED.includes(name));
  const chosen = [...context.resolved].filter(([name]) => name.startsWith('--')).map((pair) => pair.join('='));
  const {file} = args;
  const typed = Object.values(args).flatMap((value) => value ?? []);
  if (typed.length === 0) typed.push(...[context.resolved.get('') ?? []].flat());
  const places = new Map<string, string>();
  // The result of an import stands beside its file, wherever the person runs it.
  if (typeof file === 'string' && inputs.has(file))
    places.set(file, (await context.isReadOnce(file)) ? '-' : resolve(file));
  for (const [from, to] of places) inputs.set(to, inputs.get(from)!);
  const words = typed.map((word) => places.get(word) ?? word);
  const result = typeof flags.result === 'string' ? {result: resolve(flags.result)} : {};
  const named = {...Object.fromEntries(described), ...result};
  return [id, ...flagWords(named), ...chosen, ...(words.length > 0 ? ['--', ...words] : [])];
}
