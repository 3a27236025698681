// Parts that drawn and plain prompts share: a question, and its terminal.

export interface Question {
  readonly type: 'confirm' | 'input' | 'password' | 'search' | 'select';
  /** Written unchanged: clean and without secrets. */
  readonly message: string;
  readonly default?: boolean | string;
  readonly choices?: readonly {readonly name: string; readonly detail?: string; readonly value: unknown}[];
  /** True, or the fault in one line. */
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

/** `ended`: the input ended. `stopped`: by Ctrl-C, or with the process. */
export class PromptEnded extends Error {
  constructor(readonly reason: 'ended' | 'stopped') {
    super(reason);
  }
}
