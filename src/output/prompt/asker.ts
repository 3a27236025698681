// Asks a series of questions at a terminal: a line of text, a choice, or a search. Drawn in place, or as plain lines.

import type {TextMeasure} from '../text-width.js';
import type {NamedChoice} from './matching.js';

export interface AskerNote {
  readonly tone: 'error' | 'info' | 'warning';
  readonly text: string;
  /** A text that Tab puts into the field. */
  readonly suggestion?: string;
}

export interface Space {
  /** Columns. */
  readonly width: number;
  readonly measure: TextMeasure;
}

/** Lines above a question. `rows` are scrolled if not all of them fit. */
export interface Summary {
  readonly before?: readonly string[];
  readonly rows?: readonly string[];
  readonly after?: readonly string[];
}

interface Question {
  readonly ask: string;
  /** The prompt of a plain terminal; default: `ask`. */
  readonly askPlainly?: string;
  /** Lines that only a plain terminal prints first. */
  readonly intro?: readonly string[];
  /** Lines that only a drawn terminal shows. */
  readonly summary?: (space: Space) => Summary;
  readonly note?: AskerNote;
  /** Help on the keys, separated by ` · `. */
  readonly keys: string;
}

interface TypedQuestion extends Question {
  /** The text in the field at first. */
  readonly text?: string;
  readonly onTyping?: (text: string) => void;
}

export interface LineQuestion extends TypedQuestion {
  /** The meaning of the typed text, or an example. */
  readonly preview?: (text: string) => string | undefined;
  /** True if a text of several lines is a list. Without it, pasted lines become one line. */
  readonly isList?: (text: string) => boolean;
}

export interface LetterChoice {
  /** A letter or digit. */
  readonly key: string;
  readonly name: string;
  /** Explains the choice. A drawn terminal shows it only for the marked choice. */
  readonly effect?: string;
}

export interface ChoiceQuestion extends Question {
  readonly choices: readonly LetterChoice[];
  /** Key of the choice that is marked at first; none by default. */
  readonly mark?: string;
  /** True if a choice may send something: an Enter that was typed ahead is dropped. */
  readonly isCareful?: boolean;
}

export interface SearchQuestion<T extends NamedChoice> extends TypedQuestion {
  readonly choices: () => readonly T[];
  /** The first row, for a text that is none of the choices. */
  readonly newChoice?: (text: string) => string;
  readonly status: (text: string, found: number) => string;
  /** Resolves when all choices are loaded. */
  readonly loaded?: Promise<void>;
  /** @returns a function that removes the listener */
  readonly onLoad?: (listener: () => void) => () => void;
}

/** The user went back. The text was half typed. */
export interface Back {
  readonly back: string;
}

/** `isSame`: the text is the one that was in the field at first, and was not edited. */
export type TypedText = {readonly typed: string; readonly isSame: boolean};

/** A pasted list, with the half-typed text around it. */
export type PastedAnswer = {readonly pasted: string; readonly before: string; readonly after: string};

/** Each question throws {@link PromptEnded} when the user leaves. */
export interface Asker {
  readonly line: (question: LineQuestion) => Promise<Back | PastedAnswer | TypedText>;
  /** @returns the key; undefined if the user went back */
  readonly choose: (question: ChoiceQuestion) => Promise<string | undefined>;
  readonly search: <T extends NamedChoice>(
    question: SearchQuestion<T>,
  ) => Promise<Back | TypedText | {readonly chosen: T}>;
  /** Prints the effect of an answer on a plain terminal. A drawn terminal shows it in the next summary. */
  readonly say: (...lines: readonly string[]) => void;
  readonly wait: <T>(text: string, work: Promise<T>) => Promise<T>;
  /** Drops what was typed since the last question. */
  readonly dropTypedAhead: () => void;
  readonly close: () => void;
}

/** `ended`: the input ended. `stopped`: by Ctrl-C or a signal. */
export class PromptEnded extends Error {
  constructor(readonly reason: 'ended' | 'stopped') {
    super(reason);
  }
}

export interface RawInput extends NodeJS.ReadableStream {
  setRawMode(raw: boolean): unknown;
}

export interface Terminal {
  readonly input: RawInput;
  readonly output: NodeJS.WritableStream & {readonly columns?: number; readonly rows?: number};
  readonly signal: AbortSignal;
}

/** Questions outside a series. Texts are written unchanged, so they must have no control characters and no secrets. */
export interface SingleAsker extends Asker {
  readonly confirm: (message: string, initial: boolean) => Promise<boolean>;
  /** The text is not shown. */
  readonly password: (message: string) => Promise<string>;
  /** @returns the index of the chosen name */
  readonly select: (message: string, names: readonly string[]) => Promise<number>;
}

/** A question takes this word for Escape. */
export const isBack = (text: string): boolean => /^back$/i.test(text.trim());
