// The engine of all that bills, with what it needs of this machine: the account, the journal of runs, and the history.

import {join} from 'node:path';
import type {Audit} from '../audit/audit.js';
import type {Outcome} from '../billing/engine/outcome.js';
import type {StatementPlan} from '../billing/compose/plan.js';
import type {Timing} from '../billing/engine/decide.js';
import type {EngineOptions, RunNews} from '../billing/engine/run.js';
import type {Client} from '../client/client.js';
import type {IsAlive, ProcessIdentity} from '../programs/identity.js';
import {isFileError} from '../ground/system-errors.js';
import type {ReissueOutcome, ReissuePlan} from '../billing/reissue.js';
import type {Accounts} from './accounts.js';

export interface CarryingOut {
  readonly tell?: (news: RunNews) => void;
  /** The name of the plan, if it may have been begun before. */
  readonly key?: string;
  /** Gets the ids of what was made, as soon as they are known. */
  readonly onMade?: (id: string) => void;
  /** What other commands did to a statement; nothing for one whose beginning in the history is its whole record. */
  readonly history?: Partial<EngineOptions['history']>;
}

type Around = Pick<Accounts, 'client' | 'connection' | 'isConsistent'> & {
  readonly audit: () => Promise<Audit>;
  readonly billing: () => Promise<typeof import('../billing/index.js')>;
  readonly dataDirectory: () => string;
  readonly host: {readonly identity: ProcessIdentity};
  readonly isAlive: IsAlive;
  readonly now: () => number;
  readonly nowMilliseconds: () => number;
  readonly signal: AbortSignal;
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<unknown>;
  readonly token: (length: number) => string;
};

const fileOf = ({dataDirectory}: Around): string => join(dataDirectory(), 'runs.db');
const tokenOf = ({token}: Around) => ({token: () => token(24)});
const NO_HISTORY: EngineOptions['history'] = {
  intend: () => {},
  made: () => {},
  sendEnded: () => {},
  former: () => ({unsettled: false}),
};

export const runsOf = (around: Around) => ({
  carryOut: (plan: StatementPlan, how: CarryingOut) => carryOut(around, plan, how),
  rehearse: (plan: StatementPlan, client: Client) => rehearse(around, plan, client),
  reissue: (plan: ReissuePlan, how: Reissuing) => reissue(around, plan, how),
  history: () => historyOf(around),
  timing: () => timingFor(around),
});

/** How the service behaves, as far as it has said so. */
async function timingFor(around: Around): Promise<() => Timing> {
  const [{timingOf}, {mode}] = await Promise.all([around.billing(), around.connection()]);
  return () => timingOf({embedded: mode === 'sandbox', consistent: around.isConsistent()});
}

/** Carries out a plan. Throws a CentavoError only for a journal that cannot be opened, or that another process works on. */
async function carryOut(
  around: Around,
  plan: StatementPlan,
  {tell = () => {}, key, onMade, history}: CarryingOut,
): Promise<Outcome> {
  const {host, isAlive, now, nowMilliseconds, signal, sleep} = around;
  const {beginRun, runPlan, unwritten} = await around.billing();
  const {timeout} = await around.connection();
  const recorded = history ? {...NO_HISTORY, ...history} : await historyOf(around);
  const journal = {path: fileOf(around), owner: host.identity, isAlive, now, ...tokenOf(around)};
  return runPlan(plan, {
    signal,
    sleep,
    tell,
    client: await around.client(),
    // A new command is a new plan: what a person named and was shown is not continued.
    journal: plan.named ? unwritten(journal.token) : beginRun(journal, {id: plan.id, key}),
    now: nowMilliseconds,
    timing: await timingFor(around),
    timeout: timeout.value * 1000,
    history: {
      ...recorded,
      made: (id) => {
        onMade?.(id);
        recorded.made(id);
      },
    },
  });
}

/** The same with a client that only records: nothing is sent, and nothing is written down. */
async function rehearse(around: Around, plan: StatementPlan, client: Client, key?: string): Promise<Outcome> {
  const {rehearseRun, runPlan, timingOf} = await around.billing();
  const {nowMilliseconds, signal, sleep} = around;
  return runPlan(plan, {
    client,
    signal,
    sleep,
    now: nowMilliseconds,
    timeout: 0,
    tell: () => {},
    history: NO_HISTORY,
    journal: rehearseRun({path: fileOf(around), ...tokenOf(around)}, {id: plan.id, key}),
    timing: () => timingOf({embedded: true}),
  });
}

/** With a client that only records nothing is sent, and nothing is written down. */
interface Reissuing {
  readonly client?: Client;
  readonly tell?: (news: RunNews) => void;
}

async function reissue(
  around: Around,
  plan: ReissuePlan,
  {client, tell = () => {}}: Reissuing,
): Promise<ReissueOutcome> {
  const {nowMilliseconds: now, signal, sleep} = around;
  const {reissueStatement, timingOf} = await around.billing();
  return reissueStatement(plan, {
    now,
    signal,
    sleep,
    tell,
    client: client ?? (await around.client()),
    intend: client ? NO_HISTORY.intend : (await historyOf(around)).intend,
    timing: client ? () => timingOf({embedded: true}) : await timingFor(around),
    carryOut: (part, how) => (client ? rehearse(around, part, client, how.key) : carryOut(around, part, how)),
  });
}

/** The change that this command has begun, in the history of this machine. */
async function historyOf({
  audit: opened,
  billing,
}: Pick<Around, 'audit' | 'billing'>): Promise<EngineOptions['history']> {
  const {OVER_HTTP} = await billing();
  const [{NOT_SENT, SENT}, audit] = await Promise.all([import('../audit/queries.js'), opened()]);
  return {
    intend: (step, ids) => audit.step(step, ids),
    made: (id) => audit.step(id.startsWith('cus_') ? 'customer' : 'draft', [id]),
    sendEnded: (id, sent) => {
      try {
        // What is left is an intention without an outcome: a send in doubt, which is not repeated.
        audit.step(sent ? SENT : NOT_SENT, [id]);
      } catch (error) {
        if (!isFileError(error)) throw error;
      }
    },
    former: (id) => audit.former(id, OVER_HTTP.settle),
  };
}
