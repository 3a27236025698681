// The state and events of the guided flow. Pure, so that drawn screens and plain lines share them.

import type {UnfinishedStatement, CreatedObjects, UnfinishedContent} from '../unfinished-store.js';
import type {StatementItem} from '../../../input/items.js';
import {editLine, lineFieldOf, type LineField, type KeyEvent} from '../../../output/prompt/line-field.js';
import {rowsMoved} from '../../../output/prompt/list.js';

export type GuidedStep =
  'confirm' | 'customer' | 'description' | 'due' | 'email' | 'items' | 'name' | 'review' | 'unfinished';

export interface GuidedPayer {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  /** The email address, which the search also matches. */
  readonly detail: string;
}

export interface GuidedNote {
  readonly tone: 'error' | 'info' | 'warning';
  readonly text: string;
}

export type Goal = 'draft' | 'finalize' | 'send';

export type GuidedEffect =
  | {readonly type: 'check'}
  | {readonly type: 'confirmed'; readonly yes: boolean}
  | {readonly type: 'forget'; readonly file: string}
  | {readonly type: 'goal'; readonly goal: Goal}
  | {readonly type: 'lookup'; readonly email: string}
  | {readonly type: 'quit'}
  | {readonly type: 'resume'; readonly file: string};

export interface GuidedState extends Pick<
  UnfinishedContent,
  'description' | 'dueAt' | 'items' | 'made' | 'name' | 'payer'
> {
  readonly step: GuidedStep;
  /** `New billing statement`, `Edit JEEPNEY-0002` or `Replace JEEPNEY-0002`. */
  readonly title: string;
  /** True if the entered values are saved on this machine. */
  readonly isSaved: boolean;
  /** True if the statement replaces an open one: the customer is fixed, and a draft is not enough. */
  readonly isReplacing: boolean;
  /** For an edited draft, whose customer is fixed: returns lines that describe the changes that saving would make. */
  readonly changes?: (wanted: Pick<GuidedState, 'dueAt' | 'items'>) => readonly string[];
  /** The account, in the first line: `test account “shop”, no money moves`. */
  readonly account: string;
  readonly mode: 'live' | 'sandbox' | 'test';
  /** Unix seconds. */
  readonly now: number;
  /** True if a description can be entered, as for a new statement. */
  readonly isDescribed: boolean;
  readonly field: LineField;
  /** Text typed at a step that the user left by going back, shown again when the user returns. */
  readonly halfTyped: Readonly<Partial<Record<GuidedStep, string>>>;
  readonly note?: GuidedNote;
  /** The text for which a second Enter continues despite a warning. */
  readonly warned?: string;
  /** True if an answer leads back to the review. */
  readonly returns: boolean;
  /** Index of the edited line, from 0. */
  readonly editing?: number;
  /** Invalid pasted lines, each with its line number in the paste and its index among the items. */
  readonly invalidLines: NonNullable<UnfinishedContent['invalidLines']>;
  readonly undo: readonly (readonly StatementItem[])[];
  /** Number of items scrolled off the end; at `unfinished`, the index of the marked draft. */
  readonly scrolled: number;
  readonly people: readonly GuidedPayer[];
  readonly loading: boolean;
  /** Why the customers could not be read. */
  readonly loadError?: string;
  /** Customers that match `query`, in display order. Customers loaded later go below. */
  readonly shown: {readonly query: string; readonly people: readonly GuidedPayer[]};
  /** How many customers a plain terminal lists, each chosen by its number. */
  readonly listed?: number;
  /** The key of the marked row: a customer's id, or the letter of a choice. */
  readonly mark: string;
  readonly found: readonly UnfinishedStatement[];
  /** The question that confirms a live change. */
  readonly question?: string;
  /** Text shown during a wait. Until the wait ends, only Ctrl-C is handled. */
  readonly busy?: string;
  readonly effect?: GuidedEffect;
  /** Lines to print on terminals without redrawing. */
  readonly plainLines: readonly string[];
}

export type GuidedEvent =
  | KeyEvent
  /** A whole line, on a plain terminal. */
  | {readonly type: 'line'; readonly text: string}
  | {
      readonly type: 'people';
      readonly people: readonly GuidedPayer[];
      readonly done: boolean;
      readonly loadError?: string;
    }
  | {
      readonly type: 'looked-up';
      readonly email: string;
      readonly people: readonly GuidedPayer[];
      readonly failed?: string;
    }
  | {readonly type: 'resumed'; readonly found: UnfinishedStatement}
  | {readonly type: 'forgotten'; readonly file: string}
  | {readonly type: 'problem'; readonly problem: GuidedRefusal}
  | {readonly type: 'question'; readonly question: string}
  | {readonly type: 'now'; readonly now: number};

/** A question of the flow: its texts, its choices, and its reactions to events. */
export interface GuidedQuestion {
  /** The text before the input field, or the question about the rows. */
  readonly ask: (state: GuidedState) => string;
  /** The prompt on a plain terminal; default: `ask`. */
  readonly askPlainly?: (state: GuidedState) => string;
  /** Lines that a plain terminal prints before the first prompt. */
  readonly intro?: (state: GuidedState) => readonly string[];
  /** The choices. A question with choices has an input field only if `isSearched`. */
  readonly rows?: (state: GuidedState) => readonly Choosable[];
  readonly isSearched?: boolean;
  /** The line below the field or the rows: the meaning of the typed text, or an example. */
  readonly preview?: (state: GuidedState) => string | undefined;
  /** Help on the keys, separated by ` · `. */
  readonly keys: (state: GuidedState) => string;
  readonly handle: (state: GuidedState, event: GuidedEvent) => GuidedState;
  /** The state after Escape, or the word `back`. */
  readonly back: (state: GuidedState) => GuidedState;
}

/** A row of a question. `key`: the letter of a choice, or the id of a customer. */
export interface Choosable {
  readonly key: string;
  readonly name: string;
  readonly detail?: string;
}

export const quitKey = ({isSaved}: GuidedState): string => (isSaved ? 'Ctrl-C quit, saved' : 'Ctrl-C quit');

/** Returns a handler of text input. @param enter receives the line, and the state with the line still in the field */
export const textQuestion =
  (enter: (state: GuidedState, text: string) => GuidedState) =>
  (state: GuidedState, event: GuidedEvent): GuidedState => {
    if (event.type === 'line') {
      // On a plain terminal, an empty line repeats the text that caused a warning, and so confirms it.
      const text = event.text.trim() === '' ? (state.warned ?? event.text) : event.text;
      return enter({...state, field: lineFieldOf(text)}, text);
    }
    if (event.type === 'key' && event.key === 'enter') return enter(state, state.field.text);
    if (event.type !== 'key' && event.type !== 'text' && event.type !== 'paste') return state;
    const field = editLine(state.field, event);
    if (!field) return state;
    return field.text === state.field.text ? {...state, field} : {...state, field, note: undefined, warned: undefined};
  };

/** Returns a handler of choices. Arrow keys and letters mark a row, and Enter chooses it. On a plain terminal, letters choose. */
export const choiceQuestion =
  (rows: (state: GuidedState) => readonly Choosable[], choose: (state: GuidedState, key: string) => GuidedState) =>
  (state: GuidedState, event: GuidedEvent): GuidedState => {
    const keys = rows(state).map(({key}) => key);
    const by = markStep(event);
    if (by !== undefined) return {...state, mark: moveMark(keys, state.mark, by), note: undefined};
    if (event.type === 'key') return event.key === 'enter' ? choose(state, state.mark) : state;
    if (event.type !== 'text' && event.type !== 'line') return state;
    const key = event.text.trim().toLowerCase();
    if (keys.includes(key)) {
      const marked = {...state, mark: key, note: undefined};
      return event.type === 'line' ? choose(marked, key) : marked;
    }
    return event.type === 'line' ? withNote(state, 'error', `Answer with one of ${keys.join(', ')}.`) : state;
  };

/** Why a run stopped, and the step that can fix it. */
export interface GuidedRefusal {
  readonly step: 'customer' | 'description' | 'due' | 'email' | 'items' | 'name' | 'review';
  readonly text: string;
  /** Index of the refused item, from 0. */
  readonly item?: number;
  readonly made: CreatedObjects;
}

export const withPlainLines = (state: GuidedState, ...lines: readonly string[]): GuidedState => ({
  ...state,
  plainLines: [...state.plainLines, ...lines],
});

export const withNote = (
  state: GuidedState,
  tone: GuidedNote['tone'],
  text: string,
  more: Partial<GuidedState> = {},
): GuidedState => withPlainLines({...state, warned: undefined, ...more, note: {tone, text}}, text);

export const withWarning = (state: GuidedState, text: string): GuidedState =>
  withNote(state, 'warning', text, {warned: state.field.text.trim()});

/** Goes to another question. Its field shows the text half-typed there before, or else `text`. */
export const goToQuestion = (
  state: GuidedState,
  step: GuidedStep,
  text = '',
  more: Partial<GuidedState> = {},
): GuidedState => ({
  ...state,
  step,
  field: lineFieldOf(state.halfTyped[step] ?? text),
  halfTyped: {...state.halfTyped, [step]: undefined},
  note: undefined,
  warned: undefined,
  editing: undefined,
  invalidLines: [],
  scrolled: 0,
  mark: '',
  ...more,
});

/** Goes to the next question, or back to the review after an edit. */
export const goToNext = (state: GuidedState, next: GuidedStep): GuidedState =>
  state.returns ? goToReview(state) : goToQuestion(state, next);

/** Goes to the review. No sending choice is marked, so that an extra Enter for the previous question sends nothing. */
export const goToReview = (state: GuidedState): GuidedState =>
  goToQuestion(state, 'review', '', {returns: false, mark: state.made.sendInDoubt ? 'k' : ''});

export function moveMark(keys: readonly string[], mark: string, by: number): string {
  const at = keys.indexOf(mark);
  if (at < 0) return (by > 0 ? keys[0] : keys.at(-1)) ?? mark;
  return keys[Math.min(keys.length - 1, Math.max(0, at + by))] ?? mark;
}

const PAGE_ROWS = 8;

/** Returns the number of rows by which an event moves the mark; undefined for other events. */
export const markStep = (event: GuidedEvent): number | undefined => rowsMoved(event, PAGE_ROWS);
