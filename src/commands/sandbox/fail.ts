// `centavo sandbox fail`: makes the next requests of one kind fail, in a given way.

import {operationAt, operations} from '../../api/registry.js';
import {ACCOUNT_EXITS, BaseCommand} from '../../cli/base.js';
import {isDryRun} from '../../cli/dry-run.js';
import {accountFlagsOf} from '../../cli/next-steps.js';
import {Args, Flags} from '../../cli/oclif.js';
import {resultOfRecord, resultOfRecords} from '../../cli/records.js';
import * as schema from '../../cli/schema.js';
import {formatCount} from '../../common/counts.js';
import {usageError} from '../../common/errors.js';
import {InvalidInput, valueOrThrow} from '../../input/invalid-input.js';
import {quote} from '../../input/money.js';
import {nearestWord} from '../../input/nearest.js';
import {readDuration, readWholeNumber} from '../../input/quantities.js';
import type {FailureFields, PlannedFailure} from '../../sandbox/control/failures.js';

const EXAMPLE = "centavo sandbox fail 'POST /refunds' --status 500";

/** Seconds. */
const MAX_DELAY = 60;

const FAILURE = schema.record({
  id: schema.integer,
  aim: schema.titled('requests', schema.text),
  status: schema.nullable(schema.integer),
  applied: schema.boolean,
  drop: schema.nullable(schema.choice('after', 'before')),
  delay_ms: schema.nullable(schema.integer),
  times: schema.integer,
  used: schema.integer,
  own: schema.titled('own commands', schema.boolean),
  ends_at: schema.titled('until', schema.timestamp),
});

function failureRecord(failure: PlannedFailure): schema.SchemaValue<typeof FAILURE> {
  const {id, aim, status = null, applied, drop = null, delay = null, times, used, own = false, ends_at} = failure;
  return {id, aim, status, applied: applied ?? drop === 'after', drop, delay_ms: delay, times, used, own, ends_at};
}

const RANKS = {id: 1, aim: 2, status: 3, applied: 8, drop: 4, delay_ms: 5, times: 6, used: 7, own: 10, ends_at: 9};

export class FailCommand extends BaseCommand {
  static override summary = 'Make the next requests to the sandbox fail, or list what is aimed.';
  static override description =
    'Name the requests as POST /refunds, as POST /payment_intents/:id/cancel, or as refunds.create. Without a name, any request fails. Add --status, --drop or --delay. Without these flags, the command lists the failures that are still aimed.\n\n' +
    'A failure hits requests of apps, which reach the sandbox through sandbox serve or dev. With --own, it also hits requests of centavo commands. Of several processes that use the sandbox, exactly one takes it.\n\n' +
    'A failure ends after its times, after an hour of real time, with sandbox reset, with a loaded snapshot, or with --clear. To see which request took it: centavo sandbox logs. For failures by chance, use sandbox serve --faults.';
  static override examples = [
    "<%= config.bin %> sandbox fail 'POST /refunds' --status 500",
    '<%= config.bin %> sandbox fail refunds.create --drop after',
    "<%= config.bin %> sandbox fail 'GET /customers/:id' --delay 3s --times 2",
    '<%= config.bin %> sandbox fail',
    '<%= config.bin %> sandbox fail --clear',
  ];
  static override usage = 'sandbox fail [request] [flags]';
  static override args = {
    request: Args.string({
      description: 'Requests that fail: POST /refunds, or refunds.create.',
      helpValue: '<request>',
    }),
  };
  static override flags = {
    status: Flags.string({
      summary: 'Answer with this HTTP status, from 400 to 599. Nothing is applied.',
      helpValue: '<status>',
      exclusive: ['drop'],
    }),
    applied: Flags.boolean({summary: 'With --status: apply the request first.', dependsOn: ['status']}),
    drop: Flags.string({
      summary: 'Close the connection, before or after the request is applied.',
      options: ['before', 'after'],
    }),
    delay: Flags.string({summary: 'Wait before the request is answered, up to 60s.', helpValue: '<time>'}),
    times: Flags.string({summary: 'Number of requests that fail. Default: 1.', helpValue: '<number>'}),
    own: Flags.boolean({summary: 'Also hit requests of centavo commands.'}),
    clear: Flags.boolean({summary: 'End all failures.'}),
  };
  static risk = 'writes' as const;
  static agents = 'runs' as const;
  static exits = ACCOUNT_EXITS;
  static output = () => schema.either(schema.page(FAILURE), FAILURE);

  async run(): Promise<void> {
    const {args, flags} = await this.read(FailCommand);
    const {context} = this;
    const fields: FailureFields = {
      ...(args.request !== undefined && valueOrThrow(readAim(args.request.trim()))),
      status: optional(flags.status, '--status', (text) => readWholeNumber(text, {from: 400, to: 599})),
      applied: flags.applied,
      drop: flags.drop as FailureFields['drop'],
      delay: optional(flags.delay, '--delay', readDelay),
      times: optional(flags.times, '--times', (text) => readWholeNumber(text, {from: 1, to: 1_000_000})),
      own: flags.own,
    };
    const isAiming = Object.values(fields).some((value) => value !== undefined);
    if (flags.clear && isAiming)
      throw usageError('invalid_flag', '--clear ends all failures, so it takes no request and no other flag.');
    if (isAiming && (fields.status ?? fields.drop ?? fields.delay) === undefined)
      throw usageError('missing_flag', 'how the requests fail is missing.', {
        why: 'Give --status, --drop or --delay.',
        hint: `For example: ${EXAMPLE}`,
      });
    const {failures} = await (await context.sandbox()).control();
    if (isAiming) {
      if (isDryRun(context, flags, 'aim a failure at requests to the sandbox')) return;
      const aimed = failures.add(fields);
      const logs = `centavo sandbox logs${accountFlagsOf(context)}`;
      context.io.note(`Failure ${aimed.id} is aimed. To see which request took it: ${logs}`);
      return this.print(resultOfRecord(FAILURE, failureRecord(aimed)));
    }
    if (flags.clear) {
      const all = formatCount(failures.list().length, 'failure');
      if (isDryRun(context, flags, `end ${all}`)) return;
      failures.remove();
      context.io.note(`Ended ${all}.`);
    }
    const rows = failures.list().map(failureRecord);
    if (rows.length > 0) context.io.note(`To end all: centavo sandbox fail --clear${accountFlagsOf(context)}`);
    await this.print(resultOfRecords(FAILURE, rows, {atTerminal: RANKS, empty: 'No failure is aimed.'}));
  }
}

const optional = <T>(
  text: string | undefined,
  flag: string,
  read: (text: string) => InvalidInput | T,
): T | undefined => (text === undefined ? undefined : valueOrThrow(read(text), flag));

/** Reads a delay as milliseconds. */
function readDelay(text: string): InvalidInput | number {
  const seconds = readDuration(text);
  if (seconds instanceof InvalidInput || (seconds > 0 && seconds <= MAX_DELAY))
    return seconds instanceof InvalidInput ? seconds : seconds * 1000;
  return new InvalidInput(`${quote(text)} is not from 1s to ${MAX_DELAY}s.`, {code: 'invalid_duration'});
}

/** Reads `refunds.create`, `POST /refunds`, `POST /payment_intents/:id/cancel`, or a path for each of its methods. */
function readAim(typed: string): InvalidInput | Pick<FailureFields, 'method' | 'operation' | 'path'> {
  if (operations.some(({clientName}) => clientName === typed)) return {operation: typed};
  const [, verb, path = ''] = /^(?:(\w+)\s+)?(?:https?:\/\/[^/]+)?((?:\/[^\s/]+)+)$/.exec(typed) ?? [];
  const method = verb?.toUpperCase();
  const fitting = operations.filter(
    (each) =>
      (method ?? each.operation.method) === each.operation.method &&
      operationAt(each.operation.method, path)?.registered === each,
  );
  const invalid = (problem: string, hint: string) =>
    new InvalidInput(`${quote(typed)} ${problem}`, {code: 'invalid_path', hint});
  if (fitting.length === 0) {
    const near = nearestRequest(typed);
    return invalid('is not a request of the API.', near ? `Did you mean ${quote(near)}?` : `For example: ${EXAMPLE}`);
  }
  const isPattern = /\/(?::[^/]+|\*|\{[^/]+\})(?=\/|$)/.test(path);
  if (!isPattern) return {method, path};
  if (fitting.length === 1) return {operation: fitting[0]!.clientName};
  const requests = fitting.map(({operation}) => `${operation.method} ${path}`);
  return invalid(`are several requests: ${requests.join(', ')}.`, 'Name one of them.');
}

function nearestRequest(typed: string): string | undefined {
  const named = operations.flatMap(({clientName, operation}) => [clientName, `${operation.method} ${operation.path}`]);
  const withoutIds = typed.replace(/[a-z]+_\w*[A-Z\d]\w*/g, ':id');
  return nearestWord(withoutIds.replace(/^\//, 'POST /'), named);
}
