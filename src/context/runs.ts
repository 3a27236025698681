// The engine of all that bills, with what it needs of this machine: the account, the journal of runs, and the history.

import {join} from 'node:path';
import type {Audit} from '../audit/audit.js';
import type {Former, Journal} from '../billing/compose/journal.js';
import type {Outcome} from '../billing/compose/outcome.js';
import type {StatementPlan} from '../billing/compose/plan.js';
import type {EngineOptions, RunNews} from '../billing/engine/run.js';
import type {Client} from '../client/client.js';
import type {IsAlive, ProcessIdentity} from '../programs/identity.js';
import {isFileError} from '../ground/system-errors.js';
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
  /** Unix seconds, and milliseconds since the epoch. */
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

/** What a command does with the engine. */
export const runsOf = (around: Around) => ({
  carryOut: (plan: StatementPlan, how: CarryingOut) => carryOut(around, plan, how),
  rehearse: (plan: StatementPlan, client: Client) => rehearse(around, plan, client),
  history: () => historyOf(around),
});

/** Carries out a plan. Throws a CentavoError only for a journal that cannot be opened, or that another process works on. */
async function carryOut(
  around: Around,
  plan: StatementPlan,
  {tell = () => {}, key, onMade, history}: CarryingOut,
): Promise<Outcome> {
  const {host, isAlive, now, nowMilliseconds, signal, sleep} = around;
  const {beginRun, runPlan, timingOf, unwritten} = await around.billing();
  const {mode, timeout} = await around.connection();
  const recorded = history ? {...NO_HISTORY, ...history} : await historyOf(around);
  const journal = {path: fileOf(around), owner: host.identity, isAlive, now, ...tokenOf(around)};
  return runPlan(plan, {
    ...{signal, sleep, tell},
    client: await around.client(),
    // A new command is a new plan: what a person named and was shown is not continued.
    journal: plan.named ? unwritten(journal.token) : beginRun(journal, {id: plan.id, key}),
    now: nowMilliseconds,
    timing: () => timingOf({embedded: mode === 'sandbox', consistent: around.isConsistent()}),
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
async function rehearse(around: Around, plan: StatementPlan, client: Client): Promise<void> {
  const {rehearseRun, runPlan, timingOf} = await around.billing();
  const {nowMilliseconds, signal, sleep} = around;
  await runPlan(plan, {
    ...{client, signal, sleep, now: nowMilliseconds, timeout: 0, tell: () => {}, history: NO_HISTORY},
    journal: rehearseRun({path: fileOf(around), ...tokenOf(around)}, {id: plan.id}),
    timing: () => timingOf({embedded: true}),
  });
}

/** The change that this command has begun, in the history of this machine. */
async function historyOf({
  audit: opened,
  billing,
  now,
}: Pick<Around, 'audit' | 'billing' | 'now'>): Promise<Journal & {readonly former: (statementId: string) => Former}> {
  const {earlierRuns, formerOf, NOT_SENT, SENT, SETTLE_SECONDS} = await billing();
  const audit = await opened();
  return {
    intend: (step, ids) => audit.step(step, ids),
    made: (id) => audit.step(id.startsWith('cus_') ? 'customer' : 'draft', [id]),
    sendEnded: (id, sent) => {
      try {
        // When a power cut takes it, what is left is an intention without an outcome: a send in doubt, which is not repeated.
        audit.step(sent ? SENT : NOT_SENT, [id], {durable: false});
      } catch (error) {
        if (!isFileError(error)) throw error;
      }
    },
    earlier: (id) => earlierRuns(audit.others(), id, now(), SETTLE_SECONDS),
    former: (id) => formerOf(audit.others(), id, now(), SETTLE_SECONDS),
  };
}
