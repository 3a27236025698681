// The promises of imports that no case may break, checked against the real state.

import type {StatementRow} from '../../../src/billing/import/job/job-types.js';
import {isBilled, isPlanned, type Plan} from './cases.js';
import type {ImportCase, Importer} from './import-cases.js';
import {DUE_AT, isLeft, type ImportMachine, type Until} from './imports.js';
import type {Truth} from './world.js';

export const KINDS = [
  'wrong sent',
  'wrong finalized',
  'double',
  'second e-mail',
  'unbilled',
  'customer twice',
  'false words',
  'thrown',
] as const;

export interface Broken {
  readonly kind: (typeof KINDS)[number];
  readonly words: string;
}

const isRun = (by: unknown): by is number => typeof by === 'number';

const externalIdOf = ({metadata}: Truth): string | undefined => metadata?.external_id as string | undefined;

/** Returns every broken promise. Call it when nothing runs any more. */
export function brokenBy({world, importers, isPerfect, hasPeople}: ImportCase): Broken[] {
  const found: Broken[] = [];
  const report = (kind: Broken['kind'], words: string): void => void found.push({kind, words});
  const {until: wanted} = importers[0]!.wishes;
  const truth = world.truth();
  const machineOf = (run: number): Importer =>
    importers.find(({machine}) => machine.name === world.runs[run]!.machine)!;
  const wantedBy = (run: unknown): Until => machineOf(run as number).machine.wanted.get(run as number)!;
  const planFor = (run: number, externalId: string | undefined): Plan | undefined => {
    const bill = machineOf(run).bills.find((each) => each.externalId === externalId);
    return bill && {customer: {name: '', email: ''}, items: bill.items, dueAt: DUE_AT, until: wantedBy(run)};
  };
  const isAsPlannedBy = (run: number, statement: Truth): boolean => {
    const plan = planFor(run, externalIdOf(statement));
    return plan !== undefined && isPlanned(statement, plan);
  };

  for (const statement of truth) {
    const {id, openedBy, emails, amount} = statement;
    const mailed = emails.filter(({by}) => isRun(by));
    const wrong = mailed.find(({by}) => wantedBy(by) !== 'sent' || !isAsPlannedBy(by as number, statement));
    if (wrong) report('wrong sent', `${id} was sent by run ${wrong.by} for ${amount}`);
    if (
      isRun(openedBy) &&
      !world.touched.has(id) &&
      (wantedBy(openedBy) === 'draft' || !isAsPlannedBy(openedBy, statement))
    )
      report('wrong finalized', `${id} was opened by run ${openedBy} for ${amount}`);
    if (mailed.length > 1) report('second e-mail', `${id} was e-mailed ${mailed.length} times`);
  }

  const rows = new Set(importers.flatMap(({bills}) => bills.map(({externalId}) => externalId)));
  for (const externalId of rows) {
    const own = truth.filter((each) => externalIdOf(each) === externalId);
    const billed = own.filter(isBilled);
    billed.forEach((one, index) => {
      for (const other of billed.slice(index + 1))
        if (!mayFollow(one, other) && !mayFollow(other, one))
          report('double', `${externalId} was billed as ${one.id} and as ${other.id}`);
    });
    const words = unbilled(externalId, own, billed);
    if (words) report('unbilled', words);
  }

  /** True if billing with both was right: a person allowed it, or voided the one before the process began. */
  function mayFollow({voided}: Truth, {openedBy}: Truth): boolean {
    if (!isRun(openedBy)) return false;
    const {machine, wishes} = machineOf(openedBy);
    if (wishes.allowDuplicate) return true;
    return voided?.by === 'person' && voided.at < machine.begun.get(openedBy)!;
  }

  function unbilled(externalId: string, own: readonly Truth[], billed: readonly Truth[]): string | undefined {
    const having = importers.filter(
      ({machine, bills}) => machine.jobId !== undefined && bills.some((each) => each.externalId === externalId),
    );
    // A machine that only created or took over drafts leaves them to be adopted.
    const isDrafting = importers.some((each) => each.machine.jobIds.size > 0 && !having.includes(each));
    const isLeftAsDraft = isDrafting && own.some(({status}) => status === 'draft');
    if (having.length === 0 || isLeftAsDraft || hasPeople) return undefined;
    const isRash = importers.some((each) => each.isRash);
    const isEnough =
      wanted === 'draft'
        ? own.some(({status}) => status === 'draft')
        : billed.length > 0 && (wanted === 'open' || billed.some(({emails}) => emails.length > 0));
    // A machine may reopen a draft that another takes over. Then neither emails it, and the row says how to.
    const saysHow = (id: string): boolean =>
      having.some(({machine}) => machine.rows().some(({error}) => error?.includes(`centavo send ${id}`)));
    const isOpenedMeanwhile = importers.some(({drafts}) => drafts) && billed.some(({id}) => saysHow(id));
    if (isPerfect && !isRash) return isEnough || isOpenedMeanwhile ? undefined : `${externalId} was billed by nobody`;
    // Each leaves it to the other.
    const leaves = ({machine}: Importer): boolean => {
      const row = machine.rows().find((each) => each.external_id === externalId);
      return row?.phase === 'failed' && row.error_code === 'made_elsewhere';
    };
    return own.some(isPayable) || wanted === 'draft' || !having.every(leaves)
      ? undefined
      : `${externalId} was left by each to another`;
  }

  for (const words of customersTwice()) report('customer twice', words);
  function* customersTwice(): Generator<string> {
    const {data} = world.sandbox.perform((tx) => tx.store.list('customer', {limit: 100_000}));
    const all = data as unknown as readonly Customer[];
    // A machine that never continues leaves its objects.
    const isLeft = ({metadata}: Customer): boolean =>
      importers.some(({machine}) => machine.jobIds.has(String(metadata?.centavo_run)) && !machine.hasEnded);
    for (const email of new Set(all.map((each) => each.email))) {
      const there = all.filter((each) => each.email === email && each.deleted !== true);
      const unused = there.filter((each) => !truth.some(({customerId}) => customerId === each.id) && !isLeft(each));
      if (there.length > 1 && unused.length > 0)
        yield `${email} is ${there.length} customers, and nothing names ${unused.map(({id}) => id).join(' ')}`;
    }
  }

  for (const {machine} of importers) for (const words of untrue(machine)) report('false words', words);
  // The next process, and a person who shows the job, read the state of a killed process.
  for (const {machine} of importers)
    for (const {external_id: externalId, id, sent} of machine.rows()) {
      const mailed = truth.find((each) => each.id === id)?.emails ?? [];
      const isOwn = ({by}: {readonly by: unknown}): boolean => isRun(by) && world.runs[by]!.machine === machine.name;
      if (sent === 'no' && mailed.some(isOwn)) report('false words', `${externalId} is not sent on the disk, and was`);
    }
  /** Returns the false reports of a machine's processes. */
  function* untrue({name, said}: ImportMachine): Generator<string> {
    for (const {run, at, until: asked, rows: saidRows, tally, applied, error} of said) {
      const isOwn = (by: unknown): boolean => isRun(by) && by <= run && world.runs[by]!.machine === name;
      const did = world.applied.filter(({by}) => by === run);
      if (applied === 'no' && did.length > 0) yield `run ${run}: nothing was changed, and something was`;
      if (applied === 'yes' && !world.applied.some(({by}) => isOwn(by))) yield `run ${run}: changed, and nothing was`;
      for (const row of saidRows) {
        const what = `run ${run}: ${row.external_id} is`;
        const statement = truth.find(({id}) => id === row.id);
        const emails = statement?.emails ?? [];
        if (row.phase === 'done') {
          const isThere =
            statement !== undefined &&
            (world.touched.has(statement.id) ||
              ((asked === 'draft' || statement.openedAt! <= at) && isAsPlannedBy(run, statement)));
          if (!isThere) yield `${what} done, and ${row.id ?? 'nothing'} is ${statement?.status ?? 'not there'}`;
          else if (asked === 'sent' && row.sent !== 'yes' && statement.status === 'open' && row.status === 'open')
            yield `${what} done, and sent: ${row.sent}`;
        }
        if (row.billed_before === 1 && did.some(({statementId}) => statementId === row.id))
          yield `${what} said to be billed before, and was changed`;
        if (row.sent === 'yes' && !emails.some((each) => each.at <= at)) yield `${what} sent, and was not`;
        if (row.sent === 'no' && emails.some(({by}) => isOwn(by))) yield `${what} not sent, and was`;
        if (row.phase === 'failed' && row.error_code === 'made_elsewhere') {
          const named = [.../bstm_\w+/g[Symbol.matchAll](row.error ?? '')].map(([id]) => id);
          const others = truth.filter((each) => externalIdOf(each) === row.external_id && each.id !== row.id);
          if (!others.some(({id}) => named.includes(id))) yield `${what} said to be made elsewhere: ${row.error}`;
        }
        if (error === undefined && isLeft(row) && row.error_code === null)
          yield `${what} ${row.phase}, and nothing is said of it`;
        // Repeats and cleanups may come late; and a full disk cannot record an unknown outcome.
        const late = did.find(
          (each) => each.at > at && each.method === 'POST' && each.statementId === row.id && row.id !== null,
        );
        if (late && error !== 'local_io' && row.unsettled_at === null && row.sent !== 'unknown')
          yield `${what} settled, and ${late.method} ${late.path} came after that`;
      }
      const count = (phase: StatementRow['phase']): number =>
        saidRows.filter((row) => row.phase === phase && row.billed_before === 0).length;
      if (tally.done !== count('done') || tally.failed !== count('failed')) yield `run ${run}: its counts are wrong`;
    }
  }
  return found;
}

interface Customer {
  readonly id: string;
  readonly email: string;
  readonly deleted?: boolean;
  readonly metadata: Readonly<Record<string, unknown>> | null;
}

const isPayable = ({status}: Truth): boolean => status === 'open' || status === 'paid';

/** The course of a case, for debugging. */
export function storyOf({world, importers}: ImportCase): string {
  const start = world.runs[0]!.startedAt;
  const seconds = (at: number): string => ((at - start) / 1000).toFixed(3).padStart(9);
  const lines: (readonly [number, string])[] = [
    ...world.runs.map(({run, machine, startedAt}) => [startedAt, `${machine} run ${run} begins`] as const),
    ...world.applied
      .filter(({by}) => by !== 'test')
      .map(({at, by, machine, method, path, statementId, after}): [number, string] => [
        at,
        `${machine ?? by} run ${by}: ${method} ${path} ${statementId ?? ''} ${(after?.metadata as any)?.external_id ?? ''}`,
      ]),
    ...importers.flatMap(({machine}) =>
      machine.said.map(({run, at, error, applied, rows}): [number, string] => [
        at,
        `${machine.name} run ${run} ends: ${error ?? 'ended'}, applied ${applied}; ${rows
          .map(({external_id: id, phase, sent, id: statement, error: why}) =>
            [id, phase, `sent ${sent}`, statement, why].filter(Boolean).join(' '),
          )
          .join('; ')}`,
      ]),
    ),
  ];
  return lines
    .toSorted(([one], [other]) => one - other)
    .map(([at, words]) => `${seconds(at)} ${words}`)
    .join('\n');
}
