// The recorded events of a run, and the state that they add up to. Each is recorded before the next call.

import type {StatementItem} from '../../../input/items.js';

/** A write. `take_over` makes another run's draft this run's own; `void` ends the replaced statement. */
export type RunCall =
  'change' | 'customer' | 'draft' | 'due' | 'finalize' | 'item' | 'remove' | 'send' | 'take_over' | 'void';

/** All times are in milliseconds since the epoch. */
export type RunEvent =
  /** If no outcome follows, the call may have been made. `item` is the added item, or its new form. */
  | {
      readonly type: 'intended';
      readonly call: RunCall;
      readonly at: number;
      readonly id?: string;
      readonly item?: StatementItem;
      /** For a takeover: true if another machine may still be working on the draft. */
      readonly waits?: boolean;
    }
  /**
   * The call was answered. `id` is the new object's; `item` and `due` are the service's spelling, and so are the payment
   * settings of a new draft, which it requires with each update.
   */
  | {
      readonly type: 'answered';
      readonly at: number;
      readonly id?: string;
      readonly item?: StatementItem;
      readonly due?: DueTime;
      readonly settings?: object;
    }
  /** It may have been made, and may still be for the settle time. */
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
  /** The statement that the plan names, and the items that it had. */
  | {readonly type: 'named'; readonly id: string}
  | {readonly type: 'items_before'; readonly ids: readonly string[]}
  /** Another writer reverted our change, so reads may not show it. */
  | {readonly type: 'reverted'}
  /** A read showed that it is no longer a draft. */
  | {readonly type: 'opened'; readonly at: number};

/** A requested due time, and the service's answer, which may round to the day. Unix seconds. */
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
  /** When it ended: it may be applied within the settle time after that. */
  readonly endedAt: number;
  /** True if it was not found after the full wait. An object that appears later still belongs to this call. */
  readonly notFound?: boolean;
  /** True if an earlier process made it: an uncertain change may then still undo a later one. */
  readonly earlier: boolean;
}

export interface StatementRunState {
  readonly count: number;
  readonly customerId?: string;
  readonly statementId?: string;
  /** True if this run created it, so that its keys must be there. */
  readonly isCreated?: true;
  readonly settings?: object;
  readonly itemsBefore?: readonly string[];
  /** Items as this run made them, by id; undefined for one that it removed. */
  readonly items: ReadonlyMap<string, StatementItem | undefined>;
  /** The service's spelling of the wanted items. */
  readonly written: readonly {readonly asked: StatementItem; readonly item: StatementItem}[];
  readonly uncertain: readonly UncertainCall[];
  readonly due?: DueTime;
  /** When another run's draft was taken over, and whether a run of another machine may still be working on it. */
  readonly taken?: {readonly at: number; readonly waits: boolean};
  /** `done` was answered; `unknown` may have been made. */
  readonly finalize?: 'unknown' | 'done';
  readonly openedAt?: number;
  /** The replaced statement: `done` was answered, so that no other run has voided it. */
  readonly voided?: 'unknown' | 'done';
  readonly send?: 'done' | 'intended';
  /** When the last event was recorded that a read must show. */
  readonly shownAt: number;
  /** The intent whose outcome is still missing. */
  readonly pending?: Extract<RunEvent, {type: 'intended'}> & {readonly n: number};
}

export const INITIAL_RUN_STATE: StatementRunState = {
  count: 0,
  items: new Map(),
  written: [],
  uncertain: [],
  shownAt: 0,
};

/** The state after one more event. @param earlier true if an earlier process recorded it */
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
      return {...state, openedAt: state.openedAt ?? event.at, shownAt: Math.max(state.shownAt, event.at)};
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
  // A repeated and answered change is no longer uncertain.
  const uncertain = state.uncertain.filter(
    (each) => each.earlier || each.call !== call || each.id !== about || isCreation(call),
  );
  const now = {...state, uncertain, shownAt: at};
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
