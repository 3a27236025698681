// What a run knows of its statement: facts in the order in which they were learnt, each recorded before the next call is made.

import type {StatementItem} from '../../../input/items.js';

/** A call that changes something. `take` makes a draft of another run one's own; `void` ends the statement that it replaces. */
export type RunCall =
  'change' | 'customer' | 'draft' | 'due' | 'finalize' | 'item' | 'remove' | 'send' | 'take_over' | 'void';

/** All times are in milliseconds since the epoch. */
export type RunEvent =
  /** A call is about to be made. Without what came of it, it may have been. `item` is what is added, or what an item becomes. */
  | {
      readonly type: 'intended';
      readonly call: RunCall;
      readonly at: number;
      readonly id?: string;
      readonly item?: StatementItem;
      /** Of a take: whether another machine may still be at the draft. */
      readonly waits?: boolean;
    }
  /**
   * It was answered. `id` is that of the new object; `item` and `due` are as the service wrote them, and so are the payment
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
  /** It was certainly not made. */
  | {readonly type: 'refused'; readonly at: number}
  /** What a creation in doubt made was seen, or will not be any more. `n` counts the intentions. */
  | {
      readonly type: 'found';
      readonly n: number;
      readonly at: number;
      readonly id: string;
      readonly item?: StatementItem;
    }
  | {readonly type: 'not_found'; readonly n: number}
  /** A process of this machine that kept no facts began the statement, and has ended. */
  /** The statement that the plan names, and the items that it had. */
  | {readonly type: 'named'; readonly id: string}
  | {readonly type: 'items_before'; readonly ids: readonly string[]}
  /** Somebody else took back what an earlier process did, so reads need not show it. */
  | {readonly type: 'reverted'}
  /** A read showed that it is not a draft any more. */
  | {readonly type: 'opened'; readonly at: number};

/** A due time that was asked for, and as the service answered: it may round to the day. Unix seconds. */
export interface DueTime {
  readonly asked: number;
  readonly answered: number;
}

/** A call whose outcome is not known. */
export interface UncertainCall {
  /** The number of its intention. */
  readonly n: number;
  readonly call: RunCall;
  readonly id?: string;
  readonly item?: StatementItem;
  readonly waits?: boolean;
  /** When it was given up: it may be applied for the settle time after that. */
  readonly endedAt: number;
  /** Whether it was not found after the full wait. An object that appears later still belongs to this call. */
  readonly notFound?: boolean;
  /** Whether an earlier process made it: then also a change in doubt may undo what this one does. */
  readonly earlier: boolean;
}

export interface StatementRunState {
  /** How many intentions there were. */
  readonly count: number;
  readonly customerId?: string;
  readonly statementId?: string;
  /** Whether this run made it, so that its keys must be there. */
  readonly isCreated?: true;
  readonly settings?: object;
  /** Ids of the items that were there before the run. */
  readonly itemsBefore?: readonly string[];
  /** Items as this run made them, by id; undefined for one that it removed. */
  readonly items: ReadonlyMap<string, StatementItem | undefined>;
  /** How the service wrote the items that were asked for. */
  readonly written: readonly {readonly asked: StatementItem; readonly item: StatementItem}[];
  readonly uncertain: readonly UncertainCall[];
  readonly due?: DueTime;
  /** When the draft of somebody else was taken over, and whether a run of another machine may still be at it. */
  readonly taken?: {readonly at: number; readonly waits: boolean};
  /** `done` was answered; `doubt` may have been made. */
  readonly finalize?: 'unknown' | 'done';
  readonly openedAt?: number;
  /** The statement that this one replaces: `done` was answered, so that nobody else has voided it. */
  readonly voided?: 'unknown' | 'done';
  readonly send?: 'done' | 'intended';
  /** When the last fact was learnt that a read must show. */
  readonly shownAt: number;
  /** The intention whose outcome is still to come. */
  readonly pending?: Extract<RunEvent, {type: 'intended'}> & {readonly n: number};
}

export const INITIAL_RUN_STATE: StatementRunState = {
  count: 0,
  items: new Map(),
  written: [],
  uncertain: [],
  shownAt: 0,
};

/** What is known with one fact more. @param earlier whether an earlier process learnt it */
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

/** The statement that a fact names as the run's own. */
export const statementIdIn = (event: RunEvent): string | undefined =>
  'id' in event && event.id?.startsWith('bstm_') && !event.id.startsWith('bstm_li_') ? event.id : undefined;

export const isCreation = (call: RunCall): boolean => call === 'customer' || call === 'draft' || call === 'item';

function evolveAnswered(
  state: StatementRunState,
  {call, id: about, item: asked, waits = false}: Extract<RunEvent, {type: 'intended'}>,
  {at, id, item, due, settings}: Omit<Extract<RunEvent, {type: 'answered'}>, 'type'>,
): StatementRunState {
  // A change that was repeated and answered is not in doubt any more.
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
