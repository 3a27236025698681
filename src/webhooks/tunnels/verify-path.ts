// Proves that a public URL leads to the receiver: sends a signed ping whose nonce only the receiver returns.

import {lookup as lookUp} from 'node:dns';
import type {LookupFunction} from 'node:net';
import {withDeadline} from '../../common/deadlines.js';
import type {CentavoError} from '../../common/errors.js';
import {bodyText} from '../../http/body-text.js';
import {isAccepted, WebhookSender, type WebhookAttempt} from '../../http/webhook-sender.js';
import {backoffDelay} from '../../http/retry.js';
import {signPayload, SIGNATURE_HEADER, type WebhookMode} from '../signature/signature.js';
import {syntheticEvent} from '../signature/synthetic.js';
import {tunnelError, tunnelInterrupted} from './tunnel.js';

/** Header with the nonce, in the request and in the response. */
export const PING_HEADER = 'x-centavo-ping';
export const PING_EVENT_TYPE = 'centavo.ping';

/** Milliseconds. */
const DEFAULT_DEADLINE = 30_000;
const PING_TIMEOUT = 10_000;
const PING_SCHEDULE = {first: 250, maxDelay: 2000};

export interface VerifyPathOptions {
  readonly url: string;
  readonly nonce: string;
  readonly secret: string;
  readonly mode: WebhookMode;
  readonly now: () => number;
  readonly signal: AbortSignal;
  readonly deadline?: number;
  readonly lookup?: LookupFunction;
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<unknown>;
}

export function pingBody(nonce: string, mode: WebhookMode, now: number): Uint8Array {
  const data = {id: nonce, resource: 'ping'};
  return Buffer.from(JSON.stringify(syntheticEvent({type: PING_EVENT_TYPE, data, mode, now, token: `ping_${nonce}`})));
}

interface PingFault {
  readonly why: string;
  readonly hint: string;
  /** True if another attempt would fail too. */
  readonly final?: boolean;
}

export async function verifyTunnelPath(options: VerifyPathOptions): Promise<{attempts: number}> {
  const {signal, deadline = DEFAULT_DEADLINE, lookup = lookUp} = options;
  const sender = new WebhookSender({timeout: PING_TIMEOUT, lookup});
  try {
    return await withDeadline(deadline, signal, (until) => pingUntilReceived(sender, options, until));
  } finally {
    await sender.close();
  }
}

async function pingUntilReceived(sender: WebhookSender, options: VerifyPathOptions, until: AbortSignal) {
  const {url, nonce, secret, mode, now, signal, sleep} = options;
  const body = pingBody(nonce, mode, now());
  let fault: PingFault | undefined;
  for (let attempt = 1; ; attempt++) {
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'centavo',
      [SIGNATURE_HEADER]: signPayload({body, secret, timestamp: now(), mode}),
      [PING_HEADER]: nonce,
      // Without this header, ngrok may respond with its own page.
      'ngrok-skip-browser-warning': '1',
    };
    const exchange = await sender.post({url: new URL(url), headers, body, signal: until});
    if (isAccepted(exchange.status) && exchange.headers?.[PING_HEADER] === nonce) return {attempts: attempt};
    // An attempt cut short by the deadline explains less than the previous attempt.
    if (!fault || !until.aborted) fault = pingFaultOf(exchange);
    const shouldRetry =
      !until.aborted &&
      !fault.final &&
      (await sleep(backoffDelay(attempt, PING_SCHEDULE), until).then(
        () => !until.aborted,
        () => false,
      ));
    if (signal.aborted) throw tunnelInterrupted();
    if (!shouldRetry) throw unverifiedError(url, fault);
  }
}

/** Shows only the origin, since the path contains the receiver's token. */
const unverifiedError = (url: string, {why, hint, final}: PingFault): CentavoError =>
  tunnelError('tunnel_unproven', `a request to ${new URL(url).origin} does not reach this machine.`, {
    why,
    hint,
    retryable: !final,
  });

function pingFaultOf(exchange: WebhookAttempt): PingFault {
  const {status, headers, body} = exchange;
  if (status === undefined) return connectionFault(exchange);
  const {text} = bodyText(headers ?? {}, body ?? Buffer.of());
  const title = /<title[^>]*>\s*([^<]{1,80})/i.exec(text)?.[1]?.replaceAll(/\s+/g, ' ').trim();
  const page = title ? ` with a page titled “${title}”` : /<html|<!doctype/i.test(text) ? ' with a web page' : '';
  if (status >= 300 && status < 400) {
    const to = /^https?:\/\/[^/?#@]+(?=[/?#]|$)/.exec(headers?.location ?? '')?.[0];
    return {
      why: `It answers ${status}, a redirect${to ? ` to ${to}` : ''}. Webhooks do not follow redirects.`,
      hint: 'Use the final address, with the right scheme: --public-url https://…',
      final: true,
    };
  }
  if (status < 300)
    return {
      why: `Another server answers there: ${status}${page}.`,
      hint: 'Check that --public-url leads to this tunnel.',
    };
  return {
    why: `It answers ${status}${page}.`,
    hint: 'Check the server at the public address. It must forward every path unchanged.',
  };
}

function connectionFault({ending, code = '', error = ''}: WebhookAttempt): PingFault {
  if (ending !== 'unreachable')
    return {why: 'No response in time.', hint: 'Check that the public address leads to this tunnel.'};
  if (/ENOTFOUND|EAI_AGAIN/.test(code))
    return {
      why: `The host name does not exist yet (${code}).`,
      hint: 'A new name can take a while to work. Try again.',
    };
  if (/CERT|TLS|SSL|SELF_SIGNED|ISSUER|UNABLE_TO_/i.test(code))
    return {why: `Its certificate is not accepted (${code}).`, hint: 'Check the certificate of the public address.'};
  return {
    why: `It cannot be reached (${code || error}).`,
    hint: 'Check that the port is open to the outside. With sshd, set GatewayPorts to open it.',
  };
}
