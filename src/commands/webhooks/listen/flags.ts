// Declares and reads the flags of `webhooks listen`.

import {EVENT_TYPES} from '../../../api/events.js';
import {Flags, type Interfaces, repeatable} from '../../../cli/oclif.js';
import {
  eventNameError,
  isKnownEvent,
  EVENT_KINDS,
  unknownEvent,
  unknownEventNote,
} from '../../../cli/operations/event-names.js';
import type {Connection} from '../../../config/resolve.js';
import type {Context} from '../../../context/context.js';
import {usageError} from '../../../common/errors.js';
import {everyEvent, matchesPattern, readEventFilter, type EventFilter} from '../../../input/event-filter.js';
import {InvalidInput, valueOrThrow} from '../../../input/invalid-input.js';
import {quote} from '../../../input/money.js';
import {nearestWord} from '../../../input/nearest.js';
import {readWholeNumber} from '../../../input/quantities.js';
import {appFlags, envFileOf} from '../shared/listening.js';

type Library = Awaited<ReturnType<Context['webhooks']>>;
type ListenFlags = Interfaces.InferredFlags<typeof listenFlags>;

export const listenFlags = {
  'forward-to': appFlags['forward-to'],
  route: Flags.string({
    summary: "Forward matching events to another address: 'payment_intent.*=3001/pay'. Repeatable.",
    helpValue: '<pattern=target>',
    ...repeatable,
  }),
  events: Flags.string({
    char: 'e',
    summary: "Events to listen for: 'refund.*,!refund.updated'.",
    helpValue: '<patterns>',
  }),
  'unknown-events': Flags.boolean({
    summary: 'Accept event names that look misspelled in --events and --route.',
  }),
  tunnel: Flags.string({
    summary: 'Tunnel to open: cloudflared, ngrok, command:program…, or none.',
    helpValue: '<tunnel>',
  }),
  'public-url': Flags.string({
    summary: 'Public URL of this machine. Required by --tunnel command:….',
    helpValue: '<url>',
  }),
  'secret-stdin': Flags.boolean({summary: 'Read the webhook secret from stdin, and do not register a webhook.'}),
  tolerance: Flags.string({
    summary: 'Maximum difference between signature and clock, in seconds.',
    helpValue: '<seconds>',
    default: '300',
  }),
  'skip-verify': Flags.boolean({summary: 'Also accept deliveries that are not genuine, and mark them.'}),
  'forward-remote': appFlags['forward-remote'],
  'forward-insecure': Flags.boolean({summary: 'Do not check the TLS certificate of your app.'}),
  'no-order': Flags.boolean({
    summary: 'Do not hold an object’s later events while an earlier one is being retried.',
  }),
  'no-retry': Flags.boolean({summary: 'Do not retry. Forward each event only once.'}),
  name: appFlags.name,
  keep: Flags.boolean({
    summary: 'Disable the webhook at the end instead of removing it. Its secret stays the same.',
    exclusive: ['secret-stdin'],
  }),
  port: Flags.string({
    summary: 'Port to receive events on. Defaults to the last port used, or a free one.',
    helpValue: '<number>',
  }),
  'print-secret': Flags.boolean({summary: 'Print the webhook secret.'}),
  'write-env': Flags.string({
    summary: 'Write the secret to an env file that only you can read.',
    helpValue: '<file[:VAR]>',
  }),
  count: Flags.string({summary: 'Exit after this many genuine events.', helpValue: '<number>'}),
  plain: Flags.boolean({summary: 'Print lines only, even at a terminal.'}),
};

export async function readListenFlags(flags: ListenFlags, library: Library, context: Context, connection: Connection) {
  const {events, count, port} = flags;
  const accepts = events === undefined ? everyEvent : valueOrThrow(readEventFilter(events));
  const options = {allowRemote: flags['forward-remote']};
  const main =
    flags['forward-to'] === undefined ? undefined : valueOrThrow(library.readTarget(flags['forward-to'], options));
  const routes = (flags.route ?? []).map((text) => valueOrThrow(library.readRoute(text, {...options, base: main})));
  noteUnknownEvents(context, flags);
  const envFile = await envFileOf(context, flags['write-env'], 'webhooks listen');
  return {
    /** Kinds of event to subscribe to. */
    events: flags['secret-stdin'] ? [] : subscriptionOf(accepts, events),
    listen: {
      accepts,
      targets: library.firstMatchWins([...routes, ...(main ? [{url: main, accepts: everyEvent}] : [])]),
      forwarding: {
        insecure: flags['forward-insecure'],
        ordered: !flags['no-order'],
        ...(flags['no-retry'] && {retry: false as const}),
      },
      port: port === undefined ? undefined : valueOrThrow(readWholeNumber(port, {from: 0, to: 65_535}), '--port'),
      toleranceSeconds: valueOrThrow(readWholeNumber(flags.tolerance, {from: 0, to: 3600}), '--tolerance'),
      verify: !flags['skip-verify'],
      provider: providerOf(library, context, connection, flags),
    },
    automation: {
      count: count === undefined ? undefined : valueOrThrow(readWholeNumber(count, {from: 1}), '--count'),
      envFile,
    },
  };
}

/** Refuses a misspelled event, which would never arrive. Prints a note about an unknown event. */
function noteUnknownEvents({io}: Context, {events, route = [], 'unknown-events': allowed}: ListenFlags): void {
  if (allowed) return;
  const patterns = route.map((text) => text.slice(0, text.indexOf('=')));
  const typed = {'--events': events, '--route': patterns.join() || undefined};
  const unknown = Object.entries(typed).flatMap(([flag, text]) =>
    text === undefined ? [] : checkEventPatterns(text, flag),
  );
  for (const name of new Set(unknown)) io.note(unknownEventNote(name));
}

/** Returns known events that match, and unknown names as typed: the API takes no patterns. */
function subscriptionOf(accepts: EventFilter, patterns = ''): string[] {
  const typed = patterns.split(',').map((name) => name.trim());
  const named = typed.filter((name) => /^[a-z_.]+$/.test(name));
  const events = [...new Set([...EVENT_TYPES.filter((type) => accepts(type)), ...named])];
  if (events.length > 0) return events;
  throw usageError('invalid_event_pattern', `--events ${quote(patterns)} matches no known event.`, {
    hint: `Events: ${EVENT_TYPES.join(', ')}`,
  });
}

/** @throws usage error if the API is on another machine and neither a tunnel nor a public URL is given */
function providerOf(library: Library, {host}: Context, {mode, baseUrl}: Connection, flags: ListenFlags) {
  const {tunnel = 'none', 'public-url': publicUrl} = flags;
  const near = mode === 'sandbox' || library.isLoopbackHost(new URL(baseUrl!.value).hostname);
  if (!near && !flags['secret-stdin'] && publicUrl === undefined && tunnel === 'none') {
    throw usageError('no_tunnel', 'the service cannot reach this machine.', {
      hint: 'Use --tunnel cloudflared or ngrok, or give a public URL: --public-url https://…',
    });
  }
  return valueOrThrow(library.readTunnel(tunnel, {publicUrl, host}));
}

/** Returns unknown names in patterns. @throws usage error if a pattern looks misspelled or matches nothing */
function checkEventPatterns(text: string, flag: string): string[] {
  const patterns = text.split(',').map((part) => part.trim().replace(/^!/, ''));
  for (const pattern of patterns) valueOrThrow(faultOfPattern(pattern), flag);
  return patterns.filter((pattern) => !pattern.includes('*') && !isKnownEvent(pattern));
}

function faultOfPattern(pattern: string): InvalidInput | undefined {
  if (!pattern.includes('*')) return eventNameError(pattern, () => 'If it is a new event, add --unknown-events.');
  if (EVENT_TYPES.some((type) => matchesPattern(pattern, type))) return undefined;
  const whole = [...new Set(EVENT_TYPES.map((type) => type.replace(/\..*/, '.*')))];
  const guess = whole.find((one) => one.startsWith(pattern.replace(/\..*/, ''))) ?? nearestWord(pattern, whole);
  return unknownEvent(
    `${quote(pattern)} matches no known event.`,
    guess ? `Did you mean ${guess}? If it is for new events, add --unknown-events.` : EVENT_KINDS,
  );
}
