// Runs the guided flow: receives input, loads customers, saves the entered values, and carries out effects.

import type {FoundCustomer} from '../../account/account-reader.js';
import type {CreatedObjects, UnfinishedStore} from '../unfinished-store.js';
import type {Context} from '../../../context/context.js';
import {CentavoError, messageAndReason} from '../../../common/errors.js';
import {reduceGuided} from './reducer.js';
import type {GuidedEvent, GuidedPayer, GuidedState, GuidedEffect} from './state.js';
import {unfinishedToSave} from './steps/unfinished.js';

export type Decision =
  Extract<GuidedEffect, {type: 'check' | 'confirmed' | 'goal' | 'quit'}> | {readonly type: 'interrupted'};

/** Milliseconds after the last key until a half-typed line is saved. */
const SAVE_DELAY = 250;

/** A display of the flow: redrawn in place on a terminal, or printed as plain lines. */
export interface FlowScreen {
  /** @param event the event that led to the state */
  readonly show: (state: GuidedState, event?: GuidedEvent) => void;
  /** Removes the question, so that other lines can be printed. The screen keeps the keyboard. */
  readonly pause: () => void;
  readonly close: () => void;
}

export type OpenScreen = (
  context: Pick<Context, 'host' | 'io' | 'nowMilliseconds'>,
  handlers: {readonly onEvent: (event: GuidedEvent) => void; readonly onLeave: () => void},
) => Promise<FlowScreen>;

export interface SessionOptions {
  readonly context: Context;
  readonly state: GuidedState;
  /** Where the entered values are saved; omitted to save nothing. */
  readonly store?: UnfinishedStore;
  readonly open: OpenScreen;
}

const personOf = ({id, name, email}: FoundCustomer): GuidedPayer => ({id, name, email, detail: email});

export class GuidedSession {
  readonly #context: Context;
  readonly #store: UnfinishedStore | undefined;
  readonly #stop = new AbortController();
  readonly #release: () => void;
  #screen: FlowScreen | undefined;
  #file: string | undefined;
  #saved = '';
  #timer: NodeJS.Timeout | undefined;
  #decided: ((decision: Decision) => void) | undefined;
  #saveError: unknown;
  state: GuidedState;

  private constructor({context, state, store}: SessionOptions) {
    this.#context = context;
    this.#store = store;
    this.state = state;
    const leave = (): void => this.#leave();
    context.signal.addEventListener('abort', leave, {once: true});
    this.#release = () => context.signal.removeEventListener('abort', leave);
  }

  static async open(options: SessionOptions): Promise<GuidedSession> {
    const session = new GuidedSession(options);
    session.#screen = await options.open(options.context, {
      onEvent: (event) => session.dispatch(event),
      onLeave: () => session.#leave(),
    });
    return session;
  }

  /** The error of the last save; undefined if the save succeeded. */
  get saveError(): unknown {
    return this.#saveError;
  }

  get hasSaved(): boolean {
    return this.#saved !== '' && this.#saveError === undefined;
  }

  /** Shows the question, and waits for the user's decision. */
  decide(event?: GuidedEvent): Promise<Decision> {
    return new Promise((resolve) => {
      this.dispatch({type: 'now', now: this.#context.displayNow()});
      if (event) this.dispatch(event);
      this.#decided = resolve;
      if (this.#context.signal.aborted) return this.#leave();
      this.#screen!.show(this.state);
    });
  }

  pause(): void {
    this.#screen!.pause();
  }

  dispatch(event: GuidedEvent): void {
    const before = this.state;
    this.state = reduceGuided(before, event);
    const {step, items, payer, dueAt, effect} = this.state;
    this.save(step === before.step && items === before.items && payer === before.payer && dueAt === before.dueAt);
    if (!this.#decided) return;
    if (effect === undefined || effect.type === 'lookup') this.#screen!.show(this.state, event);
    if (effect) this.#do(effect);
  }

  #do(effect: GuidedEffect): void {
    switch (effect.type) {
      case 'lookup':
        return void this.#lookUp(effect.email);
      case 'resume': {
        const found = this.state.found.find(({file}) => file === effect.file)!;
        this.#file = effect.file;
        return this.dispatch({type: 'resumed', found});
      }
      case 'forget':
        this.#store?.remove(effect.file);
        return this.dispatch({type: 'forgotten', file: effect.file});
      default:
        return this.#decide(effect);
    }
  }

  #decide(decision: Decision): void {
    const decided = this.#decided;
    this.#decided = undefined;
    decided?.(decision);
  }

  #leave(): void {
    this.save(false);
    this.#decide({type: 'interrupted'});
  }

  /** Saves the entered values. @param typing true if only the half-typed text is new: it is saved after a pause in typing */
  save(typing: boolean): void {
    clearTimeout(this.#timer);
    if (typing) {
      this.#timer = setTimeout(() => this.save(false), SAVE_DELAY);
      return;
    }
    const kept = unfinishedToSave(this.state);
    const text = kept === undefined ? '' : JSON.stringify(kept);
    if (!this.#store || text === this.#saved) return;
    try {
      if (kept) {
        this.#file ??= this.#store.newFile();
        this.#store.write(this.#file, {...kept, at: this.#context.displayNow()});
      } else if (this.#file !== undefined) this.#store.remove(this.#file);
      this.#saved = text;
      this.#saveError = undefined;
    } catch (error) {
      this.#saveError = error;
    }
  }

  /** Saves the created objects with the entered values. The history has the essential objects too. */
  note(made: CreatedObjects, payer = this.state.payer): void {
    this.state = {...this.state, made, payer};
    this.save(false);
  }

  /** Loads all customers, page by page, while the user types. */
  async loadCustomers(): Promise<void> {
    const signal = this.#stop.signal;
    const addPeople = (people: readonly GuidedPayer[], done: boolean, loadError?: string): void => {
      if (!signal.aborted) this.dispatch({type: 'people', people, done, loadError});
    };
    try {
      const {customerPages, currentCustomersOf} = await this.#context.billing();
      for await (const page of customerPages(await this.#context.client(), {signal}))
        addPeople(currentCustomersOf(page).map(personOf), !page.has_more);
    } catch (error) {
      // After the user leaves the flow, errors are expected: the sandbox closes too.
      if (signal.aborted) return;
      if (!(error instanceof CentavoError)) throw error;
      addPeople([], true, messageAndReason(error));
    }
  }

  async #lookUp(email: string): Promise<void> {
    const {signal} = this.#stop;
    try {
      const {findCustomers} = await this.#context.billing();
      const people = await findCustomers(await this.#context.client(), {signal}, {email});
      this.dispatch({type: 'looked-up', email, people: people.map(personOf)});
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof CentavoError)) throw error;
      this.dispatch({type: 'looked-up', email, people: [], failed: messageAndReason(error)});
    }
  }

  /** @param forget true to delete the saved values */
  close({forget = false} = {}): void {
    clearTimeout(this.#timer);
    this.#release();
    this.#stop.abort();
    this.#screen?.close();
    if (!forget || this.#file === undefined) return;
    try {
      this.#store?.remove(this.#file);
    } catch {
      // The next flow offers the file again, and the history shows that the statement is done.
    }
  }
}
