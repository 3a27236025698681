// A program of the user's that prints the key, such as pass, op or vault.

import {CentavoError} from '../../errors.js';
import {askProgram} from '../../programs/ask.js';
import {endWords, type ProgramHost} from '../../programs/program.js';
import {codeOf} from '../../system-errors.js';

/** Milliseconds. */
const DEFAULT_TIMEOUT = 10_000;
/** Bytes. A program that prints more does not print a key. */
const LONGEST_OUTPUT = 64 * 1024;

/** Characters of a complaint that are shown. */
const LONGEST_COMPLAINT = 1000;

export interface CredentialCommandOptions {
  readonly host: ProgramHost;
  /** Interrupts it. */
  readonly signal: AbortSignal;
  /** Takes each line that it prints on stderr; without, they are dropped. At a terminal it writes there itself. */
  readonly say?: (line: string) => void;
  /** Milliseconds; 10 s when not given. */
  readonly timeout?: number;
  /** Whether the program may ask a person at the terminal for a password. If not, its input is empty. */
  readonly terminal?: boolean;
}

/**
 * The one line that the program prints, without white space around it. Its output is in no error: it may be the key.
 * @param words the program and its arguments
 * @throws CentavoError kind `keychain`, or `interrupted`; then nothing that was started is left running
 */
export async function readFromCommand(
  words: readonly string[],
  {host, signal, say, timeout = DEFAULT_TIMEOUT, terminal = false}: CredentialCommandOptions,
): Promise<string> {
  const program = words[0] ?? '';
  const answer = await askProgram(words, {
    host,
    signal,
    timeout,
    longest: LONGEST_OUTPUT,
    sharesTerminal: terminal,
    // An agent that it starts must keep running for the next call.
    leavesRest: true,
    onStderr: say && ((line) => say(line.slice(0, LONGEST_COMPLAINT))),
  });
  // Ctrl-C reaches both processes, and the program may end first.
  if (answer.how === 'interrupted' || signal.aborted || (answer.how === 'ended' && answer.signal === 'SIGINT'))
    throw new CentavoError('interrupted', `${program} was interrupted.`, {applied: 'no'});
  if (answer.how === 'late')
    throw failed(
      'credential_command_silent',
      `${program} printed no key within ${timeout / 1000} s.`,
      'It was stopped.',
    );
  if (answer.how !== 'ended')
    throw failed(
      'credential_command_failed',
      `${program} printed more than ${LONGEST_OUTPUT / 1024} KiB.`,
      'A key is a single line.',
    );
  if (answer.notStarted !== undefined) throw notStarted(program, codeOf(answer.notStarted));
  if (answer.status !== 0)
    throw failed('credential_command_failed', `${program} ${endWords(answer)}.`, 'Its output is not used.');
  return onlyLine(program, answer.output.toString('utf8').trim());
}

const notStarted = (program: string, code = 'that it cannot be'): CentavoError =>
  code === 'ENOENT'
    ? failed(
        'credential_command_missing',
        `there is no program ${JSON.stringify(program)}.`,
        'The credential command must be a program that prints the key.',
      )
    : failed(
        'credential_command_missing',
        `${JSON.stringify(program)} could not be started.`,
        `The system reported ${code}.`,
      );

function onlyLine(program: string, text: string): string {
  if (text === '')
    throw failed(
      'credential_command_empty',
      `${program} printed nothing.`,
      'It ended without an error, but did not print a key.',
    );
  const lines = text.split(/\r\n|[\n\r]/).length;
  if (lines === 1) return text;
  throw failed('credential_command_failed', `${program} printed ${lines} lines.`, 'A key is a single line.');
}

const failed = (code: `credential_command_${string}`, message: string, why: string): CentavoError =>
  new CentavoError('keychain', message, {
    code,
    why,
    hint: 'The credential command must print only the key, on one line. Run it yourself to check.',
    applied: 'no',
  });
