// What a run knows of its statement: facts in the order in which they were learnt, each recorded before the next call is made.

import type {StatementItem} from '../../../input/items.js';

/** A call that changes something. `take` makes a draft of another run one's own; `void` ends the statement that it replaces. */
export type RunCall =
  'change' | 'customer' | 'draft' | 'due' | 'finalize' | 'item' | 'remove' | 'send' | 'take' | 'void';

/** All times are in milliseconds since the epoch. */
export type RunEvent =
  /** A call is about to be made. Without what came of it, it may have been. `item` is what is added, or what an item becomes. */
  | {
      readonly what: 'intend';
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
      readonly what: 'done';
      readonly at: number;
      readonly id?: string;
      readonly item?: StatementItem;
      readonly due?: DueTime;
      readonly settings?: object;
    }
  /** It may have been made, and may still be for the settle time. */
  | {readonly what: 'doubt'; readonly at: number}
  /** It was certainly not made. */
  | {readonly what: 'refused'; readonly at: number}
  /** What a creation in doubt made was seen, or will not be any more. `n` counts the intentions. */
  | {
      readonly what: 'found';
      readonly n: number;
      readonly at: number;
      readonly id: string;
      readonly item?: StatementItem;
    }
  | {readonly what: 'absent'; readonly n: number}
  /** A process of this machine that kept no facts began the statement, and has ended. */
  /** The statement that the plan names, and the items that it had. */
  | {readonly what: 'named'; readonly id: string}
  | {readonly what: 'before'; readonly ids: readonly string[]}
  /** Somebody else took back what an earlier process did, so reads need not show it. */
  | {readonly what: 'overruled'}
  /** A read showed that it is not a draft any more. */
  | {readonly what: 'opened'; readonly at: number};

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
  readonly absent?: boolean;
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
  readonly before?: readonly string[];
  /** Items as this run made them, by id; undefined for one that it removed. */
  readonly items: ReadonlyMap<string, StatementItem | undefined>;
  /** How the service wrote the items that were asked for. */
  readonly written: readonly {readonly asked: StatementItem; readonly item: StatementItem}[];
  readonly doubts: readonly UncertainCall[];
  readonly due?: DueTime;
  /** When the draft of somebody else was taken over, and whether a run of another machine may still be at it. */
  readonly taken?: {readonly at: number; readonly waits: boolean};
  /** `done` was answered; `doubt` may have been made. */
  readonly finalize?: 'doubt' | 'done';
  readonly openedAt?: number;
  /** The statement that this one replaces: `done` was answered, so that nobody else has voided it. */
  readonly voided?: 'doubt' | 'done';
  readonly send?: 'done' | 'intended';
  /** When the last fact was learnt that a read must show. */
  readonly shownAt: number;
  /** The intention whose outcome is still to come. */
  readonly pending?: Extract<RunEvent, {what: 'intend'}> & {readonly n: number};
}

export const INITIAL_RUN_STATE: StatementRunState = {count: 0, items: new Map(), written: [], doubts: [], shownAt: 0};

/** What is known with one fact more. @param earlier whether an earlier process learnt it */
export function evolve(known: StatementRunState, fact: RunEvent, earlier = false): StatementRunState {
  const {pending, doubts} = known;
  switch (fact.what) {
    case 'intend': {
      const n = known.count;
      return {...known, count: n + 1, pending: {...fact, n}, ...(fact.call === 'send' && {send: 'intended'})};
    }
    case 'refused':
      return {...known, pending: undefined, ...(pending?.call === 'send' && {send: undefined})};
    case 'doubt': {
      const {call, id, item, waits, n} = pending!;
      return {
        ...known,
        pending: undefined,
        doubts: [...doubts, {n, call, id, item, waits, endedAt: fact.at, earlier}],
        ...(call === 'finalize' && {finalize: 'doubt'}),
        ...(call === 'void' && {voided: 'doubt'}),
      };
    }
    case 'done':
      return evolveAnswered({...known, pending: undefined}, pending!, fact);
    case 'found': {
      const doubt = doubts.find((each) => each.n === fact.n)!;
      const left = {...known, doubts: doubts.filter((each) => each !== doubt)};
      return evolveAnswered(left, {what: 'intend', ...doubt, at: fact.at}, fact);
    }
    case 'absent':
      return {...known, doubts: doubts.map((each) => (each.n === fact.n ? {...each, absent: true} : each))};
    case 'named':
      return {...known, statementId: fact.id};
    case 'before':
      return {...known, before: fact.ids};
    case 'overruled':
      return {...known, items: new Map(), due: undefined};
    case 'opened':
      return {...known, openedAt: known.openedAt ?? fact.at, shownAt: Math.max(known.shownAt, fact.at)};
  }
}

/** The statement that a fact names as the run's own. */
export const statementIdIn = (fact: RunEvent): string | undefined =>
  'id' in fact && fact.id?.startsWith('bstm_') && !fact.id.startsWith('bstm_li_') ? fact.id : undefined;

export const isCreation = (call: RunCall): boolean => call === 'customer' || call === 'draft' || call === 'item';

function evolveAnswered(
  known: StatementRunState,
  {call, id: about, item: asked, waits = false}: Extract<RunEvent, {what: 'intend'}>,
  {at, id, item, due, settings}: Omit<Extract<RunEvent, {what: 'done'}>, 'what'>,
): StatementRunState {
  // A change that was repeated and answered is not in doubt any more.
  const doubts = known.doubts.filter(
    (each) => each.earlier || each.call !== call || each.id !== about || isCreation(call),
  );
  const now = {...known, doubts, shownAt: at};
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
        items: new Map(known.items).set((id ?? about)!, as),
        written: [...known.written, {asked: asked!, item: as}],
      };
    }
    case 'remove':
      return {...now, items: new Map(known.items).set(about!, undefined)};
    case 'due':
      return {...now, due};
    case 'take':
      return {...now, due: due ?? known.due, taken: {at, waits}};
    case 'finalize':
      return {...now, finalize: 'done', openedAt: known.openedAt ?? at};
    case 'send':
      return {...now, send: 'done'};
    case 'void':
      return {...now, voided: 'done'};
  }
}
