// Connects the billing engine to the account, and to this machine's journal of runs and history.

import {join} from 'node:path';
import type {RunOutcome} from '../billing/statement/workflow/outcome.js';
import type {StatementPlan} from '../billing/statement/plan.js';
import type {ServiceTiming} from '../billing/statement/workflow/service-timing.js';
import type {RunOptions, RunProgressEvent} from '../billing/statement/workflow/run-plan.js';
import type {CallOptions} from '../client/call.js';
import type {Client} from '../client/client.js';
import type {IsProcessAlive, ProcessIdentity} from '../processes/process-identity.js';
import {CentavoError} from '../common/errors.js';
import type {ReissueOutcome, ReissuePlan} from '../billing/statement/reissue.js';
import type {FolderPort, FolderUse} from '../config/data-folder.js';
import type {Accounts} from './accounts.js';
import {lostSendsOf, unlessFileFails, type LostSendsPort} from './lost-sends.js';

export interface RunOverrides {
  readonly onProgress?: (event: RunProgressEvent) => void;
  /** The key of the plan, if an earlier run may have started it. */
  readonly key?: string;
  /** Receives the ids of created objects, as soon as they are known. */
  readonly onCreated?: (id: string) => void;
  /** Replaces this machine's history. Omitted functions do nothing. */
  readonly history?: Partial<RunOptions['history']>;
}

interface RunsContext
  extends FolderPort, LostSendsPort, Pick<Accounts, 'client' | 'connection' | 'isConsistent' | 'serviceAhead'> {
  readonly ahead: () => number | undefined;
  readonly host: FolderPort['host'] & {readonly identity: ProcessIdentity};
  readonly io: FolderPort['io'] & LostSendsPort['io'];
  readonly isAlive: IsProcessAlive;
  readonly allowsPruning: () => boolean;
  readonly serviceNow: (options?: CallOptions) => Promise<number>;
  readonly steadyNow: () => number;
  readonly signal: AbortSignal;
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<unknown>;
}

const NO_HISTORY: RunOptions['history'] = {
  intend: () => {},
  made: () => {},
  sendEnded: () => {},
  earlier: () => ({unsettled: false}),
};

function throwUnlessService(error: unknown): void {
  if (!(error instanceof CentavoError)) throw error;
}

export function statementRunsOf(context: RunsContext) {
  const {billing, connection, steadyNow: now, signal, sleep} = context;
  const common = {signal, sleep, now};
  const journal = () => ({path: join(context.dataDirectory(), 'runs.db'), token: () => context.token(24)});

  const {noteSend, lostSends, recallSends} = lostSendsOf(context, journal().path);

  const timing = async (): Promise<() => ServiceTiming> => {
    const [{serviceTimingOf}, {mode}] = await Promise.all([billing(), connection()]);
    return () => serviceTimingOf({embedded: mode === 'sandbox', consistent: context.isConsistent()});
  };

  /** @param continues true to ask a service that has not answered yet, because a journal has its times */
  const serviceAhead = async (continues: boolean): Promise<RunOptions['serviceAhead']> => {
    if ((await connection()).mode === 'sandbox') return () => 0;
    // The run's own calls explain better why the service cannot be reached.
    if (continues) await context.serviceNow().catch(throwUnlessService);
    return context.serviceAhead;
  };

  /** This machine's history, in which the command records its own calls. */
  const history = async (): Promise<RunOptions['history']> => {
    const {HTTP_TIMING} = await billing();
    const [{NOT_SENT_STEP, SENT_STEP}, recorded] = await Promise.all([
      import('../history/queries.js'),
      context.history(),
    ]);
    return {
      intend: (step, ids) => recorded.step(step, ids),
      made: (id) => recorded.step(id.startsWith('cus_') ? 'customer' : 'draft', [id]),
      sendEnded: (id, sent) => unlessFileFails(() => recorded.step(sent ? SENT_STEP : NOT_SENT_STEP, [id])),
      earlier: (id) => recorded.earlierActivity(id, HTTP_TIMING.settle),
    };
  };

  /** See `useFolder`. A copy of the embedded sandbox sends nothing. */
  const ownFolder = async (use: FolderUse): Promise<void> => {
    if ((await connection()).mode !== 'sandbox')
      await (await import('../config/data-folder.js')).useFolder(context, use);
  };

  /** Carries out a plan. Throws a CentavoError only for a journal that cannot be opened or is locked by another process. */
  const carryOut = async (
    plan: StatementPlan,
    {onProgress = () => {}, key, onCreated, history: given}: RunOverrides,
  ): Promise<RunOutcome> => {
    const {beginRun, runPlan, memoryJournal} = await billing();
    const {timeout} = await connection();
    const recorded = given ? {...NO_HISTORY, ...given} : await history();
    if (plan.send && plan.id) await recallSends([plan.id]);
    const {allowsPruning, host, isAlive} = context;
    const seconds = (): number => Math.floor((now() + (context.serviceAhead() ?? 0)) / 1000);
    let endSend: Awaited<ReturnType<typeof noteSend>> | undefined;
    const written = {...journal(), owner: host.identity, isAlive, now: seconds, prunes: allowsPruning()};
    // A plan for a statement that the user named is never continued by another command, so it needs no file.
    const run = plan.named ? memoryJournal(written.token) : beginRun(written, {id: plan.id, key});
    try {
      await ownFolder(run.events.length > 0 ? 'continues' : 'begins');
    } catch (error) {
      run.close();
      throw error;
    }
    const outcome = await runPlan(plan, {
      ...common,
      serviceAhead: await serviceAhead(run.events.length > 0),
      onProgress,
      client: await context.client(),
      journal: run,
      timing: await timing(),
      timeout: timeout.value * 1000,
      history: {
        ...recorded,
        intend: async (call, ids) => {
          if (call === 'send') endSend = await noteSend(ids[0]!);
          return recorded.intend(call, ids);
        },
        sendEnded: (id, sent) => {
          recorded.sendEnded(id, sent);
          endSend?.(sent ? 'sent' : 'not_sent');
          endSend = undefined;
        },
        made: (id) => {
          onCreated?.(id);
          recorded.made(id);
        },
      },
    });
    if (outcome.end === 'done') endSend?.('not_sent');
    else if (endSend && context.ahead() === undefined) {
      // The lost response would have told the time of the send.
      await context.serviceNow({timeout: 5000, once: () => {}}).catch(() => {});
      endSend('in_doubt');
    }
    return outcome;
  };

  /** Carries out a plan with a recording client: nothing is sent or written. */
  const dryRun = async (plan: StatementPlan, client: Client, key?: string): Promise<RunOutcome> => {
    const {dryRunJournal, runPlan, serviceTimingOf} = await billing();
    return runPlan(plan, {
      ...common,
      client,
      serviceAhead: () => 0,
      timeout: 0,
      onProgress: () => {},
      history: NO_HISTORY,
      journal: dryRunJournal(journal(), {id: plan.id, key}),
      timing: () => serviceTimingOf({embedded: true}),
    });
  };

  /** With a recording client, nothing is sent or written. */
  const reissue = async (
    plan: ReissuePlan,
    {client, onProgress = () => {}}: Pick<RunOverrides, 'onProgress'> & {readonly client?: Client},
  ): Promise<ReissueOutcome> => {
    const {reissueStatement, serviceTimingOf} = await billing();
    return reissueStatement(plan, {
      ...common,
      onProgress,
      client: client ?? (await context.client()),
      intend: client ? NO_HISTORY.intend : (await history()).intend,
      timing: client ? () => serviceTimingOf({embedded: true}) : await timing(),
      carryOut: (part, how) => (client ? dryRun(part, client, how.key) : carryOut(part, how)),
    });
  };

  /** True if this machine's journal has calls of the plan, which a run then goes on with. */
  const hasBegun = async (key: string) => (await billing()).dryRunJournal(journal(), {key}).events.length > 0;

  return {
    ...{carryOut, dryRun, reissue, history, hasBegun, ownFolder, timing, serviceAhead},
    ...{noteSend, lostSends, recallSends},
  };
}
