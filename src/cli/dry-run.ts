// --dry-run: shows requests as HTTP, JSON or curl commands without the key, or says what a local change would do.

import type {ApiRequest} from '../api/wire.js';
import type {Connection} from '../config/resolve.js';
import type {Context} from '../context.js';
import {capitalized, CentavoError} from '../ground/errors.js';
import {shellQuote} from '../input/shell-words.js';
import {clean, escapeControlsInJson} from '../output/format.js';
import {isMachine, render} from '../output/render.js';
import type {Rendering} from '../output/result.js';
import type {GlobalFlags} from './global-flags.js';
import {recordColumns, resultOfRecords} from './objects/results.js';

export interface RequestForm {
  readonly rendering: Rendering;
  /** As curl commands. */
  readonly curl: boolean;
}

export async function printRequests(
  context: Context,
  {baseUrl, mode}: Connection,
  {rendering, curl}: RequestForm,
  requests: readonly ApiRequest[],
): Promise<undefined> {
  const {io} = context;
  // The URL of the embedded sandbox once it is served.
  const origin = mode === 'sandbox' ? (await context.sandbox()).baseUrl() : new URL(baseUrl!.value).origin;
  const shown = requests.map((request) => ({
    method: request.method,
    url: io.redact(`${origin}${request.path}${request.query ? `?${request.query}` : ''}`),
    headers: {...request.headers, authorization: 'Basic [redacted]'} as Record<string, string>,
    // Redacted before it is quoted for a shell or put into JSON.
    body: request.body ? escapeControlsInJson(io.redact(Buffer.from(request.body).toString('utf8'))) : null,
  }));
  if (isMachine(rendering)) {
    const document = {dry_run: true, requests: shown};
    await render(resultOfRecords(shown, COLUMNS, {document}), rendering, io);
  } else if (curl) await io.out(shown.map(curlLine).join(''));
  else await io.out(shown.map(httpText).join('\n'));
  io.note('Nothing was sent.');
  return undefined;
}

/** For a local change: says what a dry run would do. @param what in the imperative: `remove the profile shop` */
export function isDryRun({io}: Context, flags: GlobalFlags, what: string): boolean {
  if (flags['dry-run']) io.note(`Nothing was changed: this would ${what}.`);
  return flags['dry-run'] === true;
}

/** The same with a confirmation. @returns false for a dry run @throws CentavoError kind `refused` if it is declined */
export async function confirmLocal(context: Context, flags: GlobalFlags, what: string): Promise<boolean> {
  if (isDryRun(context, flags, what)) return false;
  if (flags.yes || !context.io.canAsk) return true;
  if (await context.prompt.confirm(`${capitalized(what)}?`)) return true;
  throw new CentavoError('refused', 'not confirmed.', {applied: 'no'});
}

const COLUMNS = recordColumns(['method', 'url', 'headers', 'body']);

type Shown = {method: string; url: string; headers: Record<string, string>; body: string | null};

function httpText({method, url, headers, body}: Shown): string {
  const lines = [
    `${method} ${url}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(body === null ? [] : ['', body]),
  ];
  return `${lines.map(clean).join('\n')}\n`;
}

function curlLine({method, url, headers, body}: Shown): string {
  const type = headers['content-type'];
  const parts = [
    'curl',
    '-X',
    method,
    shellQuote(url),
    '-u',
    '"$CENTAVO_SECRET_KEY:"',
    ...(type ? ['-H', shellQuote(`Content-Type: ${type}`)] : []),
    ...(body === null ? [] : ['--data-raw', shellQuote(body)]),
  ];
  return `${parts.join(' ')}\n`;
}
