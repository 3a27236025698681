// Reads the key from a program that prints it, such as pass, op or vault.

import {CentavoError} from '../../common/errors.js';
import {codeOf} from '../../common/system-errors.js';
import {captureOutput} from '../../processes/capture-output.js';
import {describeExit, type ProcessHost} from '../../processes/child-program.js';

/** Milliseconds. */
const COMMAND_TIMEOUT = 10_000;
/** Bytes. */
const MAX_KEY_OUTPUT = 64 * 1024;

const MAX_STDERR_LINE = 1000;

export interface CredentialCommandOptions {
  readonly host: ProcessHost;
  readonly signal: AbortSignal;
  /** Receives each line of stderr, unless the program uses the terminal. Without this callback, lines are dropped. */
  readonly onStderr?: (line: string) => void;
  readonly timeout?: number;
  /** True if the program may ask for a password at the terminal. Otherwise its stdin is empty. */
  readonly terminal?: boolean;
}

/**
 * Returns the single line that the program prints, trimmed. No error shows the output, which may be the key.
 * Stops a program that exceeds the time limit or prints too much.
 */
export async function readFromCommand(
  words: readonly string[],
  {host, signal, onStderr, timeout = COMMAND_TIMEOUT, terminal = false}: CredentialCommandOptions,
): Promise<string> {
  const program = words[0] ?? '';
  const answer = await captureOutput(words, {
    host,
    signal,
    timeout,
    maxBytes: MAX_KEY_OUTPUT,
    sharesTerminal: terminal,
    // An agent that the program started, such as gpg-agent, must keep running for the next call.
    leavesDescendants: true,
    onStderr: onStderr && ((line) => onStderr(line.slice(0, MAX_STDERR_LINE))),
  });
  // Ctrl-C reaches both processes, and the program may end before centavo sees the signal.
  if (answer.how === 'interrupted' || signal.aborted || (answer.how === 'ended' && answer.signal === 'SIGINT'))
    throw new CentavoError('interrupted', `${program} was interrupted.`, {applied: 'no'});
  if (answer.how === 'late')
    throw commandFailed(
      'credential_command_silent',
      `${program} printed no key within ${timeout / 1000} s.`,
      'It was stopped.',
    );
  if (answer.how !== 'ended')
    throw commandFailed(
      'credential_command_failed',
      `${program} printed more than ${MAX_KEY_OUTPUT / 1024} KiB.`,
      'A key is a single line.',
    );
  if (answer.notStarted !== undefined) throw notStarted(program, codeOf(answer.notStarted));
  if (answer.status !== 0)
    throw commandFailed('credential_command_failed', `${program} ${describeExit(answer)}.`, 'Its output is not used.');
  const text = answer.output.toString('utf8').trim();
  if (text === '')
    throw commandFailed(
      'credential_command_empty',
      `${program} printed nothing.`,
      'It ended without an error, but did not print a key.',
    );
  const lines = text.split(/\r\n|[\n\r]/).length;
  if (lines === 1) return text;
  throw commandFailed('credential_command_failed', `${program} printed ${lines} lines.`, 'A key is a single line.');
}

function notStarted(program: string, code = 'that it cannot be'): CentavoError {
  const [message, why] =
    code === 'ENOENT'
      ? [
          `program ${JSON.stringify(program)} not found.`,
          'The credential command must be a program that prints the key.',
        ]
      : [`${JSON.stringify(program)} could not be started.`, `The system reported ${code}.`];
  return commandFailed('credential_command_missing', message, why);
}

const commandFailed = (code: `credential_command_${string}`, message: string, why: string): CentavoError =>
  new CentavoError('keychain', message, {
    code,
    why,
    hint: 'The credential command must print only the key, on one line. Run it yourself to check.',
  });
