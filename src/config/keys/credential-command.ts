// A program of the user's that prints the key: pass, op, vault.

import {CentavoError} from '../../errors.js';
import {withoutSecrets} from '../../secrets.js';
import {outputOf, type ProgramOptions} from '../program-output.js';

/** Milliseconds. */
const DEFAULT_TIMEOUT = 10_000;
/** Bytes; whatever prints more than this does not print a key. */
const LONGEST_OUTPUT = 64 * 1024;

export interface CredentialCommandOptions extends Pick<
  ProgramOptions,
  'atExit' | 'environment' | 'kill' | 'say' | 'signal'
> {
  /** Milliseconds; 10 s when not given. */
  readonly timeout?: number;
  /** Whether a person sits at stdin and stderr, whom the program may ask for a password. If not, its input is empty. */
  readonly terminal?: boolean;
}

/**
 * The one line that the program prints, without white space around it. Its output is in no error: it may be the key.
 * @param words the program and its arguments
 * @throws CentavoError kind `keychain`, or `interrupted`; then nothing that was started is left running
 */
export async function readFromCommand(
  words: readonly string[],
  {environment, terminal = false, timeout = DEFAULT_TIMEOUT, ...host}: CredentialCommandOptions,
): Promise<string> {
  const program = words[0] ?? '';
  const end = await outputOf(words, {
    ...host,
    environment: withoutSecrets(environment),
    terminal,
    timeout,
    longest: LONGEST_OUTPUT,
  });
  // Ctrl-C at the terminal reaches both, and the program may be the quicker one.
  if (end.how === 'interrupted' || host.signal.aborted || (end.how === 'ended' && end.signal === 'SIGINT'))
    throw new CentavoError('interrupted', `${program} was interrupted.`, {applied: 'no'});
  if (end.how === 'not_started')
    throw end.error === 'ENOENT'
      ? failed('missing', `there is no program ${JSON.stringify(program)}.`, 'It is to print the key.')
      : failed('missing', `${JSON.stringify(program)} could not be started.`, `The system says ${end.error}.`);
  if (end.how === 'late')
    throw failed('silent', `${program} printed no key within ${timeout / 1000} s.`, 'It was ended.');
  if (end.how === 'too_much')
    throw failed('failed', `${program} printed more than ${LONGEST_OUTPUT / 1024} KiB.`, 'A key is one line.');
  if (end.status !== 0) {
    const how = end.signal === null ? `ended with status ${end.status}` : `was ended by ${end.signal}`;
    throw failed('failed', `${program} ${how}.`, 'What it printed is not used.');
  }
  return onlyLine(program, end.output.toString('utf8').trim());
}

function onlyLine(program: string, text: string): string {
  if (text === '') throw failed('empty', `${program} printed nothing.`, 'It ended well, but gave no key.');
  const lines = text.split(/\r\n|[\n\r]/).length;
  if (lines === 1) return text;
  throw failed('failed', `${program} printed ${lines} lines.`, 'A key is one line.');
}

const failed = (code: 'empty' | 'failed' | 'missing' | 'silent', message: string, why: string): CentavoError =>
  new CentavoError('keychain', message, {
    code: `credential_command_${code}`,
    why,
    hint: 'The credential command must print the key on one line, and nothing else: try it by hand.',
    applied: 'no',
  });
