// From flags and connection to what listening needs: targets, tunnel, secrets, and what registers the endpoint.

import type {Context} from '../../context.js';
import type {Connection} from '../../config/resolve.js';
import {EVENT_TYPES} from '../../api/events.js';
import {CentavoError, usageError} from '../../errors.js';
import {quote} from '../../input/money.js';
import type {DeliveryStore} from '../../webhooks/store/deliveries.js';
import type {Listening} from '../../webhooks/listen/listener.js';
import type {ListenRecord} from '../../webhooks/listen/records.js';
import type {Registrar} from '../../webhooks/listen/registration.js';
import {checkEventPatterns, unknownEventNote} from '../../cli/references.js';
import type {ListenFlags} from './listen.js';
import {readSecret} from './secrets.js';

type Library = Awaited<ReturnType<Context['webhooks']>>;

export interface Prepared {
  readonly library: Library;
  readonly store: DeliveryStore;
  readonly targets: readonly URL[];
  readonly listen: (report: (record: ListenRecord) => void) => Promise<Listening>;
  readonly close: () => Promise<void>;
}

/** @throws CentavoError kind `usage`, before anything is begun */
export async function prepareListening(
  context: Context,
  connection: Connection,
  flags: ListenFlags,
  signal: AbortSignal,
): Promise<Prepared> {
  const library = await context.webhooks();
  const accepts = flags.events === undefined ? library.everyEvent : library.parseEventFilter(flags.events);
  const targets = targetsOf(library, flags);
  const route = ((flags.route ?? []) as string[]).map((text) => text.slice(0, Math.max(0, text.indexOf('='))));
  noteUnknown(context, flags, {
    events: flags.events,
    until: flags.until,
    ...(route.length > 0 && {route: route.join()}),
  });
  const headers = ((flags.header ?? []) as string[]).map(parseHeader);
  const port = numberOf(flags.port, '--port', 65_535);
  const toleranceSeconds = numberOf(flags.tolerance, '--tolerance', 3600);
  const provider = providerOf(library, context, connection, flags);
  const given = flags['secret-stdin'] ? [await readSecret(context)] : [];
  const {profile, baseUrl} = connection;
  const key = await context.key();
  const store = await context.deliveries();
  const sandbox = connection.mode === 'sandbox' ? await context.sandbox() : undefined;
  let delivery: {stop: () => Promise<void>} | undefined;

  return {
    library,
    store,
    targets: targets.map(({url}) => url),
    listen: async (report) => {
      const found = await provider.check();
      if (!found.ok)
        throw usageError(`the tunnel ${provider.name} cannot be opened.`, {code: 'tunnel_missing', why: found.hint});
      const listening = await library.listen({
        store,
        owner: context.host.identity,
        isAlive: library.aliveBy(context.host.kill),
        profile: profile.value,
        account: key ? library.accountName(profile.value, baseUrl!.value, key) : profile.value,
        mode: connection.mode === 'live' ? 'live' : 'test',
        port,
        toleranceSeconds,
        verify: flags['skip-verify'] !== true,
        secrets: given,
        registrar:
          given.length > 0 ? undefined : await registrarOf(context, subscribed(accepts, flags.events), sandbox),
        provider,
        exitOnDisconnect: flags['exit-on-disconnect'],
        accepts,
        targets: targets.map(({url}) => url.href),
        forwarder:
          targets.length === 0
            ? undefined
            : (onAttempt, onFailure) =>
                library.createForwarder({
                  targets,
                  store,
                  now: context.nowMilliseconds,
                  random: context.random,
                  headers,
                  tls: {insecure: flags['forward-insecure']},
                  ...(flags['no-retry'] && {retry: false as const}),
                  onAttempt,
                  onFailure,
                }),
        report,
        signal,
        now: context.nowMilliseconds,
        random: context.random,
        token: context.token,
        sleep: context.sleep,
      });
      // In the sandbox this process is also the one that sends.
      delivery = sandbox?.startDelivery({onRefused: (message) => report({type: 'notice', message})});
      return listening;
    },
    close: async () => {
      await delivery?.stop();
    },
  };
}

/** A misspelt name would never come; parsing says what is no pattern at all. */
function noteUnknown({io}: Context, flags: ListenFlags, given: Readonly<Record<string, unknown>>): void {
  const unknown = Object.entries(given).flatMap(([flag, text]) =>
    text === undefined || flags['unknown-events'] ? [] : checkEventPatterns(String(text), `--${flag}`),
  );
  for (const name of new Set(unknown)) io.note(unknownEventNote(name));
}

function targetsOf(library: Library, flags: ListenFlags) {
  const options = {allowRemote: flags['forward-remote']};
  const main = flags['forward-to'] === undefined ? undefined : library.parseTarget(flags['forward-to'], options);
  const routes = ((flags.route ?? []) as string[]).map((text) => library.parseRoute(text, {...options, base: main}));
  return library.firstMatchWins([...routes, ...(main ? [{url: main, accepts: library.everyEvent}] : [])]);
}

function parseHeader(text: string): [string, string] {
  const at = text.indexOf(':');
  if (at < 1)
    throw usageError(`--header ${quote(text)} is not a header.`, {
      code: 'invalid_header',
      hint: 'Write it like this: -H "X-Team: billing"',
    });
  return [text.slice(0, at).trim(), text.slice(at + 1).trim()];
}

function numberOf(value: unknown, name: string, largest: number): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d{1,6}$/.test(String(value)) && Number(value) <= largest) return Number(value);
  throw usageError(`${name} ${quote(String(value))} is not a whole number from 0 to ${largest}.`, {
    code: 'invalid_number',
  });
}

/** Without a tunnel the service must be on this machine, as the sandbox is. */
function providerOf(library: Library, context: Context, {mode, baseUrl}: Connection, flags: ListenFlags) {
  const publicUrl = flags['public-url'];
  const tunnel = flags.tunnel;
  const near = mode === 'sandbox' || library.isLoopbackHost(new URL(baseUrl!.value).hostname);
  if (!near && !flags['secret-stdin'] && publicUrl === undefined && (tunnel === undefined || tunnel === 'none')) {
    throw usageError('the service cannot reach this machine.', {
      code: 'no_tunnel',
      hint: 'Open a way with --tunnel cloudflared (or ngrok, ssh:user@host), or name one with --public-url https://…',
    });
  }
  return library.parseTunnel(tunnel ?? 'none', {
    publicUrl,
    urlPattern: flags['tunnel-url-pattern'],
    host: {environment: context.env, kill: context.host.kill, atExit: context.host.atExit},
  });
}

/** The service has no patterns: every known kind that is meant is named, and so is a name that is not known. */
function subscribed(accepts: (type: string) => boolean, patterns: unknown): string[] {
  const named =
    patterns === undefined
      ? []
      : String(patterns)
          .split(',')
          .map((name) => name.trim())
          .filter((name) => /^[a-z_.]+$/.test(name));
  const events = [...new Set([...EVENT_TYPES.filter((type) => accepts(type)), ...named])];
  if (events.length > 0) return events;
  throw usageError(`--events ${quote(String(patterns))} matches no known event.`, {
    code: 'invalid_event_pattern',
    hint: `Kinds: ${EVENT_TYPES.join(', ')}`,
  });
}

/** How often it is looked whether the webhook is still there, in milliseconds: a look at the sandbox costs no request. */
const SANDBOX_INTERVAL = 1000;
const SERVICE_INTERVAL = 30_000;

async function registrarOf(
  context: Context,
  events: readonly string[],
  sandbox: Awaited<ReturnType<Context['sandbox']>> | undefined,
): Promise<Registrar> {
  const client = await context.client();
  return {
    interval: sandbox ? SANDBOX_INTERVAL : SERVICE_INTERVAL,
    look: async (id) => {
      if (sandbox) return stateOf(sandbox.webhookStatus(id));
      try {
        return stateOf((await client.webhooks.get(id)).status ?? 'enabled');
      } catch (error) {
        if (error instanceof CentavoError && error.kind === 'not_found') return 'gone';
        throw error;
      }
    },
    enable: async (id) => {
      await client.webhooks.enable(id);
    },
    register: async (url, description) => {
      const {id, secret_key: secret} = await client.webhooks.create({url, description, events: [...events]});
      context.io.learn(secret, 'webhook secret');
      return {id, secret};
    },
    update: async (id, url) => {
      await client.webhooks.update(id, {url});
    },
    remove: async (id) => {
      await client.webhooks.delete(id).catch((error: unknown) => {
        if (!(error instanceof CentavoError) || error.kind !== 'not_found') throw error;
      });
    },
    find: async (description) => {
      const found: string[] = [];
      for await (const webhook of client.webhooks.list({limit: 100}))
        if (webhook.description === description) found.push(webhook.id);
      return found;
    },
  };
}

/** A state that is not known is one in which events may come. */
const stateOf = (status: string | undefined): 'disabled' | 'enabled' | 'gone' =>
  status === undefined ? 'gone' : status === 'disabled' ? 'disabled' : 'enabled';
