// `centavo sandbox logs`: lists sandbox requests and failed payments, or shows one request.

import {shapeOfId} from '../../api/registry.js';
import {ACCOUNT_EXITS, BaseCommand} from '../../cli/base.js';
import {suggestNextPage} from '../../cli/lists/suggest-next-page.js';
import {Args, Flags} from '../../cli/oclif.js';
import {wholeId} from '../../cli/references/local-ids.js';
import {resultOfRecord, resultOfRecords, type RecordTable} from '../../cli/records.js';
import * as schema from '../../cli/schema.js';
import {wasAborted} from '../../common/deadlines.js';
import {capitalized, CentavoError, nextCommand, usageError} from '../../common/errors.js';
import {jsonOrText} from '../../common/json.js';
import {InvalidInput, valueOrThrow} from '../../input/invalid-input.js';
import {quote} from '../../input/money.js';
import {readWholeNumber} from '../../input/quantities.js';
import {multiLineText, toJson} from '../../output/format.js';
import {renderList, untilStopped} from '../../output/render-list.js';
import type {OutputStreams} from '../../output/streams.js';
import type {Rendering, CommandResult} from '../../output/result.js';
import type {EmbeddedSandbox} from '../../sandbox/embedded.js';
import type {LogQuery} from '../../sandbox/requests/request-log-queries.js';
import type {LogEntry} from '../../sandbox/requests/request-log.js';
import {requestAnswer, entryFields, requestLine, requestTime, requestTarget} from './shared/request-line.js';

const ENTRY = schema.record(entryFields);
const REQUEST = schema.record({
  ...entryFields,
  request_body: schema.anything,
  response_body: schema.anything,
  events: schema.list(schema.objectNamed('event')),
});

const AT_TERMINAL: RecordTable = {
  time: 1,
  method: 2,
  what: {header: 'path', rank: 3, cut: 'name'},
  answer: {header: 'status', rank: 3, cut: 'name'},
  duration_ms: 6,
  object_id: {rank: 5, shortens: true},
  id: {rank: 3, shortens: true},
};

/** Fields that only failed payments have. */
const PAYMENT_FIELDS: readonly string[] = ['type', 'cause', 'source_id'];

/** Milliseconds between two checks for new requests. */
const POLLING = 250;
const EVERYTHING = 10_000;

type LogReader = Awaited<ReturnType<EmbeddedSandbox['requestLog']>>;

export class LogsCommand extends BaseCommand {
  static override summary = 'List sandbox requests, newest first, or show one with its bodies.';
  static override description =
    'The sandbox keeps the last 1,000 requests to its server and from commands that can change data. It also keeps the last 1,000 failed payments. It keeps up to 16 KB of a body, and never keys, secrets or input on a payment page. Times are by the sandbox clock.\n\nWith --follow, each new request is printed on one line, or as JSON with --json, until you press Ctrl-C.';
  static override examples = [
    '<%= config.bin %> sandbox logs',
    '<%= config.bin %> sandbox logs --follow',
    '<%= config.bin %> sandbox logs --status 4xx',
    '<%= config.bin %> sandbox logs --object bstm_7Hq2',
    '<%= config.bin %> sandbox logs req_2Lp5',
  ];
  static override usage = 'sandbox logs [id] [flags]';
  static override args = {
    id: Args.string({
      description: 'Id of a request, or the start of an id. Without it, requests are listed.',
      helpValue: '<req_…>',
    }),
  };
  static override flags = {
    follow: Flags.boolean({summary: 'Print new requests as they arrive.', char: 'f'}),
    status: Flags.string({summary: 'Only requests with this status: 404, 4xx, 5xx.', helpValue: '<status>'}),
    object: Flags.string({summary: 'Only requests about this object.', helpValue: '<id>'}),
    limit: Flags.string({summary: 'Maximum number to list.', helpValue: '<number>', default: '20'}),
    all: Flags.boolean({summary: 'List everything.', exclusive: ['limit']}),
  };
  static risk = 'reads' as const;
  static exits = [...ACCOUNT_EXITS, 'not_found'] as const;
  static output = () => schema.either(schema.page(ENTRY), REQUEST);

  async run(): Promise<void> {
    const {args, flags} = await this.read(LogsCommand);
    const {context, rendering} = this;
    const limit = flags.all
      ? EVERYTHING
      : valueOrThrow(readWholeNumber(flags.limit, {from: 1, to: EVERYTHING}), '--limit');
    const status = flags.status === undefined ? undefined : valueOrThrow(readStatus(flags.status), '--status');
    const sandbox = await context.sandbox();
    const idOf = (typed: string): Promise<string> => wholeId(context, typed, [sandbox]);
    const objects =
      flags.object === undefined ? undefined : [valueOrThrow(readObject(await idOf(flags.object)), '--object')];
    if (args.id !== undefined) return this.showOne(valueOrThrow(readRequestId(await idOf(args.id))));
    const requests = await sandbox.requestLog();
    const query = {limit, status, objects};
    if (flags.follow) return this.follow(requests, query);
    const {data, hasMore} = requests.list(query);
    const document = schema.listDocument(data, hasMore);
    await this.print(logResultOf(data, context.displayNow(), {document, empty: 'No requests found.'}));
    const typed = ['sandbox', 'logs', ...this.argv];
    if (hasMore) suggestNextPage({io: context.io, rendering}, typed, /limit/, ['--all']);
  }

  private async showOne(id: string): Promise<void> {
    const found = (await (await this.context.sandbox()).requestLog()).find(id);
    if (!found)
      throw new CentavoError('not_found', `request ${id} is not in the sandbox log.`, {
        why: 'The log keeps the last 1,000 requests, without reads by commands.',
        next: [nextCommand('To list them', 'sandbox logs --all')],
        applied: 'no',
      });
    const request: schema.SchemaValue<typeof REQUEST> = {
      ...found,
      request_body: logBodyOf(found.request_body),
      response_body: logBodyOf(found.response_body),
    };
    const {rendering, context} = this;
    const forPeople = isRead(rendering, context.io) && !rendering.fields;
    const bodies = ['request_body', 'response_body'] as const;
    const shown = {...request, events: found.events.map(({id: event, type}) => ({event, type}))};
    const omitted = forPeople ? [...PAYMENT_FIELDS, ...bodies] : PAYMENT_FIELDS;
    const names = Object.keys(REQUEST.properties) as (keyof typeof shown)[];
    const all = names.filter((name) => !omitted.includes(name) && (!forPeople || hasContent(shown[name])));
    await this.print(resultOfRecord(REQUEST, request, {shown: [shown], document: request, all}));
    for (const body of forPeople ? bodies : []) {
      if (request[body] === null) continue;
      const words = typeof request[body] === 'string' ? request[body] : toJson(request[body], 2);
      await context.io.out(`\n${capitalized(body.replace('_', ' '))}\n${words}\n`);
    }
  }

  /** Prints the last entries, oldest first, then new ones. */
  private async follow(log: LogReader, query: LogQuery): Promise<void> {
    const {context, rendering} = this;
    const {io, signal} = context;
    const {format, jq} = rendering;
    if (jq !== undefined) throw usageError('invalid_flag', '--follow does not work with --jq.');
    async function* pages(): AsyncGenerator<readonly LogEntry[]> {
      let {data, last} = log.list({...query, after: -Infinity});
      for (;;) {
        if (data.length > 0) yield data.toReversed();
        if (io.closed || (await wasAborted(context.sleep(POLLING, signal), signal))) return;
        ({data, last} = log.list({...query, limit: EVERYTHING, after: last}));
      }
    }
    if (isRead(rendering, io)) {
      for await (const entries of pages())
        await io.out(
          entries
            .map(
              (entry) =>
                `${multiLineText(requestLine(entry, `${requestTime(entry.at, context.displayNow())}  `, io.sentenceWidth))}\n`,
            )
            .join(''),
        );
      return;
    }
    const lines = {...rendering, format: format === 'json' ? 'jsonl' : format} as const;
    await renderList(pages(), (entries) => logResultOf(entries, context.displayNow()), lines, untilStopped(context));
  }
}

/** True if a user reads the output: a table, or the default output at a terminal. */
const isRead = ({format, jq}: Rendering, {stdoutIsTerminal}: OutputStreams): boolean =>
  format === 'table' || (format === undefined && jq === undefined && stdoutIsTerminal);

const logResultOf = (
  data: readonly LogEntry[],
  now: number,
  more: Partial<Pick<CommandResult, 'document' | 'empty'>> = {},
): CommandResult =>
  resultOfRecords(ENTRY, data, {
    ...more,
    shown: data.map((entry) => ({
      ...entry,
      time: requestTime(entry.at, now),
      what: requestTarget(entry),
      answer: requestAnswer(entry),
    })),
    atTerminal: AT_TERMINAL,
  });

const hasContent = (value: unknown): boolean =>
  value !== null && value !== false && !(Array.isArray(value) && value.length === 0);

const logBodyOf = (body: string | null): unknown => (body === null ? null : jsonOrText(body));

function readStatus(typed: string): InvalidInput | readonly [number, number] {
  const status = typed.trim().toLowerCase();
  if (/^[1-5]xx$/.test(status)) return [Number(status[0]) * 100, Number(status[0]) * 100 + 99];
  if (/^[1-5]\d\d$/.test(status)) return [Number(status), Number(status)];
  return new InvalidInput(`${quote(typed)} is not a status.`, {
    hint: (place) => `For example: ${place} 404, ${place} 4xx`,
  });
}

function readObject(typed: string): InvalidInput | string {
  const id = typed.trim();
  return shapeOfId(id)
    ? id
    : new InvalidInput(`${quote(typed)} is not the id of an object.`, {
        hint: (place) => `For example: ${place} bstm_7Hq2`,
      });
}

function readRequestId(id: string): InvalidInput | string {
  if (/^req_[A-Za-z0-9]{1,100}$/.test(id)) return id;
  return new InvalidInput(`${quote(id)} is not the id of a request.`, {
    code: 'invalid_id',
    next: [nextCommand('Request ids start with req_. To list them', 'sandbox logs')],
  });
}
