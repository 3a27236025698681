// A question as both ways of asking take it, and how it ends without an answer.

export interface Question {
  readonly type: 'confirm' | 'input' | 'password' | 'select';
  /** Harmless and without secrets: it is written as it stands. */
  readonly message: string;
  readonly default?: boolean | string;
  readonly choices?: readonly {readonly name: string; readonly value: unknown}[];
  /** True when the text will do, or what is wrong with it in one line. */
  readonly validate?: (text: string) => string | true;
}

/** The keyboard: stdin at a terminal. */
export interface Keyboard extends NodeJS.ReadableStream {
  setRawMode(raw: boolean): unknown;
}

export interface Terminal {
  readonly input: Keyboard;
  /** Where questions stand: stderr. */
  readonly output: NodeJS.WritableStream;
  /** Takes a question back. */
  readonly signal: AbortSignal;
}

/** @throws Unanswered */
export type Ask = (question: Question, terminal: Terminal) => Promise<unknown>;

/** `ended`: nobody will answer any more. `stopped`: by Ctrl-C, or with the process. */
export class Unanswered extends Error {
  constructor(readonly why: 'ended' | 'stopped') {
    super(why);
  }
}

const INTERRUPT = '\u0003';

/**
 * What was typed before a question stood there is no answer to it: a second Enter while a key is being checked would
 * keep that key, and one at the end of a statement would send it.
 * @throws Unanswered
 */
export async function dropTypedAhead({input}: Terminal): Promise<void> {
  let dropped = '';
  const drop = (chunk: Buffer | string): void => void (dropped += String(chunk));
  // Raw, so that the terminal also gives what is no whole line yet.
  input.setRawMode(true);
  input.on('data', drop);
  input.resume();
  // It is read when the loop next looks; and once more, for what came meanwhile.
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
  input.pause();
  input.off('data', drop);
  input.setRawMode(false);
  if (dropped.includes(INTERRUPT)) throw new Unanswered('stopped');
}
