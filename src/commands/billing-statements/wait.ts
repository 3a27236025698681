// `centavo billing-statements wait <statement> --for paid`: waits until a statement has a status.

import {shapes} from '../../api/registry.js';
import {statementName} from '../../api/statement.js';
import type {Statement} from '../../billing/compose/plan.js';
import type {WaitedFor} from '../../billing/wait.js';
import {BaseCommand, CALL_EXITS} from '../../cli/base.js';
import {dryRun, either, objectNamed} from '../../cli/json-schema.js';
import {resultOf} from '../../cli/objects/results.js';
import {Flags} from '../../cli/oclif.js';
import {referenceArgument} from '../../cli/references/ask.js';
import {printRead, statementArgument} from '../../cli/references/read-statement.js';
import {resolveReferences} from '../../cli/references/resolve-reference.js';
import {LONGEST_TIMER} from '../../ground/deadlines.js';
import {CentavoError, usageError} from '../../ground/errors.js';
import {guardConnection} from '../../guard/guard.js';
import {parseDuration} from '../../input/quantities.js';

const STATES: readonly WaitedFor[] = ['open', 'paid', 'void', 'uncollectible'];

/** Seconds. */
const DEFAULT_TIMEOUT = 600;

export class BillingStatementsWaitCommand extends BaseCommand {
  static override summary = 'Wait until a billing statement is paid, or has another status.';
  static override description =
    'Reads the statement every few seconds, less often as time passes, and prints it at the end. Exit 0 when it has the status, 6 when it ended with another one, 9 when the time is over: 10 minutes, or --timeout.';
  static override examples = [
    '<%= config.bin %> billing-statements wait JEEPNEY-0002 --for paid',
    '<%= config.bin %> billing-statements wait JEEPNEY-0002 --for paid --timeout 2h && ./ship.sh',
  ];
  static override usage = 'billing-statements wait <statement> --for <status> [flags]';
  static override args = {statement: statementArgument};
  static override flags = {
    for: Flags.string({summary: 'The status to wait for.', options: [...STATES], default: 'paid'}),
    interval: Flags.string({summary: 'Time between two reads, in place of a growing one.', helpValue: '<time>'}),
  };
  static risk = 'reads' as const;
  static exits = [...CALL_EXITS, 'condition_unmet', 'timed_out'] as const;
  static output = () => either(objectNamed('billing_statement'), dryRun);

  async run(): Promise<unknown> {
    const {flags, args} = await this.read(BillingStatementsWaitCommand);
    const {context} = this;
    const {io} = context;
    const connection = await context.connection();
    guardConnection(connection, flags);
    const reference = await referenceArgument(
      context,
      'bstm_',
      args.statement,
      'centavo billing-statements wait JEEPNEY-0002 --for paid',
    );
    const seconds = context.flags.timeout ?? DEFAULT_TIMEOUT;
    const interval = flags.interval === undefined ? undefined : durationOf(flags.interval, '--interval');
    if (flags['dry-run']) return printRead(context, reference, this.requestForm);
    const [id = ''] = await resolveReferences(context, 'bstm_', [reference], {
      name: 'the statement',
      changes: false,
      status: 'open',
    });
    const {waitForStatus} = await context.billing();
    const target = flags.for as WaitedFor;
    const {nowMilliseconds: now, random, signal, sleep} = context;
    const startedAt = now();
    let name = id;
    let status = '';
    // A line that breaks cannot be written over.
    const show = (line: string): void => io.progress(line.slice(0, io.width - 1));
    const tell = (news: Statement | CentavoError): void => {
      if (news instanceof CentavoError) return show(`Waiting for ${name}: ${news.message}`);
      [name, status] = [statementName(news), String(news.status)];
      const passed = Math.round((now() - startedAt) / 1000);
      show(`Waiting until ${name} is ${target}: ${status} after ${passed} s. Ctrl-C stops waiting.`);
    };
    const options = {
      client: await context.client(),
      id,
      target,
      timeout: seconds * 1000,
      interval,
      signal,
      sleep,
      now,
      random,
      tell,
    };
    const waiting = waitForStatus({...options, baseUrl: connection.baseUrl?.value});
    const {end, statement} = await waiting.finally(() => io.progress(undefined));
    await this.print(resultOf(shapes.get('bstm_')!, [statement], statement, 'one'));
    if (end === 'ended')
      throw new CentavoError('condition_unmet', `${name} is ${status}; it will not be ${target} any more.`, {
        code: 'ended_otherwise',
      });
    if (end === 'late')
      throw new CentavoError('timed_out', `${name} is still ${status} after ${flags.timeout ?? '10m'}.`, {
        hint: 'Wait longer with --timeout 1h',
      });
    return statement;
  }
}

/** Milliseconds. */
function durationOf(text: string, name: string): number {
  const milliseconds = parseDuration(text, name) * 1000;
  if (milliseconds === 0) throw usageError(`${name} ${text} is no time at all.`, {code: 'invalid_duration'});
  if (milliseconds <= LONGEST_TIMER) return milliseconds;
  throw usageError(`${name} ${text} is too long.`, {code: 'invalid_duration', hint: 'The longest is 24d.'});
}
