// Implements --dry-run: describes a change, or prints its requests as HTTP, JSON or curl, without the key.

import {MAXIMUM_PAGE} from '../api/fields.js';
import type {OperationCall} from '../api/operation.js';
import {operationWithId} from '../api/registry.js';
import type {ApiRequest} from '../api/wire.js';
import type {Context} from '../context/context.js';
import {capitalized, CentavoError} from '../common/errors.js';
import type {PlannedChange} from '../guard/change.js';
import {formatDryRun} from '../guard/guard.js';
import {shellQuote} from '../common/next-text.js';
import {oneLineText, escapeControlsInJson} from '../output/format.js';
import {textMeasureFor} from '../output/text-width.js';
import {isMachineFormat, render} from '../output/render.js';
import type {Rendering} from '../output/result.js';
import type {GlobalFlags} from './global-flags.js';
import {resultOfRecords} from './records.js';
import * as schema from './schema.js';

export interface RequestForm {
  readonly rendering: Rendering;
  readonly curl: boolean;
}

export async function printCalls(
  context: Context,
  form: RequestForm,
  calls: readonly OperationCall[],
  change?: PlannedChange,
): Promise<void> {
  const builder = await context.requestBuilder();
  const requests = calls.map((call) => builder.requestOf(call));
  return printRequests(context, form, requests, change);
}

export const LIST_STATEMENTS = 'billing-statements:list';

export function printLists(context: Context, form: RequestForm, ids = [LIST_STATEMENTS]): Promise<void> {
  const calls = ids.map((id) => ({...operationWithId(id), ids: [], params: {limit: MAXIMUM_PAGE}}));
  return printCalls(context, form, calls);
}

/** @param change shown at a terminal instead of the requests, without -v and -o curl @param details lines below it */
export async function printRequests(
  context: Context,
  {rendering, curl}: RequestForm,
  requests: readonly ApiRequest[],
  change?: PlannedChange,
  details: readonly string[] = [],
): Promise<void> {
  const {io, flags} = context;
  const connection = await context.connection();
  const isForPeople =
    io.stdoutIsTerminal && !curl && !isMachineFormat(rendering) && (rendering.format ?? 'table') === 'table';
  if (change && isForPeople && !flags.verbose) {
    const lines = [await formatDryRun(connection, change), ...details.map(oneLineText)];
    const {wrap} = await textMeasureFor(lines);
    await io.out(`${lines.flatMap((line) => wrap(line, io.width)).join('\n')}\n`);
    io.note('Nothing was sent. To see the requests, add -v or -o curl.');
    return;
  }
  const {baseUrl, mode} = connection;
  // The URL of the embedded sandbox once it is served.
  const origin = mode === 'sandbox' ? (await context.sandbox()).baseUrl() : new URL(baseUrl!.value).origin;
  const shown = requests.map((each) => ({
    method: each.method,
    url: io.redact(`${origin}${each.path}${each.query ? `?${each.query}` : ''}`),
    headers: {...each.headers, authorization: 'Basic [redacted]'} as Record<string, string>,
    // Redact the body before it is quoted for a shell or put into JSON.
    body: each.body ? escapeControlsInJson(io.redact(Buffer.from(each.body).toString('utf8'))) : null,
  }));
  if (isMachineFormat(rendering)) {
    const document = {dry_run: true, requests: shown};
    await render(resultOfRecords(schema.request, shown, {document}), rendering, io);
  } else if (curl) await io.out(shown.map(curlLine).join(''));
  else await io.out(shown.map(httpText).join('\n'));
  io.note('Nothing was sent.');
}

/** True if --dry-run is set; then also prints the change. @param what in the imperative: `remove the profile shop` */
export function isDryRun({io}: Context, flags: GlobalFlags, what: string): boolean {
  if (flags['dry-run']) io.note(`Nothing was changed: this would ${what}.`);
  return flags['dry-run'] === true;
}

export async function confirmLocal(context: Context, flags: GlobalFlags, what: string): Promise<boolean> {
  if (isDryRun(context, flags, what)) return false;
  if (flags.yes || !context.io.canAsk) return true;
  if (await context.prompt.confirm(`${capitalized(what)}?`)) return true;
  throw new CentavoError('refused', 'not confirmed.');
}

type ShownRequest = schema.SchemaValue<typeof schema.request>;

function httpText({method, url, headers, body}: ShownRequest): string {
  const lines = [
    `${method} ${url}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(body === null ? [] : ['', body]),
  ];
  return `${lines.map(oneLineText).join('\n')}\n`;
}

function curlLine({method, url, headers, body}: ShownRequest): string {
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
