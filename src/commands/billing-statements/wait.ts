// `centavo billing-statements wait <statement> --for paid`: waits until a statement has a status.

import {standingOf} from '../../accounting/standing.js';
import {STATE_WORDS} from '../../accounting/words.js';
import {shapes} from '../../api/registry.js';
import {statementName} from '../../api/statement.js';
import type {BillingStatementData} from '../../billing/statement/plan.js';
import type {StatusWaitTarget} from '../../billing/account/wait-for-status.js';
import {BaseCommand, CALL_EXITS} from '../../cli/base.js';
import * as schema from '../../cli/schema.js';
import {accountArgs} from '../../cli/next-steps.js';
import {alternativeStep, refusalFor} from '../../cli/refusals.js';
import {apiResultOf} from '../../cli/presentation/results.js';
import {readStanding} from '../../cli/presentation/standings.js';
import {Flags} from '../../cli/oclif.js';
import {printRead, statementArgument, statementReference} from '../../cli/references/read-statement.js';
import {resolveReferences} from '../../cli/references/resolve-reference.js';
import {CentavoError} from '../../common/errors.js';
import {guardConnection} from '../../guard/guard.js';
import {withUnit} from '../../input/quantities.js';

const STATES: readonly StatusWaitTarget[] = ['open', 'paid', 'void', 'uncollectible'];

/** Seconds. */
const DEFAULT_TIMEOUT = 600;

export class WaitCommand extends BaseCommand {
  static override summary = 'Wait until a statement is paid or has another status.';
  static override description =
    'Reads the statement every few seconds, less often as time passes, and prints it at the end. Exits 0 when the statement has the status, 6 when it ended with another status, 9 after the timeout: 10 minutes, or --timeout. For a checkout session, run centavo get again: its status is completed once it is paid.';
  static override examples = [
    '<%= config.bin %> billing-statements wait JEEPNEY-0002 --for paid',
    '<%= config.bin %> billing-statements wait JEEPNEY-0002 --for paid --timeout 2h && ./ship.sh',
  ];
  static override usage = 'billing-statements wait <statement> [flags]';
  static override args = {statement: statementArgument};
  static override flags = {for: Flags.string({summary: 'Status to wait for.', options: [...STATES], default: 'paid'})};
  static risk = 'reads' as const;
  static exits = [...CALL_EXITS, 'condition_unmet', 'timed_out'] as const;
  static output = () => schema.either(schema.objectNamed('billing_statement'), schema.dryRun);

  async run(): Promise<void> {
    const {flags, args} = await this.read(WaitCommand);
    const {context} = this;
    const {io} = context;
    const connection = guardConnection(await context.connection());
    const reference = await statementReference(context, args.statement, 'wait JEEPNEY-0002 --for paid');
    const seconds = context.flags.timeout ?? DEFAULT_TIMEOUT;
    const status = ['open', 'draft'];
    if (flags['dry-run']) return printRead(context, reference, this.requestForm, status);
    const [id = ''] = await resolveReferences(context, 'bstm_', [reference], {changes: false, status});
    const {waitForStatus} = await context.billing();
    const target = flags.for as StatusWaitTarget;
    const {steadyNow: now, random, signal, sleep} = context;
    const startedAt = now();
    let name = id;
    // A wrapped line cannot be overwritten.
    const show = (line: string): void =>
      io.progress(io.plain ? line : line.slice(0, io.width - 1), (now() - startedAt) / (seconds * 1000));
    const labelOf = (news: BillingStatementData) => STATE_WORDS[standingOf(news, {}, context.displayNow()).state].label;
    const tell = (news: BillingStatementData | CentavoError): void => {
      if (news instanceof CentavoError) return show(`Waiting for ${name}: ${news.message}`);
      name = statementName(news);
      const passed = Math.round((now() - startedAt) / 1000);
      show(`Waiting until ${name} is ${target}: ${labelOf(news)} after ${passed} s. Ctrl-C stops waiting.`);
    };
    const waiting = waitForStatus({
      client: await context.client(),
      id,
      target,
      timeout: seconds * 1000,
      signal,
      sleep,
      now,
      random,
      onRead: tell,
      baseUrl: connection.baseUrl?.value,
    });
    const {end, statement} = await waiting.finally(() => io.progress(undefined));
    await this.print(apiResultOf(shapes.get('bstm_')!, [statement], statement, 'one'));
    if (end === 'reached') return;
    const standing = await readStanding(context, statement);
    const options = {account: accountArgs(context), named: name, now: await context.accountNow()};
    const {message, details} = refusalFor('wait', standing, options);
    if (end === 'ended')
      throw new CentavoError('condition_unmet', message, {
        ...details,
        code: 'ended_otherwise',
        changed: `It can no longer become ${target}.`,
      });
    throw new CentavoError(
      'timed_out',
      `${name} is still ${labelOf(statement)} after ${withUnit(flags.timeout ?? '10m')}.`,
      {
        retryable: true,
        ids: [standing.id],
        ...(alternativeStep('wait', standing) ? {next: details.next} : {hint: 'To wait longer, add --timeout 1h'}),
      },
    );
  }
}
