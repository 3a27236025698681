// The guided flow as a state and events: pure, so that it is the same on a screen that is drawn and in plain lines.

import type {Found, Made, Payer} from '../../../../billing/unfinished.js';
import type {ItemInput} from '../../../../input/items.js';
import {EMPTY_FIELD, fieldOf, type Field, type KeyEvent} from '../../../../output/prompt/line-field.js';

export type GuidedStep = 'confirm' | 'customer' | 'due' | 'email' | 'items' | 'name' | 'review' | 'unfinished';

export interface Person {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  /** The address, by which it is found as well. */
  readonly detail: string;
}

/** Shown below a question. */
export interface Note {
  readonly tone: 'error' | 'info' | 'warning';
  readonly text: string;
}

export type Goal = 'draft' | 'finalize' | 'send';

/** What the flow wants done outside it. */
export type Want =
  | {readonly what: 'check'}
  | {readonly what: 'confirmed'; readonly yes: boolean}
  | {readonly what: 'forget'; readonly file: string}
  | {readonly what: 'goal'; readonly goal: Goal}
  | {readonly what: 'lookup'; readonly email: string}
  | {readonly what: 'quit'}
  | {readonly what: 'take'; readonly file: string};

export interface GuidedChoice {
  readonly key: string;
  readonly words: string;
}

export interface State {
  readonly step: GuidedStep;
  /** `New billing statement`, or what an existing one is edited for. */
  readonly title: string;
  /** Whether what is entered is kept on this machine until it is done. */
  readonly isKept: boolean;
  /** An open statement that is replaced: its customer stays, and a draft cannot replace it. */
  readonly isReplacing: boolean;
  /** For a draft that is edited: its customer stays. The lines say what saving would change. */
  readonly changes?: (items: readonly ItemInput[], dueAt: number | undefined) => readonly string[];
  /** The account, in the first line: `test account “shop”, no money moves`. */
  readonly account: string;
  readonly mode: 'live' | 'sandbox' | 'test';
  /** Unix seconds. */
  readonly now: number;
  readonly payer?: Payer;
  readonly name?: string;
  readonly items: readonly ItemInput[];
  readonly dueAt?: number;
  readonly field: Field;
  readonly note?: Note;
  /** The text for which a second Enter goes on in spite of a warning. */
  readonly warned?: string;
  /** An answer leads back to the review. */
  readonly returns: boolean;
  /** The line of the items that is being changed, from 0. */
  readonly editing?: number;
  /** Pasted lines that are no items yet, each with its number among the pasted ones. */
  readonly bad: readonly {readonly number: number; readonly text: string}[];
  /** The items as they were before each change. */
  readonly undo: readonly (readonly ItemInput[])[];
  /** Rows of items that are scrolled off the end. */
  readonly scrolled: number;
  readonly people: readonly Person[];
  readonly loading: boolean;
  /** Why the customers could not be read. */
  readonly unread?: string;
  /** Customers in the order in which they are shown for this text: later ones go below. */
  readonly shown: {readonly query: string; readonly people: readonly Person[]};
  /** The chosen row: the id of a customer, or the letter of a choice. */
  readonly mark: string;
  readonly found: readonly Found[];
  readonly made: Made;
  /** The question about what a live key will do. */
  readonly question?: string;
  /** What the flow waits for; meanwhile only Ctrl-C is heard. */
  readonly busy?: string;
  readonly want?: Want;
  /** New lines, for terminals on which nothing is drawn anew. */
  readonly said: readonly string[];
}

export type Event =
  | KeyEvent
  /** A whole line, on a terminal on which nothing is drawn. */
  | {readonly type: 'line'; readonly text: string}
  | {readonly type: 'people'; readonly people: readonly Person[]; readonly done: boolean; readonly unread?: string}
  | {readonly type: 'looked-up'; readonly email: string; readonly people: readonly Person[]; readonly failed?: string}
  | {readonly type: 'taken'; readonly found: Found}
  | {readonly type: 'forgotten'; readonly file: string}
  | {readonly type: 'problem'; readonly problem: Refusal}
  | {readonly type: 'question'; readonly question: string}
  | {readonly type: 'now'; readonly now: number};

/** Why a run stopped, and the step at which that can be corrected. */
export interface Refusal {
  readonly step: 'customer' | 'due' | 'email' | 'items' | 'name' | 'review';
  readonly text: string;
  /** The item that was refused, from 0. */
  readonly item?: number;
  readonly made: Made;
}

/** Adds lines that a plain terminal shows. */
export const saying = (state: State, ...lines: readonly string[]): State => ({
  ...state,
  said: [...state.said, ...lines],
});

export const noted = (state: State, tone: Note['tone'], text: string, more: Partial<State> = {}): State =>
  saying({...state, warned: undefined, ...more, note: {tone, text}}, text);

/** Asks for a second Enter on the same text. */
export const warning = (state: State, text: string): State =>
  noted(state, 'warning', text, {warned: state.field.text.trim()});

/** Another question, with this text in its field. */
export const going = (state: State, step: GuidedStep, text = '', more: Partial<State> = {}): State => ({
  ...state,
  step,
  field: text === '' ? EMPTY_FIELD : fieldOf(text),
  note: undefined,
  warned: undefined,
  editing: undefined,
  bad: [],
  scrolled: 0,
  mark: '',
  ...more,
});

/** The question after an answer: the next one, or the review where only one answer was to be changed. */
export const onward = (state: State, next: GuidedStep): State => (state.returns ? toReview(state) : going(state, next));

export const toReview = (state: State): State =>
  going(state, 'review', '', {returns: false, mark: state.made.sendInDoubt ? 'k' : state.changes ? 'd' : 's'});

export function moved(keys: readonly string[], mark: string, by: number): string {
  const at = Math.max(0, keys.indexOf(mark));
  return keys[Math.min(keys.length - 1, Math.max(0, at + by))] ?? mark;
}

/** Rows by which a key moves; undefined for another key. */
export const stepOf = (event: Event): number | undefined =>
  event.type !== 'key' ? undefined : {up: -1, down: 1, 'ctrl-p': -1, 'ctrl-n': 1, pageup: -8, pagedown: 8}[event.key];
