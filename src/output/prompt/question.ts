// Types shared by drawn and plain prompts: a question, and its terminal.

export interface Question {
  readonly type: 'confirm' | 'input' | 'password' | 'search' | 'select';
  /** Written unchanged, so it must have no control characters and no secrets. */
  readonly message: string;
  readonly default?: boolean | string;
  readonly choices?: readonly {readonly name: string; readonly detail?: string; readonly value: unknown}[];
  /** Returns true, or the fault in one line. */
  readonly validate?: (text: string) => string | true;
}

export interface RawInput extends NodeJS.ReadableStream {
  setRawMode(raw: boolean): unknown;
}

export interface Terminal {
  readonly input: RawInput;
  readonly output: NodeJS.WritableStream;
  readonly signal: AbortSignal;
}

export type AskOnTerminal = (question: Question, terminal: Terminal) => Promise<unknown>;

/** `ended`: the input ended. `stopped`: by Ctrl-C or a signal. */
export class PromptEnded extends Error {
  constructor(readonly reason: 'ended' | 'stopped') {
    super(reason);
  }
}
