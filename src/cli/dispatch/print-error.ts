// Prints errors: a few lines of text for a user, or one line of JSON for a script.

import {boundedText} from '../../common/bounded-text.js';
import {placeInFile, type Applied, type CentavoError} from '../../common/errors.js';
import {framesOf} from '../../common/system-errors.js';
import {nextText, pasteableWords} from '../../common/next-text.js';
import {oneLineText, toJson, wrapText} from '../../output/format.js';
import type {OutputStreams} from '../../output/streams.js';

/** Text for `applied`, which a failed read does not have. */
const CHANGED: Record<Applied, string> = {
  no: 'Nothing was changed.',
  unknown: 'centavo could not confirm whether anything was changed.',
  yes: 'The change was made.',
};

/** Maximum characters of a message or a reason, which may name texts of the service. */
const MAX_REASON = 800;

/** Adds a full stop, which some API messages lack. */
const withFullStop = (words: string): string => (/[.!?:…]$/.test(words) ? words : `${words}.`);

/** Returns the problem, the reason, and the next command, which is not wrapped, so that users can copy it. */
export function errorLines(error: CentavoError, width = Infinity): string[] {
  const {why, apiErrors, requestId} = error.details;
  const hint = nextText(error.details);
  const reasons =
    why ??
    apiErrors
      ?.map(({detail, parameter}) => (parameter && !detail.includes(parameter) ? `${parameter}: ${detail}` : detail))
      .join(' ');
  const changed = changedText(error);
  const request = requestId !== undefined && error.kind !== 'not_found' && `Request ID: ${requestId}.`;
  const second = [reasons && withFullStop(boundedText(reasons, MAX_REASON)), changed, request]
    .filter(Boolean)
    .join(' ');
  const {folded = []} = error.details;
  const listed = folded.flatMap((fault) => {
    const {problem, fix} = fault;
    const isCommand = fix.includes(': centavo ');
    const words = wrapText(`${placeInFile(fault)}: ${problem}${isCommand ? '' : ` ${fix}`}`.trimEnd(), width, 2, 2);
    return isCommand ? [...words, `    ${fix}`] : words;
  });
  return [
    ...wrapText(`Error: ${boundedText(error.message, MAX_REASON)}`, width, 0),
    ...listed,
    ...(second ? wrapText(second, width, 2) : []),
    ...(hint ? [`  ${hint}`] : []),
  ];
}

function changedText({kind, details: {applied, changed}}: CentavoError): string | undefined {
  if (changed !== undefined) return changed;
  return kind === 'usage' && applied === 'no' ? 'Nothing was sent.' : applied && CHANGED[applied];
}

/** JSON omits what is undefined. */
export function errorObject(error: CentavoError): object {
  const {code, exitCode, message, details} = error;
  const {next = [], why, status, results, faults, before} = details;
  return {
    error: {
      code,
      exit_code: exitCode,
      message: [boundedText(message, MAX_REASON), why && withFullStop(boundedText(why, MAX_REASON)), details.changed]
        .filter(Boolean)
        .join(' '),
      hint: nextText(details) ?? null,
      next: next.map(({args}) => pasteableWords(args)),
      needs_person: details.needsPerson ?? false,
      agent: details.agent,
      ids: details.ids ?? [],
      job: details.job ?? null,
      candidates: details.candidates?.map(({id, name}) => ({id, name: name && boundedText(name)})) ?? [],
      retryable: details.retryable ?? false,
      applied: details.applied ?? 'no',
      request: details.request ?? null,
      request_id: details.requestId ?? null,
      status,
      retry_after: details.retryAfter,
      api_errors: details.apiErrors ?? [],
      ...details.standing,
      before,
      columns: details.columns,
      hand_over: details.handOver,
      faults,
      results: results?.map(({applied = 'no', apiErrors, standing, ...each}) => ({
        ...each,
        applied,
        api_errors: apiErrors,
        ...standing,
      })),
    },
  };
}

/** Prints an error, even with `--quiet`. @param verbose true to add the stack of an internal error */
export function printError(
  error: CentavoError,
  io: OutputStreams,
  {json, verbose}: {json: boolean; verbose: boolean},
): void {
  const {quiet} = io.settings;
  io.settings.quiet = false;
  if (json) io.note(toJson(errorObject(error)), {whole: true});
  else for (const line of errorLines(error, io.sentenceWidth)) io.note(oneLineText(line));
  const {cause} = error;
  if (verbose && error.kind === 'internal')
    for (const line of framesOf(cause)) io.note(oneLineText(line), {whole: true});
  io.settings.quiet = quiet;
}
