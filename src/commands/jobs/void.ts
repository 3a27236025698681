// `centavo jobs void`: undoes an import: voids open statements and deletes drafts. Paid statements stay.

import {basename} from 'node:path';
import {isPayable, type MoneyHistory, type Standing} from '../../accounting/standing.js';
import {describeStanding} from '../../accounting/words.js';
import {operationWithId, shapes} from '../../api/registry.js';
import {statementSubjectOf, statementText} from '../../api/statement.js';
import type {BillingStatementData} from '../../billing/statement/plan.js';
import type {StatementRow} from '../../billing/import/job/job-types.js';
import type {JobFile} from '../../billing/import/job/job-file.js';
import {BaseCommand, CHANGE_EXITS} from '../../cli/base.js';
import {moneyHistory, refusalIn, standingsOf} from '../../cli/presentation/standings.js';
import {Args} from '../../cli/oclif.js';
import {performBatch} from '../../cli/operations/perform-batch.js';
import {apiResultOf} from '../../cli/presentation/results.js';
import {withReadingProgress} from '../../cli/account-reads.js';
import * as schema from '../../cli/schema.js';
import {formatCount} from '../../common/counts.js';
import {CentavoError, refusedError} from '../../common/errors.js';
import {formatPesos} from '../../common/pesos.js';
import type {PlannedChange} from '../../guard/change.js';
import {guardChange, guardConnection, guardIntent} from '../../guard/guard.js';
import {checkService, chooseJob, jobStep, missingJob, withJob} from '../../billing/import/cli/find-jobs.js';
import {importNameOf, tableLines} from '../../billing/import/cli/plan-output.js';

const [VOID, DELETE_CALL] = [operationWithId('billing-statements:void'), operationWithId('billing-statements:delete')];
const DELETED = schema.record({
  id: schema.text,
  resource: schema.constant('billing_statement'),
  deleted: schema.constant(true),
});
/** Final statuses: nothing to undo. `deleted` is a deleted draft. */
const FINAL_STATUSES: readonly unknown[] = ['deleted', 'void'];

/** Marks a row as finished, so that --retry-failed skips it. */
const finalRow = (status: string): Partial<StatementRow> => ({status, phase: 'done', unsettled_at: null});

interface CreatedStatement {
  readonly row: StatementRow;
  readonly statement: BillingStatementData;
}

const canVoid = (standing: Standing | undefined): boolean =>
  standing !== undefined && (standing.state === 'draft' || isPayable(standing));

/** Returns the ids of all statements that replaced this one, oldest first. */
const replacementsOf = (history: MoneyHistory, id: string): readonly string[] =>
  history.replacements(id).flatMap((next) => [next, ...replacementsOf(history, next)]);

const listedNumbers = (statements: readonly object[]) =>
  apiResultOf(shapes.get('bstm_')!, statements, schema.listDocument(statements), 'many');

export class JobsVoidCommand extends BaseCommand {
  static override summary = 'Void the unpaid billing statements of an import.';
  static override description =
    'Shows the statements before you confirm. Voids open statements, also those that replaced one of the import, and deletes drafts. Each is read again first, and kept if it was paid in the meantime. Customers that the import created stay.\n\n' +
    'If some could not be voided, run it again for the rest. Afterwards you can import the file again.';
  static override examples = [
    '<%= config.bin %> jobs void job_7f2kq81m0x',
    '<%= config.bin %> jobs void job_7f2kq81m0x --dry-run',
  ];
  static override args = {
    id: Args.string({description: 'Id of the job; can be omitted at a terminal.', helpValue: '<job_…>'}),
  };
  static risk = 'destroys' as const;
  static agents = 'hands_over' as const;
  static exits = [...CHANGE_EXITS, 'partial'] as const;
  static output = () => schema.page(schema.either(schema.objectNamed('billing_statement'), DELETED));

  async run(): Promise<void> {
    const {args, flags} = await this.read(JobsVoidCommand);
    const {context} = this;
    const {io} = context;
    const connection = guardConnection(await context.connection());
    if (!flags['dry-run']) guardIntent(connection, flags, 'void the statements of an import', io);
    await withJob(context, args.id ?? (await this.chosenJob()), async (job) => {
      await checkService(context, job, 'void');
      job.refuseIfTaken(context.host.identity, context.isAlive);
      if (job.record.state === 'running')
        throw refusedError('job_not_done', `${job.id} is not finished.`, {
          why: 'The remaining rows could still be billed.',
          next: [jobStep(context, 'To abandon the remaining rows', 'jobs remove', job.id)],
          job: job.id,
        });
      const history = await moneyHistory(context);
      const created = await this.readCreated(job, history);
      const all = created.map(({statement}) => statement);
      const standings = await standingsOf(context, all, history);
      const remaining = created.filter(({statement: {id}}) => canVoid(standings.get(id)));
      for (const standing of standings.values())
        if (!canVoid(standing) && standing.state !== 'void')
          io.note(`${describeStanding(standing, await context.accountNow())}. Not changed.`);
      const {inDoubt} = job.tally;
      if (inDoubt > 0)
        io.note(
          `${formatCount(inDoubt, 'row')} may have created more statements. To check: centavo jobs get ${job.id} --open`,
        );
      const statements = remaining.map(({statement}) => statement);
      if (flags['dry-run'] || remaining.length === 0) {
        await this.print(listedNumbers(statements));
        return io.note(`${remaining.length > 0 ? '' : `${job.id} has nothing left to void. `}Nothing was changed.`);
      }
      const lines = await tableLines(listedNumbers(statements), io, await context.accountNow());
      for (const line of lines) io.note(line);
      await guardChange(context, flags, changeOf(job, statements));
      await this.voidAll(job, remaining, history);
    });
  }

  /** Asks the user to choose a finished job that still has statements to void. */
  private async chosenJob(): Promise<string> {
    const {context} = this;
    if (!context.io.canAsk) throw missingJob('void');
    return chooseJob('void', context, ({state, tally}) => state !== 'running' && tally.done > tally.voided);
  }

  /** Reads the job's statements and their replacements, and records the status of the former in the job. */
  private async readCreated(job: JobFile, history: MoneyHistory): Promise<CreatedStatement[]> {
    const {context} = this;
    const {findStatementById} = await context.billing();
    const client = await context.client();
    const created: CreatedStatement[] = [];
    const missing: StatementRow[] = [];
    await withReadingProgress(context, 'Reading billing statements', async ({signal, onPage}) => {
      for (const row of job.rows()) {
        if (row.id === null || row.billed_before === 1) continue;
        const own = FINAL_STATUSES.includes(row.status) ? [] : [row.id];
        for (const id of [...own, ...replacementsOf(history, row.id)]) {
          const statement = await findStatementById(client, id, {signal});
          if (statement) created.push({row, statement});
          else if (id === row.id) missing.push(row);
          onPage(created.length + missing.length);
        }
      }
    });
    if (created.length === 0 && missing.length > 0)
      throw refusedError('other_account', `none of ${job.id}'s statements are in this account.`, {
        why: 'They were deleted, the sandbox was reset, or the key now belongs to another account.',
      });
    for (const {n} of missing) job.setRow(n, finalRow('deleted'));
    for (const {row, statement} of created.filter(({row, statement}) => row.id === statement.id)) {
      const status = statementText(statement.status) ?? null;
      job.setRow(row.n, status === 'void' ? finalRow('void') : {status});
    }
    return created;
  }

  private async voidAll(job: JobFile, remaining: readonly CreatedStatement[], history: MoneyHistory): Promise<void> {
    const {context} = this;
    const {findStatementById} = await context.billing();
    const client = await context.client();
    const before = new Map(remaining.map((created) => [created.statement.id, created]));
    const targets = remaining.map(({statement: {id}}) => [id]);
    const choose = async (id: string) => {
      const {statement} = before.get(id)!;
      const now = (await findStatementById(client, id, context)) ?? {...statement, deleted: true};
      const standing = (await standingsOf(context, [now], history)).get(id)!;
      if ((now.status !== statement.status || !canVoid(standing)) && standing.state !== 'void')
        throw await refusalIn(context, 'void', standing);
      return statement.status === 'draft' ? DELETE_CALL : VOID;
    };
    const done = (id: string): void => {
      const {row, statement} = before.get(id)!;
      if (row.id === id) job.setRow(row.n, finalRow(statement.status === 'draft' ? 'deleted' : 'void'));
    };
    await performBatch(context, VOID, targets, this.rendering, undefined, {choose, done}).catch((error: unknown) => {
      if (!(error instanceof CentavoError)) throw error;
      // Running the command again also resolves unknown outcomes, because it reads each statement first.
      const isCut = ['interrupted', 'outcome_unknown', 'partial'].includes(error.kind);
      const {hint, next} = error.details;
      const rest = jobStep(context, 'To void the rest', 'jobs void', job.id);
      const isLast = isCut || (hint === undefined && next === undefined);
      throw isLast ? error.with({hint: undefined, next: [rest], job: job.id}) : error;
    });
  }
}

function changeOf({id, record: {source}}: JobFile, statements: readonly BillingStatementData[]): PlannedChange {
  const drafts = statements.filter(({status}) => status === 'draft').length;
  const open = statements.length - drafts;
  const verbs = [
    open > 0 && `void ${formatCount(open, 'open billing statement')}`,
    drafts > 0 && `delete ${formatCount(drafts, 'draft')}`,
  ];
  const file = basename(source);
  const amount = statements.reduce((sum, each) => sum + BigInt(each.amount ?? 0), 0n);
  const action = `${verbs.filter(Boolean).join(' and ')} of ${formatPesos(amount)} in all, created by ${id} from ${importNameOf(file)}`;
  const names = statements.map((each) => [each.id, statementSubjectOf(each)] as const);
  return {
    ...{command: 'jobs void', needsConfirmation: true, destroys: true, ids: statements.map((each) => each.id)},
    ...(source !== '-' && {file}),
    known: {action, amount, names, amounts: [], statements: statements.length},
  };
}
