// What an agent asks for in live mode: the command runs up to its guard, and is stored there for a person to approve.

import {getterOf, shapeOfId} from '../../api/registry.js';
import type {Context} from '../../context/context.js';
import {CentavoError, refusedError} from '../../common/errors.js';
import type {PlannedChange, PlannedChangeDetails} from '../../guard/change.js';
import {isForPerson} from '../../guard/guard.js';
import {momentText} from '../../guard/repeats.js';
import type {Agent} from '../../processes/agents.js';
import type {HandOver} from '../../repeats/hand-overs.js';
import type {KeyedCommand} from '../base.js';
import {apiResultOf} from '../presentation/results.js';
import {resultOfRecord} from '../records.js';
import {HAND_OVER, handOverRecord} from './hand-over-record.js';
import {describedBy, IDEMPOTENCY_KEY, NOT_DESCRIBING, runWithKey} from './idempotency-key.js';

/** Runs a command that an agent asks for. In live mode a change is stored for a person, unless the profile allows it. */
export async function runForAgent(context: Context, command: KeyedCommand): Promise<unknown> {
  const {flags, run} = command;
  const agent = context.agent()!;
  const connection = await context.connection();
  if (!isForPerson(connection, agent)) return runWithKey(context, command);
  if (flags.reveal) throw secretRefused(agent);
  if (flags['dry-run']) return run();
  const store = await context.handOvers();
  const account = await context.accountId();
  const repeats = await context.repeats();
  const inputs = new Map<string, Uint8Array>();
  const skips = NOT_DESCRIBING.filter((name) => name !== IDEMPOTENCY_KEY);
  const digest = repeats.digestOf(await describedBy(context, command, {skips, inputs}));
  const last = store.last({account, digest}, await context.serviceNow());
  if (last && (await isAnswered(context, command, last))) return undefined;
  if (last?.state === 'open' || last?.state === 'claimed') throw await waiting(context, last);
  if (last?.state === 'unknown')
    throw new CentavoError('outcome_unknown', `the outcome of ${last.what} is not known.`, {
      why: `A person approved it as ${last.id} ${momentText(last.decided_at!, await context.serviceNow())}.`,
      hint: `A person can say whether it was made: centavo approve ${last.id}`,
      handOver: handOverRecord(context, last),
      needsPerson: true,
    });
  context.io.settings.handsOver = true;
  context.flags.handOver = async (details, change) => {
    const wanted = {
      ...{account, digest, profile: connection.profile.value, key_source: connection.key!.source},
      ...{command: command.id.replaceAll(':', ' '), argv: JSON.stringify(wordsOf(command)), agent: agent.variable},
      ...{resolved: JSON.stringify([...context.resolved]), ...factsOf(details, change)},
    };
    const made = store.store(wanted, inputs, await context.serviceNow());
    throw await waiting(context, made, last);
  };
  // A key goes along with the stored command, and holds nothing before.
  return run();
}

export const secretRefused = ({variable, pid}: Agent): CentavoError =>
  refusedError('agent', 'no secret of a live account is shown to an agent.', {
    why: `${variable} in process ${pid} shows an agent.`,
    hint: 'A person runs this command.',
    needsPerson: true,
  });

/** Prints what was done, if the same change asked again is the one that was done. */
async function isAnswered(context: Context, {print}: KeyedCommand, last: HandOver): Promise<boolean> {
  const store = await context.handOvers();
  const now = await context.serviceNow();
  if (!store.isAnswer(last, now)) return false;
  const {id, object, decided_at: at, what} = last;
  const note = `This is what ${id} did ${momentText(at!, now)}: ${what}. Is another one meant? Ask with --idempotency-key and a name of your own.`;
  context.io.note(note);
  const done = {already: true, done_at: at, hand_over: id, note};
  const getter = object === null ? undefined : getterOf(shapeOfId(object)!.prefix);
  if (getter && object !== null) {
    const client = await context.client();
    const made = (await client.perform({...getter, ids: [object], params: {}}, {signal: context.signal})) as object;
    const shown = context.io.hide({...made, ...done}, {stream: 'stderr'});
    await print(apiResultOf(shapeOfId(object)!, [shown], shown, 'one'), 'no');
  } else await print(resultOfRecord(HAND_OVER, {...handOverRecord(context, last), ...done} as never), 'no');
  store.told(id, now);
  return true;
}

/** The refusal of a change that waits for a person. @param before the last hand-over of the same change, which has ended */
async function waiting(context: Context, made: HandOver, before?: HandOver): Promise<CentavoError> {
  const {id, what, state, asked_at: asked} = made;
  const now = await context.serviceNow();
  const agent = context.agent()!;
  if (state === 'claimed')
    return refusedError('in_progress', `a person is running ${id}: ${what}.`, {
      hint: 'Ask again when it has ended.',
      retryable: true,
      handOver: handOverRecord(context, made),
    });
  if ((await context.repeats()).isUnknown(made.account, id))
    return new CentavoError('outcome_unknown', `the outcome of ${what} is not known: its process was killed.`, {
      hint: `A person goes on with it: centavo approve ${id}`,
      handOver: handOverRecord(context, made),
      needsPerson: true,
    });
  const last =
    before && before.state !== 'done'
      ? ` The last one, ${before.id}, ${before.state === 'failed' ? `failed (${before.result})` : `was ${before.state}`} ${momentText(before.decided_at!, now)}.`
      : '';
  return refusedError('needs_person', `a person has to approve this: ${what}.`, {
    why: `${agent.variable} in process ${agent.pid} shows an agent, so it was stored ${momentText(asked, now)} as ${id}, and nothing was sent.${last}`,
    hint: `A person runs, at a terminal: centavo approve ${id}`,
    handOver: handOverRecord(context, made),
    needsPerson: true,
  });
}

const factsOf = ({action, amount, subject, names = []}: PlannedChangeDetails, {ids}: PlannedChange) => ({
  what: action,
  amount: amount !== undefined && amount <= Number.MAX_SAFE_INTEGER ? Number(amount) : null,
  customer: subject?.customer ?? names[0]?.[1].customer ?? null,
  ids: JSON.stringify(ids),
});

/** Returns the command line without the flags that do not describe the change. */
function wordsOf({id, flags, args}: KeyedCommand): string[] {
  const flagWords = Object.entries(flags).flatMap(([name, value]) => {
    if (value === undefined || (NOT_DESCRIBING.includes(name) && name !== IDEMPOTENCY_KEY)) return [];
    if (typeof value === 'boolean') return [value ? `--${name}` : `--no-${name}`];
    return [value].flat().map((each) => `--${name}=${String(each)}`);
  });
  const argWords = Object.values(args).flatMap((value) => value ?? []);
  return [id, ...flagWords, ...(argWords.length > 0 ? ['--', ...argWords] : [])];
}
