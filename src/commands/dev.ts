// `centavo dev`: serves the sandbox, receives its events and runs your app. Ctrl-C ends all three.

import {basename} from 'node:path';
import {EVENT_TYPES} from '../api/events.js';
import {ACCOUNT_EXITS, BaseCommand, severalWords} from '../cli/base.js';
import {isDryRun} from '../cli/dry-run.js';
import {Flags} from '../cli/oclif.js';
import * as schema from '../cli/schema.js';
import {SANDBOX_PROFILE} from '../config/profiles.js';
import {resolveProfile} from '../config/resolve.js';
import {onAbort} from '../common/deadlines.js';
import {CentavoError, nextCommand, refusedError} from '../common/errors.js';
import {timeOfDay} from '../common/manila.js';
import {localChange} from '../guard/change.js';
import {guardChange, guardConnection} from '../guard/guard.js';
import {everyEvent} from '../input/event-filter.js';
import {valueOrThrow} from '../input/invalid-input.js';
import {readWholeNumber} from '../input/quantities.js';
import {shellQuote} from '../common/next-text.js';
import {multiLineText, toJson} from '../output/format.js';
import {isMachineFormat} from '../output/render.js';
import type {LogEntry} from '../sandbox/requests/request-log.js';
import type {ServedOptions} from '../sandbox/embedded.js';
import type {SandboxServer} from '../sandbox/serve/sandbox-server.js';
import type {ListenRecord} from '../webhooks/listen/listen-record.js';
import {entryFields, requestLine} from './sandbox/shared/request-line.js';
import {
  refuseTimeout,
  servedFields,
  startServing,
  DEFAULT_SANDBOX_PORT,
  shownProject,
} from './sandbox/shared/serving.js';
import {printNoteLines, recordHead, spellOutMark} from './webhooks/shared/delivery-lines.js';
import {endpointOf} from './webhooks/shared/endpoint.js';
import type {EndpointKey} from '../webhooks/store/endpoints.js';
import {
  appFlags,
  rejectOtherFormats,
  envFileOf,
  recordKind,
  listenRecords,
  openListener,
  programArguments,
  RECORD_HEAD,
} from './webhooks/shared/listening.js';

const VERB = 'dev';

type Ready = Extract<ListenRecord, {type: 'ready'}>;

/** JavaScript that points payrex-node to the sandbox. Does nothing if the variable is not set. */
const SDK_LINE =
  'for (const {httpClient} of Object.values(payrex)) if (httpClient) httpClient.baseUrl = process.env.PAYREX_BASE_URL ?? httpClient.baseUrl;';

export class DevCommand extends BaseCommand {
  static override summary = 'Run the sandbox, its events and your app together.';
  static override description =
    'Serves the sandbox, receives its events, and starts the program after --. The events are signed with the secret of `webhooks listen` in this folder. Requests, events and the responses of your app are printed as they arrive. Ctrl-C ends your app, then the listener and the server.\n\n' +
    'Your app gets the sandbox settings in its environment: PAYREX_BASE_URL, PAYREX_SECRET_KEY, PAYREX_PUBLIC_KEY and PAYREX_WEBHOOK_SECRET. Without a program, write them to an env file with --write-env. The official SDKs do not read PAYREX_BASE_URL: for payrex-node, add the line printed at the start.\n\n' +
    'No real account is ever used. With --json, each line is a record: `serving`, `request`, or a record of `webhooks listen`.';
  static override examples = [
    '<%= config.bin %> dev --forward-to 3000/webhooks -- npm run dev',
    '<%= config.bin %> dev --forward-to 3000/webhooks --write-env .env.local',
    '<%= config.bin %> dev --json',
  ];
  static override usage = 'dev [flags] [-- program...]';
  static override args = {
    program: severalWords({description: 'Program to start, such as your app.'}),
  };
  static override flags = {
    ...appFlags,
    port: Flags.string({
      summary: `Port of the sandbox. Defaults to ${DEFAULT_SANDBOX_PORT}, or a free one if that is in use.`,
      helpValue: '<number>',
    }),
    'write-env': Flags.string({
      summary: 'Write the app’s settings to an env file with mode 0600.',
      helpValue: '<file[:VAR]>',
    }),
  };
  static risk = 'writes' as const;
  static exits = [...ACCOUNT_EXITS, 'auth', 'condition_unmet'] as const;
  static output = () =>
    listenRecords(
      recordKind('serving', servedFields),
      schema.record({...RECORD_HEAD, ...entryFields, namespace: schema.nullable(schema.text)}),
    );

  async run(): Promise<void> {
    const {flags, args} = await this.read(DevCommand);
    const {context, rendering} = this;
    rejectOtherFormats(rendering, VERB);
    refuseTimeout(context, VERB);
    const app = programArguments(this.argv, args.program ?? [], VERB);
    const port =
      flags.port === undefined ? undefined : valueOrThrow(readWholeNumber(flags.port, {from: 0, to: 65_535}), '--port');
    await this.chooseSandbox();
    guardConnection(await context.connection());
    const library = await context.webhooks();
    const {'forward-to': to, 'forward-remote': allowRemote} = flags;
    const target = to === undefined ? undefined : valueOrThrow(library.readTarget(to, {allowRemote}));
    // Filled when the server has its port.
    const environment = {PAYREX_BASE_URL: '', PAYREX_SECRET_KEY: '', PAYREX_PUBLIC_KEY: ''};
    const envFile = await envFileOf(context, flags['write-env'], VERB, Object.keys(environment));
    const endpoint = {...(await endpointOf(context, flags.name)), keep: false};
    if (isDryRun(context, flags, 'serve the sandbox, and register a webhook while it runs')) return;
    await guardChange(context, flags, localChange(VERB, 'register a webhook while it runs'));

    const stopping = new AbortController();
    await this.noteOtherListeners(endpoint);
    const listener = await openListener(context, {
      verb: VERB,
      app,
      environment,
      rendering,
      settings: {
        events: EVENT_TYPES,
        listen: {
          accepts: everyEvent,
          toleranceSeconds: 300,
          verify: true,
          targets: target ? [{url: target, accepts: everyEvent}] : [],
          provider: valueOrThrow(library.readTunnel('none', {host: context.host})),
        },
        automation: {envFile},
      },
      endpoint,
      showsSecret: true,
      unchanged: 'centavo itself changed nothing.',
      stopping,
      show: (record, print) => {
        if (record.type !== 'ready' || isMachineFormat(rendering)) print();
        else listener.trackPrinting(this.printReady(record, server, environment, app));
      },
    });
    const {server, served} = await this.serve(port, {
      notice: listener.notice,
      onAnswer: (entry, namespace) => listener.trackPrinting(this.printRequest(entry, namespace)),
    });
    const {secret_key, public_key} = served;
    const keys = {PAYREX_SECRET_KEY: secret_key, PAYREX_PUBLIC_KEY: public_key};
    Object.assign(environment, {PAYREX_BASE_URL: served.url, ...keys});
    // The app ends first, because it may still need the listener and the server.
    const release = onAbort(context.signal, () => void listener.automation.end().finally(() => stopping.abort()));
    try {
      if (isMachineFormat(rendering)) {
        const serving = {...recordHead('serving', context.nowMilliseconds()), ...served};
        await context.io.out(`${toJson(serving)}\n`, {showing: [secret_key, public_key]});
      }
      await listener.run();
    } finally {
      release();
      await server.close();
    }
  }

  /** Selects the sandbox, whatever profile is configured. */
  private async chooseSandbox(): Promise<void> {
    const {flags, io, settingsInput} = this.context;
    if (flags.live)
      throw refusedError('wrong_mode', '--live needs a live key, and centavo dev works only with the sandbox.', {
        next: [nextCommand('To receive the events of the account', 'webhooks listen --live')],
        applied: 'no',
      });
    const {value} = resolveProfile(await settingsInput());
    if (value !== SANDBOX_PROFILE)
      io.note(`Profile ${value} is ignored: centavo dev works only with the sandbox.`, {warns: true});
    flags.profile = SANDBOX_PROFILE;
  }

  /** Names a running listener of another folder, which gets the same events. */
  private async noteOtherListeners(endpoint: EndpointKey): Promise<void> {
    const {context} = this;
    const {endpoints} = await context.deliveries();
    const other = endpoints.running(endpoint, context.isAlive).find((name) => name !== endpoint.name);
    if (other === undefined) return;
    const folder = basename(endpoint.name).toLowerCase();
    const name = (folder.match(/[a-z0-9][a-z0-9_-]*/g) ?? []).join('-').slice(0, 32);
    const command = ['centavo', 'dev', '--project', name || 'shop', ...this.argv].map(shellQuote).join(' ');
    context.io.note(`${other} also gets the events of this sandbox. For one of your own: ${command}`, {warns: true});
  }

  /** Serves on the given port; without a port, on the default port, or a free port if the default is taken. */
  private async serve(
    port: number | undefined,
    {notice, onAnswer}: {notice: (message: string) => void; onAnswer: ServedOptions['onAnswer']},
  ) {
    const {context, rendering} = this;
    const start = (at: number) => startServing(context, rendering, {port: at, onAnswer, onRefused: notice});
    try {
      return await start(port ?? DEFAULT_SANDBOX_PORT);
    } catch (error) {
      if (port !== undefined || !(error instanceof CentavoError) || error.code !== 'port_in_use') throw error;
      const url = `http://127.0.0.1:${DEFAULT_SANDBOX_PORT}`;
      const sandbox = await context.sandbox();
      notice(
        (await sandbox.servedStudio())?.startsWith(`${url}/`)
          ? `this sandbox is also served at ${url}: its requests are printed there, its events here`
          : `port ${DEFAULT_SANDBOX_PORT} is in use, so the sandbox uses a free port`,
      );
      return start(0);
    }
  }

  private printRequest(entry: LogEntry, namespace: string | null = null): Promise<void> {
    const {io, nowMilliseconds: now} = this.context;
    if (isMachineFormat(this.rendering))
      return io.out(`${toJson({...recordHead('request', now()), ...entry, namespace})}\n`);
    // This machine's time, as in the other lines.
    const start = spellOutMark(`${timeOfDay(now())} <-> ${namespace === null ? '' : `${namespace}  `}`, io);
    const line = multiLineText(requestLine(entry, start, io.sentenceWidth));
    // Only API errors have a code. An expired payment page is not an error of the app.
    const isRefused = (entry.status ?? 500) >= 500 || entry.code !== null;
    return io.out(`${isRefused ? io.paint('red', line) : line}\n`);
  }

  private printReady(
    {secret, targets}: Ready,
    {url, studioUrl}: SandboxServer,
    environment: Readonly<Record<string, string>>,
    app: readonly string[],
  ) {
    const {io} = this.context;
    const values = {...environment, PAYREX_WEBHOOK_SECRET: secret!};
    const lines = Object.entries(values).map(([name, value]) => `${name}=${value}\n`);
    const reader = app.length > 0 ? `${app[0]} has` : 'Your app needs';
    const address = `Sandbox ready at ${url}${shownProject(this.context.project())}\nStudio ${studioUrl}\n`;
    const printing = io.out(`${address}${reader} in its environment:\n${lines.join('')}`, {
      showing: Object.values(values),
    });
    printNoteLines(['For payrex-node to use that address, add this line:', SDK_LINE], io);
    const more = ['centavo', 'dev', '--forward-to', '3000/webhooks', ...this.argv].map(shellQuote).join(' ');
    io.note(targets.length > 0 ? `Events go to ${targets.join(', ')}` : `To forward events to your app: ${more}`);
    io.note('Press Ctrl-C to stop.');
    return printing;
  }
}
