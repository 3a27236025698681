// The entered values of the guided flow: asked for step by step, and saved after each answer.

import type {FoundCustomer} from '../../account/account-reader.js';
import type {
  CreatedObjects,
  UnfinishedContent,
  UnfinishedPayer,
  UnfinishedStatement,
  UnfinishedStore,
} from '../unfinished-store.js';
import type {Context} from '../../../context/context.js';
import {CentavoError, messageAndReason} from '../../../common/errors.js';
import type {StatementItem} from '../../../input/items.js';
import type {
  Asker,
  AskerNote,
  Back,
  ChoiceQuestion,
  LineQuestion,
  PastedAnswer,
  SearchQuestion,
  TypedText,
} from '../../../output/prompt/asker.js';

export type GuidedStep = 'customer' | 'description' | 'due' | 'email' | 'items' | 'name' | 'review' | 'unfinished';
export type Goal = 'draft' | 'finalize' | 'send';

export interface GuidedPayer {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  /** The email address, which the search also matches. */
  readonly detail: string;
}

/** Why a run stopped, and the step that can fix it. */
export interface GuidedRefusal {
  readonly step: Exclude<GuidedStep, 'unfinished'>;
  readonly text: string;
  /** Index of the refused item, from 0. */
  readonly item?: number;
  readonly made: CreatedObjects;
}

interface GuideOptions {
  readonly context: Context;
  readonly asker: Asker;
  /** Where the entered values are saved; omitted to save nothing. */
  readonly store?: UnfinishedStore;
  readonly account: string;
  /** True if a description can be entered, as for a new statement. */
  readonly isDescribed: boolean;
  /** True if the statement replaces an open one: the customer is fixed, and a draft is not enough. */
  readonly isReplacing: boolean;
  /** For an edited draft, whose customer is fixed: returns lines that describe the changes that saving would make. */
  readonly changes?: (wanted: {readonly items: readonly StatementItem[]; readonly dueAt?: number}) => readonly string[];
  readonly made: CreatedObjects;
  readonly now: number;
}

/** Milliseconds after the last key until a half-typed line is saved. */
const SAVE_DELAY = 250;

export class Guide {
  readonly context: Context;
  readonly asker: Asker;
  readonly account: string;
  readonly isDescribed: boolean;
  readonly isReplacing: boolean;
  readonly changes: GuideOptions['changes'];
  readonly people = new People();
  /** The question that is asked, or is asked next. */
  step: GuidedStep = 'customer';
  /** Shown at the next question. */
  note: AskerNote | undefined;
  payer: UnfinishedPayer | undefined;
  /** The name of a new customer whose email address is still missing. */
  name: string | undefined;
  items: readonly StatementItem[] = [];
  /** Unix seconds. */
  dueAt: number | undefined;
  description: string | undefined;
  made: CreatedObjects;
  /** Invalid pasted lines, each with its line number in the paste and its index among the items. */
  invalidLines: NonNullable<UnfinishedContent['invalidLines']> = [];
  refusedItem: number | undefined;
  /** Text typed at each step that is not read yet, shown again when the user returns. */
  readonly halfTyped: Partial<Record<GuidedStep, string>> = {};
  /** True if an answer leads back to the review. */
  returns = false;
  /** Unix seconds. */
  now: number;
  saveError: unknown;
  readonly #store: UnfinishedStore | undefined;
  readonly #stop = new AbortController();
  /** The step whose answer is being read: its text is kept until the next question. */
  #reading: GuidedStep | undefined;
  #file: string | undefined;
  #saved = '';
  #timer: NodeJS.Timeout | undefined;

  constructor(options: GuideOptions) {
    ({context: this.context, asker: this.asker, account: this.account, made: this.made, now: this.now} = options);
    ({isDescribed: this.isDescribed, isReplacing: this.isReplacing, changes: this.changes} = options);
    this.#store = options.store;
  }

  /** True if the entered values are saved on this machine. */
  get isSaved(): boolean {
    return this.#store !== undefined && this.saveError === undefined;
  }

  get hasSaved(): boolean {
    return this.#saved !== '' && this.saveError === undefined;
  }

  get quitKey(): string {
    return this.isSaved ? 'Ctrl-C quit, saved' : 'Ctrl-C quit';
  }

  /** The customer of an existing statement cannot change. */
  get isCustomerFixed(): boolean {
    return this.isReplacing || this.changes !== undefined;
  }

  line(step: GuidedStep, question: LineQuestion): Promise<Back | PastedAnswer | TypedText> {
    return this.#ask(step, question, (asked) => this.asker.line(asked));
  }

  search(question: SearchQuestion<GuidedPayer>): Promise<Back | TypedText | {readonly chosen: GuidedPayer}> {
    return this.#ask('customer', question, (asked) => this.asker.search(asked));
  }

  choose(question: ChoiceQuestion): Promise<string | undefined> {
    this.#endReading();
    this.save();
    const note = question.note ?? this.#takeNote();
    return this.asker.choose({...question, note});
  }

  /** Shows the text that was half typed at this step before, and saves what is typed. */
  async #ask<Q extends LineQuestion | SearchQuestion<GuidedPayer>, A extends object>(
    step: GuidedStep,
    question: Q,
    ask: (question: Q) => Promise<A>,
  ): Promise<A> {
    this.#endReading();
    const text = this.halfTyped[step] || question.text || '';
    this.step = step;
    this.halfTyped[step] = text;
    this.save();
    const onTyping = (typed: string): void => {
      this.halfTyped[step] = typed;
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.save(), SAVE_DELAY);
    };
    const answer = await ask({...question, text, note: question.note ?? this.#takeNote(), onTyping});
    const {back = '', typed = back} = answer as Partial<Back & TypedText>;
    this.halfTyped[step] = typed;
    if (back === '') this.#reading = step;
    return answer;
  }

  #endReading(): void {
    if (this.#reading) delete this.halfTyped[this.#reading];
    this.#reading = undefined;
  }

  #takeNote(): AskerNote | undefined {
    const {note} = this;
    this.note = undefined;
    return note;
  }

  /** Saves the entered values. */
  save(): void {
    clearTimeout(this.#timer);
    const {step, payer, name, items, dueAt, description, invalidLines, made, halfTyped} = this;
    const typing = halfTyped[step] ?? '';
    const isTyped = Object.values(halfTyped).some((text) => text !== '');
    const isEmpty = step === 'unfinished' || (!payer && name === undefined && items.length === 0 && !isTyped);
    const entered = {payer, name, items, dueAt, description, ...(invalidLines.length > 0 && {invalidLines})};
    const kept = isEmpty && !made.attempted ? undefined : {step, ...entered, typing, halfTyped, made};
    const text = kept === undefined ? '' : JSON.stringify(kept);
    if (!this.#store || text === this.#saved) return;
    try {
      if (kept) {
        this.#file ??= this.#store.newFile();
        this.#store.write(this.#file, {...kept, at: this.context.displayNow()});
      } else if (this.#file !== undefined) this.#store.remove(this.#file);
      this.#saved = text;
      this.saveError = undefined;
    } catch (error) {
      this.saveError = error;
    }
  }

  /** Saves the created objects with the entered values. The history has the essential objects too. */
  record(made: CreatedObjects, payer = this.payer): void {
    this.made = made;
    this.payer = payer;
    this.save();
  }

  unfinished(): UnfinishedStatement[] {
    return this.#store?.list() ?? [];
  }

  forget(file: string): void {
    this.#store?.remove(file);
  }

  continueFrom(found: UnfinishedStatement): void {
    const {payer, name, items, dueAt, description, made, invalidLines = [], halfTyped} = found;
    this.#file = found.file;
    Object.assign(this.halfTyped, halfTyped);
    Object.assign(this, {payer, name, items, dueAt, description, made, invalidLines});
  }

  loadCustomers(): void {
    this.people.load(this.context, this.#stop.signal);
  }

  /** @returns the customers with this address; the reason if they cannot be read */
  async lookUp(email: string): Promise<readonly GuidedPayer[] | string> {
    try {
      const {findCustomers} = await this.context.billing();
      const {signal} = this.context;
      const found = findCustomers(await this.context.client(), {signal}, {email});
      const people = (await this.asker.wait(`Looking for ${email}…`, found)).map(personOf);
      this.people.add(people);
      return people;
    } catch (error) {
      if (!(error instanceof CentavoError) || error.kind === 'interrupted') throw error;
      return messageAndReason(error);
    }
  }

  /** @param forget true to delete the saved values */
  close({forget = false} = {}): void {
    clearTimeout(this.#timer);
    this.#stop.abort();
    this.asker.close();
    if (!forget || this.#file === undefined) return;
    try {
      this.#store?.remove(this.#file);
    } catch {
      // The next flow offers the file again, and the history shows that the statement is done.
    }
  }
}

const personOf = ({id, name, email}: FoundCustomer): GuidedPayer => ({id, name, email, detail: email});

/** The customers of the account, loaded page by page while the user types. */
class People {
  all: readonly GuidedPayer[] = [];
  isLoading = false;
  /** Why the customers could not be read. */
  error: string | undefined;
  loaded: Promise<void> = Promise.resolve();
  readonly #listeners = new Set<() => void>();

  readonly onLoad = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  add(people: readonly GuidedPayer[]): void {
    const known = new Set(people.map(({id}) => id));
    this.all = [...this.all.filter(({id}) => !known.has(id)), ...people];
    for (const listener of this.#listeners) listener();
  }

  load(context: Context, signal: AbortSignal): void {
    this.isLoading = true;
    this.loaded = this.#load(context, signal).finally(() => {
      this.isLoading = false;
      this.add([]);
    });
  }

  async #load(context: Context, signal: AbortSignal): Promise<void> {
    try {
      const {customerPages, currentCustomersOf} = await context.billing();
      for await (const page of customerPages(await context.client(), {signal}))
        if (!signal.aborted) this.add(currentCustomersOf(page).map(personOf));
    } catch (error) {
      // After the user leaves the flow, errors are expected: the sandbox closes too.
      if (signal.aborted) return;
      if (!(error instanceof CentavoError)) throw error;
      this.error = messageAndReason(error);
    }
  }
}

export type Reading<T> = {readonly value: T} | {readonly note: AskerNote};

/**
 * Asks for a line until it can be read. @param read gets true if the user entered a text again that a warning is about
 * @returns undefined if the user went back
 */
export async function askUntilRead<T>(
  guide: Guide,
  step: GuidedStep,
  question: LineQuestion,
  read: (typed: string, isConfirmed: boolean) => Promise<Reading<T>> | Reading<T>,
  isKept = true,
): Promise<{readonly value: T} | undefined> {
  let asked = question;
  for (;;) {
    const answer = await guide.line(step, asked);
    if ('back' in answer) {
      if (!isKept) delete guide.halfTyped[step];
      return undefined;
    }
    // Without isList, no question answers with a list.
    if (!('typed' in answer)) continue;
    const reading = await read(answer.typed, answer.isSame && asked.note?.tone === 'warning');
    if ('value' in reading) return reading;
    asked = {...question, intro: [], text: answer.typed, note: reading.note};
  }
}

export const errorNote = (text: string, suggestion?: string): AskerNote => ({tone: 'error', text, suggestion});
export const warningNote = (text: string, suggestion?: string): AskerNote => ({tone: 'warning', text, suggestion});
