// `centavo sandbox serve`: serves the sandbox over HTTP, for your app and any SDK.

import {ACCOUNT_EXITS, BaseCommand} from '../../cli/base.js';
import {isDryRun} from '../../cli/dry-run.js';
import * as schema from '../../cli/schema.js';
import {Flags} from '../../cli/oclif.js';
import {abortPromise} from '../../common/deadlines.js';
import {EVENT_SHAPES, FEES} from '../../common/sandbox-settings.js';
import {InvalidInput, valueOrThrow} from '../../input/invalid-input.js';
import {quote} from '../../input/money.js';
import {readWholeNumber} from '../../input/quantities.js';
import {toJson} from '../../output/format.js';
import type {OutputStreams} from '../../output/streams.js';
import {requestLine, requestTime} from './shared/request-line.js';
import {refuseTimeout, servedFields, shownProject, startServing, DEFAULT_SANDBOX_PORT} from './shared/serving.js';

export class ServeCommand extends BaseCommand {
  static override summary = 'Run the sandbox as a server, for your app and any SDK.';
  static override description =
    'The server uses the same sandbox as your commands, and sends events to your webhooks while it runs. Point your SDK to the URL, with the secret key shown. Requests can be JSON or form encoded. Payment links and checkout URLs open pages where you can pay, fail or cancel. The studio shows the sandbox in a browser; its address contains a secret. To open it: centavo sandbox open. Requests are printed as they arrive. To see them later: centavo sandbox logs.\n\n' +
    'Only this machine can reach it. For a container, use --host 0.0.0.0 --allow-host host.docker.internal, or the name that the container uses. This also exposes the server to your network, and needs a secret key of your own in CENTAVO_SANDBOX_KEY: sk_test_ and then at least 20 letters and digits. The server then accepts this key in place of the sandbox’s own.\n\n' +
    'Use --faults to test how your app handles failures. latency=200 delays each response by 200 milliseconds. All other faults take a rate from 0 to 1. For requests: rate-limit, unavailable, reset-before, reset-after and error-after. For the events of requests: duplicate-webhook, late-webhook and out-of-order-webhook.\n\n' +
    'Payments have fees as recorded in test mode. --fees withholding also takes 0.5 % tax, and --fees none takes nothing. --event-shape resource sends the object of an event in data.resource, as in older documentation; data is the default. The sandbox keeps both settings, also after a reset, until you give the flag again.';
  static override examples = [
    '<%= config.bin %> sandbox serve',
    '<%= config.bin %> sandbox serve --port 0 --json',
    '<%= config.bin %> sandbox serve --faults latency=200,rate-limit=0.1,reset-after=0.02 --seed 7',
    '<%= config.bin %> sandbox serve --faults duplicate-webhook=0.2,out-of-order-webhook=0.2',
    '<%= config.bin %> sandbox serve --fees withholding --event-shape resource',
  ];
  static override flags = {
    port: Flags.string({
      summary: 'Port to listen on. 0 picks a free port.',
      helpValue: '<number>',
      default: String(DEFAULT_SANDBOX_PORT),
    }),
    host: Flags.string({
      summary: 'Address to listen on, such as 0.0.0.0 for containers. Needs CENTAVO_SANDBOX_KEY.',
      helpValue: '<ip>',
      default: '127.0.0.1',
    }),
    'allow-host': Flags.string({
      summary: 'Another name to accept in the Host header, such as host.docker.internal. Repeatable.',
      helpValue: '<name>',
      multiple: true,
    }),
    faults: Flags.string({summary: 'Faults to simulate, and how often.', helpValue: '<name=rate,…>'}),
    fees: Flags.option({summary: 'Fees of payments. A new sandbox has standard.', options: FEES})(),
    'event-shape': Flags.option({
      summary: 'Where events have their object. A new sandbox has data.',
      options: EVENT_SHAPES,
    })(),
    images: Flags.boolean({summary: 'Let the browser load the images of items on checkout pages, over HTTPS.'}),
    seed: Flags.string({summary: 'Seed for the sequence of faults.', helpValue: '<number>', dependsOn: ['faults']}),
  };
  static risk = 'writes' as const;
  static exits = ACCOUNT_EXITS;
  static output = () => schema.record({type: schema.constant('ready'), ...servedFields});

  async run(): Promise<void> {
    const {flags} = await this.read(ServeCommand);
    const {context} = this;
    refuseTimeout(context, 'sandbox serve');
    const port = valueOrThrow(readWholeNumber(flags.port, {from: 0, to: 65_535}), '--port');
    const allowedHosts = (flags['allow-host'] ?? []).map((name) => valueOrThrow(readHostName(name), '--allow-host'));
    if (isDryRun(context, flags, `serve the sandbox on port ${port}`)) return;
    const {server, served} = await startServing(context, this.rendering, {
      port,
      host: flags.host,
      allowedHosts,
      faults: flags.faults,
      fees: flags.fees,
      eventShape: flags['event-shape'],
      seed:
        flags.seed === undefined
          ? undefined
          : valueOrThrow(readWholeNumber(flags.seed, {from: 0, to: 2 ** 31}), '--seed'),
      images: flags.images,
      onRefused: context.io.note,
      onAnswer: (entry, namespace = '') => {
        const start = [requestTime(entry.at, context.displayNow()), namespace, ''].filter(Boolean).join('  ');
        context.io.note(requestLine(entry, `${start}  `, context.io.sentenceWidth));
      },
    });
    const ready = {type: 'ready', ...served};
    // Sandbox keys work nowhere else, so they are shown.
    const showing = {showing: [ready.secret_key, ready.public_key]};
    const {format} = this.rendering;
    if (format === 'json' || format === 'jsonl') await context.io.out(`${toJson(ready)}\n`, showing);
    else {
      const keys = `  secret key  ${ready.secret_key}\n  public key  ${ready.public_key}\n`;
      await context.io.out(
        `Sandbox ready at ${ready.url}${shownProject(ready.project)}\n  studio      ${server.studioUrl}\n${keys}`,
        showing,
      );
      context.io.note('Press Ctrl-C to stop.');
    }
    if (server.isExposed) warnOf(server.port, allowedHosts, context.io.note);
    await abortPromise(context.signal).catch(() => {});
    await server.close();
  }
}

const readHostName = (text: string): InvalidInput | string =>
  /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:\d{1,5})?$/i.test(text)
    ? text
    : new InvalidInput(`${quote(text)} is not a host name.`, {hint: 'For example: --allow-host host.docker.internal'});

function warnOf(port: number, names: readonly string[], note: OutputStreams['note']): void {
  const open = `Anyone who can reach this machine on port ${port} can use this sandbox with its keys. They can also open its payment pages.`;
  note(open, {warns: true, style: 'yellow'});
  if (names.length === 0) note('To accept the name that a container uses: --allow-host host.docker.internal');
}
