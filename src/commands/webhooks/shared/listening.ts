// Runs a listener and its app for a command, and declares the records that it prints.

import {programError} from '../../../cli/dispatch/parse-errors.js';
import {inProject} from '../../../cli/next-steps.js';
import {Flags} from '../../../cli/oclif.js';
import * as schema from '../../../cli/schema.js';
import {localName} from '../../../config/resolve.js';
import type {Context} from '../../../context/context.js';
import {CentavoError, usageError, type ErrorDetails} from '../../../common/errors.js';
import {valueOrThrow} from '../../../input/invalid-input.js';
import {isMachineFormat} from '../../../output/render.js';
import type {Rendering} from '../../../output/result.js';
import type {AutomationOptions} from '../../../webhooks/listen/automation.js';
import type {RunningListener, ListenOptions} from '../../../webhooks/listen/listener.js';
import type {ListenRecord, ListenSummary} from '../../../webhooks/listen/listen-record.js';
import {attemptFields, deliveryFields} from './deliveries.js';
import {omitRepeatedCauses, printRecord} from './delivery-lines.js';

const IDS = {
  delivery_id: schema.text,
  ...Object.fromEntries(['event_id', 'event_type', 'object_id'].map((name) => [name, schema.nullable(schema.text)])),
};

const COUNT_FIELDS = [
  ...['genuine', 'not_genuine', 'refused', 'filtered', 'unrouted', 'duplicates'],
  ...['events_accepted', 'events_not_accepted', 'forwarded', 'forward_failures', 'events_waiting'],
];

export const RECORD_HEAD = {v: {const: 1}, ts: schema.text};

export const recordKind = (type: string, ...[fields, optional]: Parameters<typeof schema.record>) =>
  schema.record({...RECORD_HEAD, type: schema.constant(type), ...fields}, optional);

/** Schema of a command that listens. @param more the command's own records */
export const listenRecords = (...more: readonly schema.Schema[]): schema.Schema => ({
  description: 'One line of output. New fields may be added, but none is removed within a major version.',
  ...schema.either(
    ...more,
    recordKind(
      'ready',
      {
        url: schema.text,
        public_url: schema.text,
        webhook_id: schema.nullable(schema.text),
        secret_source: schema.text,
        mode: schema.text,
        targets: schema.list(schema.text),
      },
      {secret: schema.text, secret_command: schema.nullable(schema.text)},
    ),
    recordKind('delivery', {delivery_id: schema.text, ...deliveryFields, unrouted: schema.boolean}),
    recordKind('forward', {...IDS, ...attemptFields}),
    recordKind('held', {...IDS, target: schema.text, held_by: schema.text, next_attempt_at: schema.integer}),
    recordKind('refused', {reason: schema.text, status: schema.nullable(schema.integer)}),
    recordKind('disconnected', {reason: schema.text, message: schema.text}),
    recordKind(
      'reconnected',
      {message: schema.text, public_url: schema.text, webhook_id: schema.nullable(schema.text)},
      {secret: schema.text},
    ),
    recordKind('notice', {message: schema.text}),
    recordKind('summary', {
      ...Object.fromEntries(COUNT_FIELDS.map((name) => [name, schema.integer])),
      webhook_left: schema.boolean,
    }),
  ),
});

export const appFlags = {
  'forward-to': Flags.string({
    summary: 'Address of your app: 3000, 3000/path, host:port/path or a URL.',
    helpValue: '<target>',
  }),
  name: Flags.string({
    summary: 'Listener name. A named listener keeps its path, port and secret. Default: the folder’s name.',
    helpValue: '<name>',
  }),
  'forward-remote': Flags.boolean({summary: 'Allow forwarding to another machine.'}),
};

/** @param others variables that the command writes besides the secret's */
export async function envFileOf(
  context: Context,
  given: string | undefined,
  verb: string,
  others: readonly string[] = [],
): Promise<AutomationOptions['envFile']> {
  if (given === undefined) return undefined;
  const {checkEnvFile, readEnvTarget} = await context.webhooks();
  const {file: path, variable} = valueOrThrow(readEnvTarget(given));
  const file = await context.fileToWrite(path, {flag: '--write-env', edits: true});
  if (!file.isStream) checkEnvFile(file, [...others, variable], verb);
  return {file, variable};
}

/** Returns the words after `--`. @throws usage error for words before it @param verb as typed */
export function programArguments(argv: readonly string[], given: readonly string[], verb: string): string[] {
  const at = argv.indexOf('--');
  const words = at < 0 ? [] : argv.slice(at + 1);
  if (given.length === words.length) return words;
  throw programError(given[0]!, verb);
}

export function rejectOtherFormats({jq, format, fields}: Rendering, verb: string): void {
  if (jq !== undefined || format === 'csv' || fields)
    throw usageError('invalid_flag', `${verb} prints lines or --json records. Other output formats are not supported.`);
}

interface ListenerOptions extends Pick<AutomationOptions, 'app' | 'environment'> {
  readonly verb: string;
  readonly rendering: Rendering;
  readonly settings: {
    /** Kinds of event to subscribe to. */
    readonly events: readonly string[];
    readonly listen: Pick<
      ListenOptions,
      'accepts' | 'forwarding' | 'port' | 'provider' | 'targets' | 'toleranceSeconds' | 'verify'
    >;
    readonly automation: Pick<AutomationOptions, 'count' | 'envFile'>;
  };
  readonly endpoint: ListenOptions['endpoint'];
  /** Webhook secret. Without a secret, a webhook is registered. */
  readonly secret?: string;
  readonly showsSecret: boolean;
  /** Sentence for an error after the webhook was removed. Defaults to “Nothing was changed.” */
  readonly unchanged?: string;
  readonly stopping: AbortController;
  readonly show?: (record: ListenRecord, print: () => void) => void;
}

/** Returns a listener that is not running yet. */
export async function openListener(context: Context, options: ListenerOptions) {
  const {app, environment, rendering, settings, endpoint, secret, showsSecret, stopping, unchanged, verb} = options;
  const {io, host, nowMilliseconds: now, random, sleep, token} = context;
  const library = await context.webhooks();
  const connection = await context.connection();
  const {mode} = connection;
  const history = secret === undefined ? await context.history() : undefined;
  const {project} = context.flags;
  const machine = isMachineFormat(rendering);
  const screen = io.stdoutIsTerminal && !machine ? host : undefined;
  const env = {
    // The app writes into a pipe, as if to a terminal.
    ...(screen && {PYTHONUNBUFFERED: '1', ...(io.paint('bold', '') !== '' && {FORCE_COLOR: '1'})}),
    ...host.env,
    // The program that the listener starts uses the same project.
    ...(project !== undefined && {CENTAVO_PROJECT: project}),
  };
  const stop = (): void => stopping.abort();
  const {envFile} = settings.automation;
  let listening: RunningListener | undefined;
  const notice = (message: string): void => report({type: 'notice', message});
  const automation = new library.Automation({
    ...settings.automation,
    app,
    environment,
    verb,
    host: {...host, env},
    stop,
    onRestart: () => listening?.forwarder.retryNow(),
    token,
    signal: context.signal,
    quiet: machine,
    screen,
    sharesTerminal: host.stdin.isTTY === true,
    onNotice: notice,
  });
  /** Stops the listener when output fails. */
  const trackPrinting = (printing: Promise<void>): void =>
    void printing.then(
      // Stop when the reader has closed the pipe.
      () => io.closed && stop(),
      (error: unknown) => automation.fail(error as CentavoError),
    );
  const show = options.show ?? ((_, print) => print());
  const omitRepeated = omitRepeatedCauses();
  let webhookLeft = false;
  const report = (record: ListenRecord): void => {
    if (record.type === 'summary') webhookLeft = record.webhook_left;
    const named =
      'secret_command' in record && record.secret_command !== null
        ? {...record, secret_command: inProject(context, record.secret_command)}
        : record;
    const shown = 'secret' in named && !showsSecret ? {...named, secret: undefined} : named;
    const printing = {machine, at: now(), explain: library.explainReason};
    show(shown, () => {
      // The terminal printed ^C on this line, so start a new line.
      if (record.type === 'summary' && context.signal.aborted && io.canAsk) io.note('');
      const print = () => printRecord(machine ? shown : omitRepeated(shown), io, printing);
      // Output of the app before its answer is read in this turn of the event loop, and goes first.
      trackPrinting(screen && record.type === 'forward' ? sleep(0).then(print) : print());
    });
    if ('webhook_id' in record && record.webhook_id) history?.addObject(record.webhook_id);
    automation.handle(record);
  };
  /** Runs until stopped. @param onListening called when events can arrive */
  const run = async (onListening: (listening: RunningListener) => unknown = () => {}): Promise<ListenSummary> => {
    try {
      listening = await library.startListener({
        ...settings.listen,
        // A device or a pipe has no old secret to overwrite.
        envFile: envFile && !envFile.file.isStream ? {...envFile.file, variable: envFile.variable} : undefined,
        endpoint,
        startsApp: app.length > 0,
        store: await context.deliveries(),
        report,
        now,
        random,
        sleep,
        token,
        signal: stopping.signal,
        owner: host.identity,
        isAlive: context.isAlive,
        allowsPruning: context.allowsPruning,
        profile: localName(connection),
        mode: mode === 'live' ? 'live' : 'test',
        signing: secret === undefined ? {registrar: await context.registrar(settings.events)} : {secret},
      });
      await onListening(listening);
      const summary = await listening.done;
      await automation.end();
      automation.assertSuccess();
      return summary;
    } catch (error) {
      throw withWebhookState(error, webhookLeft, unchanged);
    } finally {
      await automation.end();
    }
  };
  return {automation, notice, trackPrinting, run};
}

/** Adds to an error whether the webhook, the only change, still exists. */
function withWebhookState(error: unknown, webhookLeft: boolean, unchanged = 'Nothing was changed.'): unknown {
  if (!(error instanceof CentavoError) || error.details.applied !== undefined) return error;
  const state: ErrorDetails = webhookLeft
    ? {applied: 'yes', changed: 'Its webhook still exists. The next run reuses or removes it.'}
    : {applied: 'no', changed: unchanged};
  return new CentavoError(error.kind, error.message, {...error.details, ...state});
}
