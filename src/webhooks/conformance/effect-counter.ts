// Counts how often the app has acted, by running the user's program without a shell and without centavo's secrets.

import {CentavoError, usageError} from '../../common/errors.js';
import {systemReason} from '../../common/system-errors.js';
import {InvalidInput} from '../../input/invalid-input.js';
import {splitWords} from '../../input/shell-quoting.js';
import {captureOutput, type CapturedOutput, type CaptureOptions} from '../../processes/capture-output.js';
import {describeExit} from '../../processes/child-program.js';

export type CountEffects = () => Promise<number>;

export interface EffectsOptions extends Pick<CaptureOptions, 'host' | 'signal' | 'timeout'> {
  readonly words: readonly string[];
}

const MAX_OUTPUT_BYTES = 64 * 1024;

/** Refuses commands that need a shell. */
export function readStateCommand(text: string): InvalidInput | string[] {
  const fail = (why: string): InvalidInput =>
    new InvalidInput(`--state-command ${JSON.stringify(text)} cannot be run.`, {
      code: 'invalid_command',
      why,
      hint: `For example: --state-command "sqlite3 app.db 'select count(*) from payments'"`,
    });
  // Outside quotes, these characters would need a shell.
  if (/[|&;<>`]|\$\(/.test(text.replace(/'[^']*'|"[^"]*"/g, '')))
    return fail('It runs without a shell. If you need pipes, use a script.');
  const words = splitWords(text);
  if (words instanceof InvalidInput) return fail('A quote is not closed.');
  if (words.length === 0) return fail('It is empty.');
  return words;
}

export const effectCounter =
  ({words, ...options}: EffectsOptions): CountEffects =>
  async () => {
    let lastError = '';
    const result = await captureOutput(words, {
      ...options,
      maxBytes: MAX_OUTPUT_BYTES,
      onStderr: (line) => (lastError = line.trim() || lastError),
    });
    if (result.how === 'interrupted') throw new CentavoError('interrupted', `${words[0]} was interrupted.`);
    const fault = faultOfCount(result, lastError, options.timeout);
    if (result.how === 'ended' && fault === undefined) return Number(result.output.toString('utf8'));
    throw usageError('invalid_state', `the state command ${JSON.stringify(words[0])} did not print a whole number.`, {
      why: fault,
      hint: 'It must print how many events your app has acted on, and exit with 0.',
      applied: undefined,
    });
  };

function faultOfCount(result: CapturedOutput, lastError: string, timeout: number): string | undefined {
  if (result.how === 'late') return `It did not finish within ${timeout / 1000} s.`;
  if (result.how !== 'ended') return `It printed more than ${MAX_OUTPUT_BYTES / 1024} KiB.`;
  if (result.notStarted !== undefined) return `It could not be run. ${systemReason(result.notStarted)}`;
  if (result.status !== 0) return `It ${describeExit(result)}${lastError ? `: ${lastError}` : ''}.`;
  const text = result.output.toString('utf8').trim();
  return /^\d{1,15}$/.test(text) ? undefined : `It printed ${JSON.stringify(text.slice(0, 40))}.`;
}
