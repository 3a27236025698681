// `centavo why`: explains what happened to a payment, from the request to the response of the app.

import {LIST_DELIVERIES} from '../webhooks/shared/deliveries.js';
import {STATES, UNKNOWNS, type Standing} from '../../accounting/standing.js';
import {STATE_WORDS} from '../../accounting/words.js';
import {getterOf, shapeOfId} from '../../api/registry.js';
import {statementNumberOf} from '../../api/statement.js';
import type {HistoryRecord} from '../../history/history.js';
import {BaseCommand, CALL_EXITS, requiredArgument} from '../../cli/base.js';
import {printCalls, printLists} from '../../cli/dry-run.js';
import {withSuggestion} from '../../cli/next-command.js';
import {accountFlagsOf, inProject} from '../../cli/next-steps.js';
import {Args} from '../../cli/oclif.js';
import {resultOfRecords} from '../../cli/records.js';
import {completeId} from '../../cli/references/local-ids.js';
import {secretInputError} from '../../cli/references/references.js';
import {readStanding} from '../../cli/presentation/standings.js';
import {resolvePayment} from '../../cli/references/payments-named.js';
import * as schema from '../../cli/schema.js';
import {CentavoError, type ErrorDetails, nextCommand, usageError} from '../../common/errors.js';
import {isJsonObject} from '../../common/json.js';
import {formatPesos} from '../../common/pesos.js';
import {guardConnection} from '../../guard/guard.js';
import {valueOrThrow} from '../../input/invalid-input.js';
import {quote} from '../../input/money.js';
import {boundedLine, formatValue, oneLineText, foldSentence, wrapText} from '../../output/format.js';
import {requestTime} from '../sandbox/shared/request-line.js';
import type {Clock} from '../../sandbox/sandbox.js';
import {targetReader} from '../webhooks/shared/endpoint.js';
import {FINDING, diagnose, type Diagnosis, type DiagnosisFacts} from './diagnosis.js';
import {accountRows, ROW, sandboxRows, type TimelineRow} from './timeline-rows.js';

/** What happened to the money. Amounts are centavos; null if unknown. */
const MONEY = schema.record({
  state: schema.choice(...STATES),
  attempt: schema.text,
  ...schema.fieldsNamed('billed received settled refunded balance held', schema.nullable(schema.centavos)),
  unknown: schema.list(schema.choice(...UNKNOWNS)),
});

const WHY = schema.record({
  object: schema.anything,
  /** Of the statement, session or intent that the object belongs to; null if only an event is known. */
  standing: schema.nullable(MONEY),
  /** Ids of the object and its intent, payment and refunds. */
  ids: schema.list(schema.text),
  timeline: schema.list(ROW),
  finding: FINDING,
  /** False on a real account, where requests from other machines are not recorded. */
  is_complete: schema.boolean,
});

/** Matches ids of sandbox events, deliveries and requests. */
const LOCAL_ID = /^(?:dlv|evt|req)_\w+…?$/;
/** Ids that `why` can explain on a real account, and ids that it can explain in the sandbox. */
const READ = /^(?:bstm|cs|pi|pay)_/;
const PAYABLE = /^(?:bstm|cs|pi|pay|re|req)_/;

export class WhyCommand extends BaseCommand {
  static override summary = 'Explain what happened to a payment, and what to do.';
  static override description =
    'Shows a timeline of a billing statement, checkout session or payment intent: requests, failed payments, events, and the responses of each webhook and your app. The last lines give the likely cause and the next command.\n\n' +
    'On a real account, centavo shows the object, the deliveries that `webhooks listen` received, and changes made from this machine.';
  static override examples = [
    '<%= config.bin %> why JEEPNEY-0002',
    '<%= config.bin %> why pi_5Ls8',
    '<%= config.bin %> why evt_3Kd8',
    '<%= config.bin %> why juan@example.com --json',
  ];
  static override args = {
    id: Args.string({
      description:
        'Number, id or customer of a billing statement; id of a session, intent, event, delivery or request; or a metadata value or session reference.',
      helpValue: '<id>',
    }),
  };
  static risk = 'reads' as const;
  static exits = CALL_EXITS;
  static output = () => schema.either(WHY, schema.dryRun);

  async run(): Promise<void> {
    const {args, flags} = await this.read(WhyCommand);
    const {context, rendering} = this;
    const given = requiredArgument(args.id?.trim(), 'the id to explain', 'centavo why JEEPNEY-0002');
    valueOrThrow(secretInputError(given, 'the id to explain'));
    const store = await context.deliveries();
    const connection = guardConnection(await context.connection());
    const isSandbox = connection.mode === 'sandbox';
    const typed = await completeId(context, given, {inSandbox: isSandbox});
    if (flags['dry-run']) {
      const registered = getterOf(shapeOfId(typed)?.prefix ?? '');
      if (!registered) return printLists(context, this.requestForm);
      return printCalls(context, this.requestForm, [{...registered, ids: [typed], params: {}}]);
    }
    const {ids, ...known} = isSandbox ? await this.readSandbox(typed) : await this.readAccount(typed);
    const {object, rows, standing} = known;
    const now = await context.accountNow();
    const targetOf = await targetReader(context);
    const isRunning = (url: string): boolean => store.endpoints.isRunning(url, context.isAlive);
    const found = diagnose({...known, now, account: accountFlagsOf(context), targetOf, isRunning});
    const here = (command: string | null): string | null => command && inProject(context, command);
    const finding = {...found, next: here(found.next), after: here(found.after)};
    const money = standing ? moneyOf(standing) : null;
    const document = {object, standing: money, ids, timeline: rows, finding, is_complete: isSandbox};
    const {format, jq, fields} = rendering;
    if (format !== undefined || jq !== undefined || fields) await this.print(resultOfRecords(ROW, rows, {document}));
    else await this.show(known, finding, {now, ahead: isSandbox ? (await context.sandbox()).clock().ahead : 0});
  }

  private async readSandbox(typed: string): Promise<Explained> {
    const {context} = this;
    const sandbox = await context.sandbox();
    const timeline = (await sandbox.timeline(typed)) ?? (await sandbox.timeline(await this.paymentNamed(typed)));
    if (!timeline) throw notFoundError(typed, 'was not found in the sandbox', stepFor(typed));
    const {object, payable, ids, event, webhooks} = timeline;
    if (!event && !PAYABLE.test(String(object.id)))
      throw usageError('invalid_id', `${quote(typed)} is not a payment.`, {
        hint: 'Give a billing statement, a checkout session, a payment intent, a payment or an event.',
      });
    const rows = await sandboxRows(context, timeline);
    const standing = ids.length > 0 ? await readStanding(context, payable) : undefined;
    return {object: object as Explained['object'], standing, ids, rows, event, webhooks};
  }

  private async readAccount(typed: string): Promise<Explained> {
    const {context} = this;
    const {io, signal} = context;
    const id = await this.paymentNamed(typed);
    const store = await context.deliveries();
    if (LOCAL_ID.test(id)) {
      const delivery = store.findByEvent(id);
      if (!delivery) throw notFoundError(id, 'was not delivered here', {next: [LIST_DELIVERIES]});
      return {object: {id}, ids: [id], event: id, rows: await accountRows(context, [], [delivery])};
    }
    const client = await context.client();
    const registered = getterOf(shapeOfId(id)?.prefix ?? '');
    if (!registered || !READ.test(id))
      throw notFoundError(id, 'cannot be explained', {
        hint: 'Give a billing statement, a checkout session, a payment intent or a payment.',
      });
    const call = {...registered, registered, ids: [id], params: {}};
    const object = (await Promise.resolve(client.perform(call, {signal})).catch(
      withSuggestion(context, call),
    )) as Explained['object'];
    const {payment_intent: intent, latest_payment: payment} = object;
    const ids = [object, intent, payment, isJsonObject(intent) ? intent.latest_payment : undefined].flatMap((each) =>
      isJsonObject(each) ? [String(each.id)] : typeof each === 'string' ? [each] : [],
    );
    const history = await context.history();
    const changes = new Set<HistoryRecord>();
    for (const each of ids)
      for (const page of history.pages({object: each}, MAX_CHANGES)) for (const one of page) changes.add(one);
    io.note('Requests from other machines and responses of other webhooks are not recorded here.');
    const standing = await readStanding(context, object);
    return {object, standing, ids, rows: await accountRows(context, [...changes], store.findByObjects(ids))};
  }

  private paymentNamed(typed: string): Promise<string> {
    if (LOCAL_ID.test(typed)) return Promise.resolve(typed);
    return resolvePayment(this.context, typed, {changes: false});
  }

  private async show(
    {object, rows, standing}: Pick<DiagnosisFacts, 'object' | 'rows' | 'standing'>,
    {message, next, after}: Diagnosis,
    {now, ahead}: Clock,
  ): Promise<void> {
    const {io} = this.context;
    const {id, amount} = object;
    // A payout or a setup intent is no payment, and has only its own status.
    const own = typeof object.status === 'string' ? object.status : undefined;
    const state = standing?.state === 'unknown' ? own : standing && STATE_WORDS[standing.state].label;
    const head = [statementNumberOf(object), id, state, typeof amount === 'number' ? formatPesos(amount) : undefined];
    const groups = rows.flatMap((row, index) => [...headOf(rows, index), row]);
    const isWide = rows.some(({at}) => at !== null && requestTime(at, now).length > CLOCK);
    const width = 2 + (isWide ? DATED : CLOCK);
    const lines = groups.flatMap(({at, type, words}) => {
      const isBelow = type === 'event';
      const indent = width + (at === null ? 4 : isBelow ? 2 : 0);
      const time = at === null || isBelow ? '' : requestTime(at, now);
      const [first = '', ...rest] = wrapText(lineOf(words), Math.max(io.sentenceWidth, MIN_WIDTH), indent, 2);
      return [time.padEnd(width) + first.slice(width), ...rest];
    });
    const end = [
      ...wrapText(lineOf(message), io.sentenceWidth),
      ...(next ? foldSentence(`Next: ${oneLineText(next)}`, io.sentenceWidth) : []),
      ...(after ? foldSentence(`Then: ${oneLineText(after)}`, io.sentenceWidth) : []),
    ];
    // Retries are planned by this machine's clock.
    const clock =
      ahead > 0 ? [`Times on the left are by the sandbox clock, now ${formatValue(now, 'timestamp')}.`] : [];
    const parts = [[lineOf(head.filter(Boolean).join('  ')), ...clock], lines, end].filter(({length}) => length > 0);
    await io.out(`${parts.map((part) => part.join('\n')).join('\n\n')}\n`);
  }
}

const moneyOf = (standing: Standing): schema.SchemaValue<typeof MONEY> =>
  Object.fromEntries(
    Object.keys(MONEY.properties).map((name) => [name, standing[name as keyof Standing]]),
  ) as unknown as schema.SchemaValue<typeof MONEY>;

type Explained = Omit<DiagnosisFacts, 'account' | 'isRunning' | 'now' | 'targetOf'> & {readonly ids: readonly string[]};

const MAX_CHANGES = 100;
/** Widths of `17:20:51` and `24 Nov 17:20`. */
const CLOCK = 8;
const DATED = 12;

const MIN_WIDTH = 60;

const CAUSES: Readonly<Record<string, string>> = {
  command: 'a centavo command',
  page: 'the payment page',
  studio: 'a button of the studio',
};

const lineOf = (text: string): string => boundedLine(oneLineText(text));

/** Returns the line above an event that names its cause, unless its request is already there. */
function headOf(rows: readonly TimelineRow[], index: number): Pick<TimelineRow, 'at' | 'type' | 'words'>[] {
  const {type, cause, at} = rows[index]!;
  // On a real account, the cause is not known.
  if (type !== 'event' || cause === null) return [];
  const last = rows.slice(0, index).findLast((row) => row.at !== null);
  const isShown = last && (last.id === cause || (last.type === 'event' && last.cause === cause && last.at === at));
  const words = CAUSES[cause] ?? cause.replace(/^timer:(.*)$/, 'the clock: $1').replaceAll('-', ' ');
  return isShown ? [] : [{at, type: 'request', words}];
}

function stepFor(typed: string): NotFoundStep {
  if (!LOCAL_ID.test(typed)) return {hint: 'To look in a real account, add --profile.'};
  if (typed.startsWith('dlv_')) return {next: [LIST_DELIVERIES]};
  return {next: [nextCommand('To list them', `sandbox ${typed.startsWith('evt_') ? 'events list' : 'logs'} --all`)]};
}

type NotFoundStep = Pick<ErrorDetails, 'hint' | 'next'>;

const notFoundError = (typed: string, problem: string, step: NotFoundStep): CentavoError =>
  new CentavoError('not_found', `${quote(typed)} ${problem}.`, step);
