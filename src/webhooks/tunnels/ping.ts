// The proof that a public URL leads to the receiver: a signed ping with a nonce that only the receiver sends back.

import {setTimeout as pause} from 'node:timers/promises';
import {withDeadline} from '../../deadlines.js';
import {CentavoError} from '../../errors.js';
import {SIGNATURE_HEADER, type WebhookMode} from '../signature/signature.js';
import {tunnelError, tunnelInterrupted} from './tunnel.js';
import {nameOf} from '../../thrown.js';

/** Carries the nonce there in a request, and back in the answer to it. */
export const PING_HEADER = 'x-centavo-ping';
export const PING_EVENT_TYPE = 'centavo.ping';

/** Milliseconds. */
const DEFAULT_DEADLINE = 30_000;
const LONGEST_ATTEMPT = 10_000;
const BASE_DELAY = 250;
const LONGEST_DELAY = 2000;
/** Bytes of an answer that are looked at. */
const LOOKED_AT = 4096;

export interface ProvePathOptions {
  /** The whole public URL, as it is registered. */
  readonly url: string;
  /** Not to be guessed. */
  readonly nonce: string;
  /** The value of the signature header for these bytes, made anew for each attempt. */
  readonly sign: (body: Uint8Array) => string;
  /** The mode that `sign` signs for. */
  readonly mode: WebhookMode;
  /** Unix seconds. */
  readonly createdAt: number;
  readonly signal: AbortSignal;
  /** Milliseconds until it is given up: 30 000 when not given. */
  readonly deadline?: number;
  readonly fetch?: typeof globalThis.fetch;
  /** Sleeps this many milliseconds, or rejects when the signal aborts. */
  readonly sleep?: (milliseconds: number, signal: AbortSignal) => Promise<unknown>;
}

/** The body of a ping: an event about nothing. */
export const pingBody = ({
  nonce,
  mode,
  createdAt,
}: Pick<ProvePathOptions, 'createdAt' | 'mode' | 'nonce'>): Uint8Array =>
  Buffer.from(
    JSON.stringify({
      id: `evt_ping_${nonce}`,
      resource: 'event',
      type: PING_EVENT_TYPE,
      data: {id: nonce, resource: 'ping'},
      livemode: mode === 'live',
      pending_webhooks: 1,
      previous_attributes: {},
      created_at: createdAt,
      updated_at: createdAt,
    }),
  );

/** Why an attempt did not succeed; `final` when another one would not either. */
interface Fault {
  readonly why: string;
  readonly hint: string;
  readonly final?: boolean;
}

/**
 * Resolves with the number of attempts when the ping has come back.
 * @throws CentavoError kind `unavailable`, code `tunnel_unproven`; kind `interrupted` when aborted
 */
export async function provePath(options: ProvePathOptions): Promise<{attempts: number}> {
  const {signal, deadline = DEFAULT_DEADLINE} = options;
  return withDeadline(deadline, signal, (until) => attempts(options, until));
}

/** @param until aborts with the options' signal, and when the time is up */
async function attempts(options: ProvePathOptions, until: AbortSignal): Promise<{attempts: number}> {
  const {signal, sleep = wait} = options;
  let fault: Fault = {why: 'No attempt was made.', hint: ''};
  for (let count = 1; ; count++) {
    const found = await withDeadline(LONGEST_ATTEMPT, until, (limit) => attempt(options, limit));
    if (found === undefined) return {attempts: count};
    if (signal.aborted) throw tunnelInterrupted();
    // What the deadline cut short says less than what was seen before.
    if (!until.aborted || count === 1) fault = found;
    if (until.aborted || fault.final) throw unproven(options.url, fault);
    const pausing = sleep(Math.min(LONGEST_DELAY, BASE_DELAY * 2 ** (count - 1)), until);
    const over = await pausing.then(
      () => until.aborted,
      () => true,
    );
    if (signal.aborted) throw tunnelInterrupted();
    if (over) throw unproven(options.url, fault);
  }
}

const wait = (milliseconds: number, signal: AbortSignal): Promise<unknown> => pause(milliseconds, undefined, {signal});

/** The path holds the receiver's token: only the origin is shown. */
const unproven = (url: string, {why, hint, final}: Fault): CentavoError =>
  tunnelError('tunnel_unproven', `what is sent to ${new URL(url).origin} does not arrive here.`, {
    why,
    hint,
    retryable: !final,
  });

async function attempt(options: ProvePathOptions, limit: AbortSignal): Promise<Fault | undefined> {
  const {url, nonce, sign, fetch = globalThis.fetch} = options;
  const body = pingBody(options);
  try {
    const response = await fetch(url, {
      method: 'POST',
      body,
      redirect: 'manual',
      signal: limit,
      headers: {
        'content-type': 'application/json',
        [SIGNATURE_HEADER]: sign(body),
        [PING_HEADER]: nonce,
        // ngrok shows people a page of its own first; this says that nobody is looking.
        'ngrok-skip-browser-warning': '1',
      },
    });
    const text = await beginningOf(response);
    if (response.ok && response.headers.get(PING_HEADER) === nonce) return undefined;
    return answerFault(response, text);
  } catch (error) {
    return connectionFault(error);
  }
}

async function beginningOf({body}: Response): Promise<string> {
  if (body === null) return '';
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop lets go of the rest.
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= LOOKED_AT) break;
  }
  return Buffer.concat(chunks).subarray(0, LOOKED_AT).toString('utf8');
}

function answerFault({status, headers}: Response, text: string): Fault {
  const title = /<title[^>]*>\s*([^<]{1,80})/i.exec(text)?.[1]?.replaceAll(/\s+/g, ' ').trim();
  const page = title
    ? ` with a page titled “${title}”`
    : /<html|<!doctype/i.test(text)
      ? ' with a page for people'
      : '';
  if (status >= 300 && status < 400) {
    const to = /^https?:\/\/[^/?#@]+(?=[/?#]|$)/.exec(headers.get('location') ?? '')?.[0];
    return {
      why: `It answers ${status}, which sends the sender elsewhere${to ? `, to ${to}` : ''}; webhooks are not sent on.`,
      hint: 'Give the address that answers itself, with the right scheme: --public-url https://…',
      final: true,
    };
  }
  if (status < 300)
    return {
      why: `Another server answers there: ${status}${page}.`,
      hint: 'Check that --public-url leads to the tunnel’s end.',
    };
  return {
    why: `It answers ${status}${page}.`,
    hint: 'Check what stands at the public end, and that it passes every path on unchanged.',
  };
}

function connectionFault(error: unknown): Fault {
  const {name, cause} = error as {name?: string; cause?: {code?: string; message?: string}};
  if (name === 'TimeoutError' || name === 'AbortError')
    return {why: 'No answer came in time.', hint: 'Check that the public address leads to the tunnel’s end.'};
  const code = cause?.code ?? nameOf(cause ?? error);
  if (/ENOTFOUND|EAI_AGAIN/.test(code))
    return {why: `Its name is not known yet (${code}).`, hint: 'A new name can take a while to be known: try again.'};
  if (/CERT|TLS|SSL|SELF_SIGNED|ISSUER/i.test(code))
    return {why: `Its certificate is not accepted (${code}).`, hint: 'Check the certificate of the public address.'};
  return {
    why: `It cannot be reached (${code}).`,
    hint: 'Check that the port is open to the outside; sshd opens it to itself alone unless GatewayPorts says otherwise.',
  };
}
