// A whole story of a reissue: runs with faults, repeats of the command until it is done, and the verdict.

import type {ApiRequest} from '../../../src/api/wire.js';
import {runPlan} from '../../../src/billing/statement/workflow/run-plan.js';
import {reissueStatement, type ReissueOutcome, type ReissuePlan} from '../../../src/billing/statement/reissue.js';
import {explainReissue} from '../../../src/commands/billing-statements/reissue.js';
import {errorLines, errorObject} from '../../../src/cli/dispatch/print-error.js';
import type {Disk} from '../simulation/disk.js';
import {falseLater} from './claims.js';
import {World, type Faults} from './scheduled-service.js';

export interface Tale {
  readonly world: World;
  /** Id of the reissued statement. */
  readonly old: string;
  /** Number of changes before the first run. */
  readonly before: number;
  /** The end of each run: `done`, `killed`, or an error code. */
  readonly endings: string[];
  readonly texts: string[];
  /** Sentences about broken promises. */
  readonly wrong: string[];
  /** Numbers of payable and of paid statements at the end. */
  readonly payable: number;
  readonly paid: number;
}

const NO_FAULTS: Faults = {changes: new Map()};
const LONG = 600_000;
const DUE = Date.parse('2031-12-15T23:59:59+08:00') / 1000;

interface Given {
  readonly state?: 'draft' | 'open' | 'uncollectible' | 'void';
  readonly metadata?: object;
}

/** A statement of two items, ₱900.00. */
async function opened(world: World, {state = 'open', metadata}: Given): Promise<string> {
  const customer = await world.call('POST', '/customers', {
    name: 'Juan',
    email: 'juan@example.com',
    currency: 'PHP',
    billing_statement_prefix: 'JUAN',
  });
  const {id} = await world.call('POST', '/billing_statements', {
    customer_id: customer.id,
    currency: 'PHP',
    description: 'June work',
    payment_settings: {payment_methods: ['gcash']},
    ...(metadata && {metadata}),
  });
  for (const [description, quantity, unit_price] of [
    ['Web design', 2, 40_000],
    ['Hosting', 1, 10_000],
  ])
    await world.call('POST', '/billing_statement_line_items', {
      billing_statement_id: id,
      description,
      quantity,
      unit_price,
    });
  await world.call('PUT', `/billing_statements/${id}`, {due_at: DUE});
  if (state !== 'draft') await world.call('POST', `/billing_statements/${id}/finalize`);
  if (state === 'void') await world.call('POST', `/billing_statements/${id}/void`);
  if (state === 'uncollectible') await world.call('POST', `/billing_statements/${id}/mark_uncollectible`);
  return id as string;
}

/** A world with an open statement, and one run of the command in it. */
export async function world(given: Given = {}) {
  const world = new World();
  const old = await opened(world, given);
  const run = (
    faults: Partial<Faults>,
    plan: Partial<ReissuePlan> = {},
    disk?: Disk,
  ): Promise<ReissueOutcome | undefined> =>
    world.perform(
      'billing-statements reissue',
      [old],
      {...NO_FAULTS, ...faults},
      {
        work: (around) => {
          const {client, now, signal, sleep, onProgress, timing, history} = world.engine({}, around, disk);
          return reissueStatement(
            {id: old, send: false, ...plan},
            {
              ...{client, now, signal, sleep, onProgress, timing},
              intend: history.intend,
              carryOut: (part, {key, onProgress}) =>
                runPlan(part, {...world.engine({id: part.id, key}, around, disk), onProgress}),
            },
          );
        },
        appliedOf: (outcome) =>
          outcome.end === 'done' ? undefined : (explained(outcome).error.details.applied ?? 'no'),
      },
    );
  return {world, old, run};
}

function explained(stopped: Extract<ReissueOutcome, {end: 'stopped'}>) {
  const error = explainReissue(stopped, {again: 'centavo billing-statements reissue bstm_x', account: ''});
  const lines = errorLines(error);
  if (lines.length > 3) throw new Error(`More than three lines:\n${lines.join('\n')}`);
  return {error, text: `${lines.join('\n')}\n${JSON.stringify(errorObject(error))}`};
}

interface Course {
  /** Acts between two runs. */
  readonly between?: (tale: {world: World; old: string}) => Promise<unknown>;
  /** Repeats of the command after it was done. */
  readonly repeat?: number;
  /** Differences of the repeated plan. */
  readonly then?: Partial<ReissuePlan>;
  /** Maximum number of runs. */
  readonly most?: number;
}

type TaleFaults = Omit<Faults, 'answer'> & {
  readonly answer?: ((tale: {world: World; old: string}) => Faults['answer']) | Faults['answer'];
};

/** @param faultsOf the faults of each run in turn; later runs have none */
export async function reissues(
  faultsOf: readonly TaleFaults[],
  change: Partial<ReissuePlan> = {},
  given: Given = {},
  {between, repeat = 0, then, most = 6}: Course = {},
): Promise<Tale> {
  const place = await world(given);
  const tale = {world: place.world, old: place.old};
  const before = tale.world.asked;
  const endings: string[] = [];
  const texts: string[] = [];
  const wrong: string[] = [];
  const looks: (() => void)[] = [];
  let plan: Partial<ReissuePlan> = {send: true, ...change};
  for (let round = 0; round < most && endings.filter((end) => end === 'done').length <= repeat; round++) {
    const {answer, ...faults} = faultsOf[round] ?? NO_FAULTS;
    const hook = typeof answer === 'function' && answer.length === 1 ? (answer as any)(tale) : answer;
    const outcome = await place.run(
      {...faults, ...(hook && {answer: hook as (r: ApiRequest, b: any) => unknown})},
      plan,
    );
    wrong.push(...(await twoPayable(tale.world)));
    if (outcome === undefined) endings.push('killed');
    else if (outcome.end === 'done') {
      endings.push('done');
      plan = {...plan, ...then};
      const now = await tale.world.call('GET', `/billing_statements/${outcome.statement.id}`);
      if (now.status !== outcome.statement.status || now.amount !== outcome.statement.amount)
        wrong.push(`a statement was shown that is another: ${JSON.stringify(outcome.statement)}`);
    } else {
      const {error, text} = explained(outcome);
      endings.push(error.code);
      texts.push(text);
      const {runs} = tale.world;
      const made = () => tale.world.applied.filter(({run}) => run === runs).map(({path}) => path);
      const said = {text, applied: error.details.applied};
      if (said.applied === 'yes' && made().length === 0) wrong.push(`nothing was changed: ${text}`);
      looks.push(() => void wrong.push(...falseLater(said, made())));
      if (/not_open|statement_paid|already_reissued|billed_twice|send_in_doubt/.test(error.code)) break;
    }
    await between?.(tale);
  }
  await tale.world.advance(LONG);
  for (const look of looks) look();
  wrong.push(...(await twoPayable(tale.world)));
  const statements = await tale.world.statements();
  for (const {id, status, amount} of statements) {
    if (status === 'open' && id !== tale.old && tale.world.sent(id) > 1)
      wrong.push(`${id} was sent ${tale.world.sent(id)} times`);
    if (status === 'open' && amount !== statements.at(-1)!.amount && !change.items && !then?.items)
      wrong.push(`${id} is open with ${amount}`);
  }
  const count = (status: string): number => statements.filter((each) => each.status === status).length;
  return {...tale, before, endings, texts, wrong, payable: count('open'), paid: count('paid')};
}

async function twoPayable(world: World): Promise<string[]> {
  const open = (await world.statements()).filter(({status}) => status === 'open' || status === 'paid');
  return open.length > 1 ? [`${open.map(({id, status}) => `${id} is ${status}`).join(', ')}`] : [];
}
