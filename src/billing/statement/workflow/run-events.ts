// The recorded events of a run, and the state derived from them. Each event is recorded before the next call.

import type {StatementItem} from '../../../input/items.js';

/** Calls that write. `take_over` claims another run's draft; `void` voids the replaced statement. */
export type RunCall =
  'change' | 'customer' | 'draft' | 'due' | 'finalize' | 'item' | 'remove' | 'send' | 'take_over' | 'void';

/** `at` is in milliseconds since the epoch. */
export type RunEvent =
  /** If no outcome follows, the call may have been made. `item` is the added item, or its new content. */
  | {
      readonly type: 'intended';
      readonly call: RunCall;
      readonly at: number;
      readonly id?: string;
      readonly item?: StatementItem;
      /** For `take_over`: true if another run may still be working on the draft. */
      readonly waits?: boolean;
    }
  /**
   * The call was answered. `id` is the new object's; `item` and `due` are as the API returned them. `settings` are the
   * payment settings of a new draft, which the API requires in each update.
   */
  | {
      readonly type: 'answered';
      readonly at: number;
      readonly id?: string;
      readonly item?: StatementItem;
      readonly due?: DueTime;
      readonly settings?: object;
    }
  /** The call may have been applied, or may still be applied within the settle time. */
  | {readonly type: 'outcome_unknown'; readonly at: number}
  | {readonly type: 'refused'; readonly at: number}
  /** The object of an uncertain create was found, or can no longer appear. `n` is the number of the intent. */
  | {
      readonly type: 'found';
      readonly n: number;
      readonly at: number;
      readonly id: string;
      readonly item?: StatementItem;
    }
  | {readonly type: 'not_found'; readonly n: number}
  /** The statement that the plan names. */
  | {readonly type: 'named'; readonly id: string}
  /** Ids of items that this run did not create. */
  | {readonly type: 'items_before'; readonly ids: readonly string[]}
  /** Another writer reverted our change, so reads may not show it. */
  | {readonly type: 'reverted'}
  /** A read showed that the statement is no longer a draft. */
  | {readonly type: 'opened'; readonly at: number};

/** A requested due time, and the API's answer, which may be rounded to the day. Unix seconds. */
export interface DueTime {
  readonly asked: number;
  readonly answered: number;
}

export interface UncertainCall {
  readonly n: number;
  readonly call: RunCall;
  readonly id?: string;
  readonly item?: StatementItem;
  readonly waits?: boolean;
  /** Milliseconds since the epoch. The call may still be applied within the settle time after this. */
  readonly endedAt: number;
  /** True if the object was not found after the full wait. An object that appears later still belongs to this call. */
  readonly notFound?: boolean;
  /** True if an earlier process made the call: an uncertain change may then still undo a later change. */
  readonly earlier: boolean;
}

export interface StatementRunState {
  readonly count: number;
  readonly customerId?: string;
  readonly statementId?: string;
  /** True if this run created the statement, so that reads must show its keys. */
  readonly isCreated?: true;
  readonly settings?: object;
  readonly itemsBefore?: readonly string[];
  /** Items as this run last wrote them, by id; undefined for a removed item. */
  readonly items: ReadonlyMap<string, StatementItem | undefined>;
  /** Wanted items, each as asked and as the API returned it. */
  readonly written: readonly {readonly asked: StatementItem; readonly item: StatementItem}[];
  readonly uncertain: readonly UncertainCall[];
  readonly due?: DueTime;
  /** When another run's draft was claimed; `waits` is true if that run may still be working on it. */
  readonly taken?: {readonly at: number; readonly waits: boolean};
  /** `done`: the call was answered. `unknown`: the call may have been made. */
  readonly finalize?: 'unknown' | 'done';
  readonly openedAt?: number;
  /** The void of the replaced statement. `done`: the call was answered, so no other run voided the statement. */
  readonly voided?: 'unknown' | 'done';
  readonly send?: 'done' | 'intended';
  /** Milliseconds since the epoch of the last change that a read must show. */
  readonly mustShowSince: number;
  /** The intent without a recorded outcome. */
  readonly pending?: Extract<RunEvent, {type: 'intended'}> & {readonly n: number};
}

export const INITIAL_RUN_STATE: StatementRunState = {
  count: 0,
  items: new Map(),
  written: [],
  uncertain: [],
  mustShowSince: 0,
};

/** Returns the state after one more event. @param earlier true if an earlier process recorded the event */
export function evolve(state: StatementRunState, event: RunEvent, earlier = false): StatementRunState {
  const {pending, uncertain} = state;
  switch (event.type) {
    case 'intended': {
      const n = state.count;
      return {...state, count: n + 1, pending: {...event, n}, ...(event.call === 'send' && {send: 'intended'})};
    }
    case 'refused':
      return {...state, pending: undefined, ...(pending?.call === 'send' && {send: undefined})};
    case 'outcome_unknown': {
      const {call, id, item, waits, n} = pending!;
      return {
        ...state,
        pending: undefined,
        uncertain: [...uncertain, {n, call, id, item, waits, endedAt: event.at, earlier}],
        ...(call === 'finalize' && {finalize: 'unknown'}),
        ...(call === 'void' && {voided: 'unknown'}),
      };
    }
    case 'answered':
      return evolveAnswered({...state, pending: undefined}, pending!, event);
    case 'found': {
      const found = uncertain.find(({n}) => n === event.n)!;
      const rest = {...state, uncertain: uncertain.filter((each) => each !== found)};
      return evolveAnswered(rest, {...found, type: 'intended', at: event.at}, event);
    }
    case 'not_found':
      return {...state, uncertain: uncertain.map((each) => (each.n === event.n ? {...each, notFound: true} : each))};
    case 'named':
      return {...state, statementId: event.id};
    case 'items_before':
      return {...state, itemsBefore: event.ids};
    case 'reverted':
      return {...state, items: new Map(), due: undefined};
    case 'opened':
      return {...state, openedAt: state.openedAt ?? event.at, mustShowSince: Math.max(state.mustShowSince, event.at)};
  }
}

export const statementIdIn = (event: RunEvent): string | undefined =>
  'id' in event && event.id?.startsWith('bstm_') && !event.id.startsWith('bstm_li_') ? event.id : undefined;

export const isCreation = (call: RunCall): boolean => call === 'customer' || call === 'draft' || call === 'item';

function evolveAnswered(
  state: StatementRunState,
  {call, id: about, item: asked, waits = false}: Extract<RunEvent, {type: 'intended'}>,
  {at, id, item, due, settings}: Omit<Extract<RunEvent, {type: 'answered'}>, 'type'>,
): StatementRunState {
  // An answer to a repeated change settles the earlier uncertain attempts.
  const uncertain = state.uncertain.filter(
    (each) => each.earlier || each.call !== call || each.id !== about || isCreation(call),
  );
  const now: StatementRunState = {...state, uncertain, mustShowSince: at};
  switch (call) {
    case 'customer':
      return {...now, customerId: id};
    case 'draft':
      return {...now, statementId: id, isCreated: true, settings};
    case 'item':
    case 'change': {
      const as = item ?? asked!;
      return {
        ...now,
        items: new Map(state.items).set((id ?? about)!, as),
        written: [...state.written, {asked: asked!, item: as}],
      };
    }
    case 'remove':
      return {...now, items: new Map(state.items).set(about!, undefined)};
    case 'due':
      return {...now, due};
    case 'take_over':
      return {...now, due: due ?? state.due, taken: {at, waits}};
    case 'finalize':
      return {...now, finalize: 'done', openedAt: state.openedAt ?? at};
    case 'send':
      return {...now, send: 'done'};
    case 'void':
      return {...now, voided: 'done'};
  }
}
