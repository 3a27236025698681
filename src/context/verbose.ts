// Prints requests and responses for `--verbose`, with headers and bodies, and without secrets.

import type {AttemptReport} from '../client/call.js';
import {jsonOrText} from '../common/json.js';
import {oneLineText, toJson} from '../output/format.js';
import type {OutputStreams} from '../output/streams.js';

const MAX_BODY_LINES = 200;
const CREDENTIAL = /authorization|cookie/;

export function noteAttempt(io: OutputStreams, report: AttemptReport): void {
  const {attempt, status, failure, milliseconds, retryInMilliseconds, request, requestId, response} = report;
  const {method, path, query} = request;
  const details = [
    `${milliseconds} ms`,
    attempt > 1 && `attempt ${attempt}`,
    retryInMilliseconds !== undefined && `again in ${retryInMilliseconds} ms`,
    requestId !== undefined && `request ID ${requestId}`,
  ].filter(Boolean);
  const lines = [
    `${method} ${path}${query && `?${query}`}${io.spoken ? ':' : ' →'} ${status ?? failure} (${details.join(', ')})`,
    ...partLines('>', request.headers, request.body, io),
    ...(response ? partLines('<', response.headers, response.body, io) : []),
  ];
  for (const line of lines) io.note(oneLineText(line));
}

function partLines(
  sign: '<' | '>',
  headers: Readonly<Record<string, string>>,
  body: Uint8Array | undefined,
  io: OutputStreams,
): string[] {
  const fields = Object.entries(headers).map(
    ([name, value]) => `${name}: ${CREDENTIAL.test(name) ? '[redacted]' : value}`,
  );
  return [...fields, ...bodyLines(Buffer.from(body ?? []).toString('utf8'), io)].map((line) => `  ${sign} ${line}`);
}

/** Removes secrets before cutting a long body: a cut could leave part of a secret. */
function bodyLines(text: string, io: OutputStreams): string[] {
  if (text === '') return [];
  const redacted = io.hide(jsonOrText(text), {stream: 'stderr'});
  const lines = (typeof redacted === 'string' ? redacted : toJson(redacted, 2)).split('\n');
  const more = lines.length - MAX_BODY_LINES;
  return more > 0 ? [...lines.slice(0, MAX_BODY_LINES), `… and ${more} more lines`] : lines;
}
