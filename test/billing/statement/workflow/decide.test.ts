// The decision table, row by row: what a run knows, what the service showed, and what comes next. Times are seconds after a beginning.

import {describe, expect, test} from 'vitest';
import {PREVIOUS_RUNS_KEY, PLAN_KEY, RUN_KEY} from '../../../../src/billing/statement/copy.js';
import type {ExistingItem, BillingStatementData, StatementPlan} from '../../../../src/billing/statement/plan.js';
import type {StatementItem} from '../../../../src/input/items.js';
import {
  EMBEDDED_TIMING,
  decide,
  HTTP_TIMING,
  serviceTimingOf,
  type NextAction,
  type ProcessMemory,
  type RunIdentity,
  type ServiceTiming,
  type ObservedStatement,
} from '../../../../src/billing/statement/workflow/decide.js';
import {
  INITIAL_RUN_STATE,
  evolve,
  type RunCall,
  type RunEvent,
} from '../../../../src/billing/statement/workflow/run-events.js';
import {CentavoError, type ErrorKind} from '../../../../src/common/errors.js';

const START = 1_800_000_000_000;
const at = (seconds: number): number => START + seconds * 1000;

const item = (description: string, unit_price = 100_00): StatementItem => ({description, quantity: 1, unit_price});
const [RENT, WATER] = [item('Rent'), item('Water', 50_00)];
const present = (id: string, of: StatementItem = RENT): ExistingItem => ({id: `bstm_li_${id}`, ...of});
const DUE = 1_900_000_000;
const PLAN: StatementPlan = {
  create: {customer_id: 'cus_1', currency: 'PHP'},
  items: [RENT],
  dueAt: DUE,
  finalize: true,
  send: true,
};
const {create: _, ...REST} = PLAN;
const NEW_CUSTOMER = {name: 'Ana', email: 'ana@example.com'};
const SELF: RunIdentity = {key: 'plan', run: 'mine'};
const MINE = {[PLAN_KEY]: 'plan', [RUN_KEY]: 'mine'};
const THEIRS = {[PLAN_KEY]: 'plan', [RUN_KEY]: 'theirs'};

const statement = (more: object = {}): BillingStatementData =>
  ({
    id: 'bstm_1',
    status: 'draft',
    metadata: MINE,
    line_items: [present('1')],
    amount: 100_00,
    due_at: DUE,
    customer_id: 'cus_1',
    ...more,
  }) as never;
const view = (began: number, more: object = {}, kind: ObservedStatement['kind'] = 'shown'): ObservedStatement => ({
  statement: statement(more),
  began: at(began),
  kind,
});
const failure = (kind: ErrorKind, call: RunCall | 'read', when: number): ProcessMemory['failure'] => ({
  error: new CentavoError(kind, 'no', {}),
  call,
  at: at(when),
});
const missing = (began: number): ProcessMemory['missing'] => ({
  error: new CentavoError('not_found', 'no', {}),
  began: at(began),
});

type Intent = Omit<Extract<RunEvent, {type: 'intended'}>, 'at' | 'call' | 'type'>;
const intend = (call: RunCall, when: number, more: Intent = {}): RunEvent => ({
  type: 'intended',
  call,
  at: at(when),
  ...more,
});
const did = (call: RunCall, when: number, done: object = {}, more: Intent = {}): RunEvent[] => [
  intend(call, when, more),
  {type: 'answered', at: at(when), ...done},
];
const lost = (call: RunCall, when: number, more: Intent = {}): RunEvent[] => [
  intend(call, when, more),
  {type: 'outcome_unknown', at: at(when)},
];
const refused = (call: RunCall, when: number): RunEvent[] => [intend(call, when), {type: 'refused', at: at(when)}];

const added = (id: string, when: number, of = RENT): RunEvent[] =>
  did('item', when, {id: `bstm_li_${id}`, item: of}, {item: of});
const dueSet = (when: number, answered = DUE): RunEvent[] => did('due', when, {due: {asked: DUE, answered}});
/** A draft of this run with its item. */
const DRAFT = [...did('draft', 0, {id: 'bstm_1'}), ...added('1', 1)];
const NAMED: RunEvent[] = [{type: 'named', id: 'bstm_1'}];
const OPEN = {status: 'open'};

interface State extends Partial<Omit<ProcessMemory, 'startedAt'>> {
  readonly plan?: StatementPlan;
  /** What earlier processes learnt, and when this one began. */
  readonly before?: readonly RunEvent[];
  readonly started?: number;
  readonly events?: readonly RunEvent[];
  readonly self?: Partial<RunIdentity>;
  readonly timing?: ServiceTiming;
  readonly now: number;
}

function next({
  plan = PLAN,
  before = [],
  started = 0,
  events = [],
  self,
  timing = HTTP_TIMING,
  now,
  ...more
}: State): NextAction {
  const earlier = before.reduce((known, event) => evolve(known, event, true), INITIAL_RUN_STATE);
  const known = events.reduce((sum, event) => evolve(sum, event), earlier);
  const about = {startedAt: at(started), isCompared: true, ...more};
  return decide(plan, known, about, {...SELF, ...self}, timing, at(now));
}

const stop = (why: string): object => ({type: 'stop', stop: {why}});
const wait = (until: number, why: string): object => ({type: 'wait', until: at(until), why});
const LOOK = {type: 'read'};
const call = (which: RunCall, more: object = {}): object => ({type: 'call', call: which, ...more});
const learn = (what: RunEvent['type'], more: object = {}): object => ({type: 'record', event: {type: what, ...more}});

type Row = readonly [title: string, state: State, act: object];
function table(name: string, rows: readonly Row[]): void {
  describe(name, () => {
    test.each(rows)('%s', (_title, state, act) => expect(next(state)).toMatchObject(act));
  });
}

const ordered = {...PLAN, newCustomer: NEW_CUSTOMER};
table('before there is a draft', [
  ['a new customer comes first', {plan: ordered, now: 0}, call('customer')],
  ['then the draft', {plan: ordered, events: did('customer', 0, {id: 'cus_2'}), now: 1}, call('draft')],
  ['a customer who exists needs only the draft', {now: 0}, call('draft')],
  [
    'a customer in doubt is waited for until a read shows all that can come',
    {plan: ordered, events: lost('customer', 10), now: 40.9},
    wait(41, 'creation'),
  ],
  ['and is looked for then', {plan: ordered, events: lost('customer', 10), now: 41}, {type: 'find', call: 'customer'}],
  ['so is a draft: waited for', {events: lost('draft', 10), now: 40.9}, wait(41, 'creation')],
  [
    'and looked for',
    {events: lost('draft', 10), now: 41},
    {type: 'find', call: 'draft', uncertain: {n: 0, endedAt: at(10)}},
  ],
  [
    'the wait counts from the end of the call',
    {events: [intend('draft', 0), {type: 'outcome_unknown', at: at(10)}], now: 31},
    wait(41, 'creation'),
  ],
  [
    'what never came is created again',
    {events: [...lost('draft', 10), {type: 'not_found', n: 0}], now: 41},
    call('draft'),
  ],
  [
    'of two in doubt, only the one that never came is given up',
    {events: [...lost('customer', 0), ...lost('draft', 10), {type: 'not_found', n: 0}], now: 12},
    wait(41, 'creation'),
  ],
  [
    'what was seen is used',
    {events: [...lost('draft', 10), {type: 'found', n: 0, at: at(41), id: 'bstm_1'}], now: 41},
    LOOK,
  ],
  [
    'where a call has ended when it returns, nothing is waited for',
    {events: lost('draft', 10), timing: EMBEDDED_TIMING, now: 10},
    {type: 'find', call: 'draft'},
  ],
  ['a refusal ends it', {failure: failure('rejected', 'draft', 1), now: 1}, stop('failed')],
]);

const ITEM = {line_items: [present('1')]};
const NONE = {line_items: [], amount: 0};
table('a read that is late, or that does not come', [
  ['a statement is looked at first', {events: DRAFT, now: 2}, LOOK],
  ['one that is not there may not be shown yet', {events: DRAFT, missing: missing(5), now: 6}, wait(11, 'lag')],
  ['until every read must show it', {events: DRAFT, missing: missing(16), now: 16}, stop('failed')],
  ['reads without an answered item are old', {events: DRAFT, view: view(7.9, NONE), now: 8}, wait(15, 'lag')],
  ['the last one is made when it must be shown', {events: DRAFT, view: view(10, NONE), now: 10}, wait(16, 'lag')],
  ['the first one soon', {events: DRAFT, view: view(1, NONE), now: 1.1}, wait(1.6, 'lag')],
  ['then the item is gone', {events: DRAFT, view: view(16, NONE), now: 16}, stop('not_shown')],
  [
    'also one that was changed',
    {events: DRAFT, view: view(16, {line_items: [present('1', WATER)]}), now: 16},
    stop('not_shown'),
  ],
  [
    'also one that was removed and is there',
    {
      events: [...DRAFT, ...added('2', 2), ...did('remove', 3, {}, {id: 'bstm_li_2'})],
      view: view(18, {line_items: [present('1'), present('2')]}),
      now: 18,
    },
    stop('not_shown'),
  ],
  [
    'also a due time that was answered',
    {events: [...DRAFT, ...dueSet(2)], view: view(17, {due_at: 1}), now: 17},
    stop('not_shown'),
  ],
  [
    'also the due time of a take-over',
    {
      events: [
        ...NAMED,
        ...did('take_over', 1, {due: {asked: DUE, answered: DUE}}),
        ...did('item', 2, {id: 'bstm_li_1'}, {item: RENT}),
      ],
      view: view(17, {due_at: 1}),
      now: 17,
    },
    stop('not_shown'),
  ],
  ['also keys that were written', {events: DRAFT, view: view(16, {metadata: {}}), now: 16}, stop('not_shown')],
  [
    'also those of a take-over',
    {events: [...NAMED, ...did('take_over', 1)], view: view(16, {metadata: {[PLAN_KEY]: 'plan'}}), now: 16},
    stop('not_shown'),
  ],
  [
    'a draft that was finalized is old',
    {events: [...DRAFT, ...did('finalize', 3)], view: view(4), now: 5},
    wait(7, 'lag'),
  ],
  [
    'also where another than this run opened it',
    {events: [...DRAFT, {type: 'opened', at: at(3)}], view: view(4), now: 5},
    wait(7, 'lag'),
  ],
  [
    'what was seen before a refusal does not tell its reason',
    {events: DRAFT, view: view(9), failure: failure('rejected', 'due', 10), now: 10},
    LOOK,
  ],
  [
    'also after the answer that something is not there',
    {events: DRAFT, view: view(9), failure: failure('not_found', 'remove', 10), now: 10},
    LOOK,
  ],
]);

table('what others took back since an earlier process', [
  ['is not insisted on', {before: DRAFT, started: 100, view: view(101, NONE), now: 101}, learn('reverted')],
  [
    'then the plan is carried out on what is there',
    {before: DRAFT, started: 100, events: [{type: 'reverted'}], view: view(101, NONE), now: 101},
    call('item', {item: RENT}),
  ],
  [
    'also its due time',
    {
      before: [...DRAFT, ...dueSet(2)],
      started: 100,
      events: [{type: 'reverted'}],
      view: view(101, {due_at: 1}),
      now: 101,
    },
    call('due'),
  ],
  [
    'what was finalized cannot be a draft again',
    {before: [...DRAFT, ...did('finalize', 3)], started: 100, view: view(101), now: 101},
    stop('not_shown'),
  ],
  [
    'keys that somebody took away are missed once, not for ever',
    {before: DRAFT, started: 100, events: [{type: 'reverted'}], view: view(101, {metadata: {}}), now: 101},
    stop('not_shown'),
  ],
  [
    'nothing of it is what this process did',
    {before: DRAFT, started: 100, events: added('2', 101), view: view(116, ITEM), now: 116},
    stop('not_shown'),
  ],
]);

const CONTINUED = {...REST, id: 'bstm_1'};
const SEND_INTENDED = intend('send', 4);
const FINALIZED = [...DRAFT, ...did('finalize', 3)];
const taken = (waits: boolean): RunEvent[] => [
  ...NAMED,
  {type: 'items_before', ids: ['bstm_li_1']},
  ...did('take_over', 0, {}, {waits}),
];
table('whose it is', [
  [
    'a sent one is done',
    {events: [...FINALIZED, ...did('send', 4)], view: view(5, OPEN, 'final'), now: 5},
    {type: 'done'},
  ],
  [
    'but not where it was sent with other items than are asked for now',
    {
      events: [...FINALIZED, ...did('send', 4)],
      plan: {...PLAN, items: [{description: 'Another', quantity: 1, unit_price: 1}]},
      view: view(5, OPEN, 'final'),
      now: 5,
    },
    stop('mismatch'),
  ],
  [
    'a send that was begun is never repeated',
    {events: [...FINALIZED, SEND_INTENDED], view: view(5, OPEN, 'final'), now: 5},
    stop('send_in_doubt'),
  ],
  [
    'nor one without an answer',
    {events: [...FINALIZED, ...lost('send', 4)], view: view(5, OPEN, 'final'), now: 5},
    stop('send_in_doubt'),
  ],
  [
    'only one that was refused',
    {events: [...FINALIZED, ...refused('send', 4)], view: view(5, OPEN, 'final'), now: 5},
    call('send'),
  ],
  [
    'a draft of another run is taken',
    {plan: CONTINUED, events: NAMED, view: view(1, {metadata: THEIRS}), now: 1},
    {...call('take_over'), previousOwners: ['theirs'], waits: true},
  ],
  [
    'with all who had it',
    {
      plan: CONTINUED,
      events: NAMED,
      view: view(1, {metadata: {...THEIRS, [PREVIOUS_RUNS_KEY]: 'first second'}}),
      now: 1,
    },
    {...call('take_over'), previousOwners: ['first', 'second', 'theirs'], waits: true},
  ],
  [
    'one of nobody needs no wait',
    {plan: CONTINUED, events: NAMED, view: view(1, {metadata: null}), now: 1},
    {...call('take_over'), previousOwners: [], waits: false},
  ],
  [
    'one without a run is of its plan',
    {plan: CONTINUED, events: NAMED, view: view(1, {metadata: {[PLAN_KEY]: 'old'}}), now: 1},
    {...call('take_over'), previousOwners: ['old'], waits: true},
  ],
  [
    'a run of another machine may still be at it',
    {plan: CONTINUED, events: NAMED, view: view(1, {metadata: THEIRS}), now: 1},
    {...call('take_over'), waits: true},
  ],
  [
    'one that was taken away is left',
    {events: DRAFT, view: view(5, {metadata: {...THEIRS, [PREVIOUS_RUNS_KEY]: 'mine'}}), now: 5},
    stop('taken'),
  ],
  [
    'also an open one',
    {events: FINALIZED, view: view(5, {...OPEN, metadata: {...THEIRS, [PREVIOUS_RUNS_KEY]: 'mine'}}), now: 5},
    stop('taken'),
  ],
  [
    'also before this run was known to have it',
    {plan: CONTINUED, events: NAMED, view: view(5, {metadata: {...THEIRS, [PREVIOUS_RUNS_KEY]: 'mine'}}), now: 5},
    stop('taken'),
  ],
  [
    'what was taken back is one’s own',
    {
      plan: CONTINUED,
      events: taken(false),
      view: view(5, {metadata: {...MINE, [PREVIOUS_RUNS_KEY]: 'mine theirs'}}),
      now: 5,
    },
    call('finalize'),
  ],
  [
    'other keys after the taking over',
    {plan: CONTINUED, events: taken(true), view: view(5, {metadata: THEIRS}), now: 5},
    stop('taken'),
  ],
  [
    'after it nothing is changed while the other may be at it',
    {plan: CONTINUED, events: taken(true), view: view(1), now: 59.9},
    wait(60, 'takeover'),
  ],
  ['then it is looked at', {plan: CONTINUED, events: taken(true), view: view(59.9), now: 60}, LOOK],
  ['and gone on with', {plan: CONTINUED, events: taken(true), view: view(60), now: 60}, call('finalize')],
  ['at once, where no other can be', {plan: CONTINUED, events: taken(false), view: view(1), now: 1}, call('finalize')],
  [
    'or where no call outlives its end',
    {plan: CONTINUED, events: taken(true), view: view(1), timing: EMBEDDED_TIMING, now: 1},
    call('finalize'),
  ],
  ['a deleted one has ended', {events: DRAFT, view: view(5, {deleted: true}), now: 5}, stop('ended')],
  ['so has a void one', {events: FINALIZED, view: view(5, {status: 'void'}), now: 5}, stop('ended')],
  ['and an uncollectible one', {events: FINALIZED, view: view(5, {status: 'uncollectible'}), now: 5}, stop('ended')],
]);

const seenOpen: RunEvent[] = [...DRAFT, ...lost('finalize', 3), {type: 'opened', at: at(10)}];
const unsent = {...PLAN, send: false};
table('open', [
  ['that somebody else opened is not sent', {events: DRAFT, view: view(5, OPEN), now: 5}, stop('opened_by_other')],
  [
    'nor where this run was refused',
    {events: [...DRAFT, ...refused('finalize', 3)], view: view(5, OPEN), now: 5},
    stop('opened_by_other'),
  ],
  [
    'nor that of another run',
    {
      plan: CONTINUED,
      events: [...NAMED, ...lost('finalize', 3)],
      view: view(5, {...OPEN, metadata: THEIRS}),
      now: 5,
    },
    stop('opened_by_other'),
  ],
  [
    'of another machine it is not',
    {
      plan: CONTINUED,
      before: [...NAMED, ...lost('finalize', 3)],
      view: view(30, {...OPEN, metadata: {[PLAN_KEY]: 'old'}}),
      now: 30,
    },
    stop('opened_by_other'),
  ],
  [
    'what an edit finds open was changed',
    {plan: {...CONTINUED, edits: statement()}, events: NAMED, view: view(5, OPEN), now: 5},
    stop('changed'),
  ],
  [
    'when it was first seen so is noted',
    {events: seenOpen.slice(0, -1), view: view(5, OPEN), now: 10},
    learn('opened'),
  ],
  [
    'what it comes to may be shown as it was before',
    {events: seenOpen, view: view(5, OPEN), now: 12},
    wait(25, 'opened'),
  ],
  ['a read that was begun before that is not enough', {events: seenOpen, view: view(24.9, OPEN), now: 25}, LOOK],
  ['one that must show all of it is', {events: seenOpen, view: view(25, OPEN), now: 25}, call('send')],
  [
    'counted from the first',
    {events: [...seenOpen, {type: 'opened', at: at(20)}], view: view(25, OPEN), now: 25},
    call('send'),
  ],
  [
    'also where the answer of finalize shows nothing',
    {events: FINALIZED, view: view(5, OPEN), now: 5},
    wait(18, 'opened'),
  ],
  ['that answer is as of now', {events: FINALIZED, view: view(3, OPEN, 'final'), now: 3}, call('send')],
  [
    'what was answered after a doubt, too',
    {events: [...DRAFT, ...lost('finalize', 3), ...did('finalize', 5)], view: view(5, OPEN, 'final'), now: 5},
    call('send'),
  ],
  [
    'who has paid gets no e-mail',
    {events: FINALIZED, view: view(3, {status: 'paid'}, 'final'), now: 3},
    {type: 'done'},
  ],
  ['nor who was to get none', {plan: unsent, events: FINALIZED, view: view(3, OPEN, 'final'), now: 3}, {type: 'done'}],
  [
    'another amount is not sent',
    {events: FINALIZED, view: view(3, {...OPEN, amount: 1}, 'final'), now: 3},
    stop('mismatch'),
  ],
  [
    'nor an item more',
    {
      events: FINALIZED,
      view: view(3, {...OPEN, line_items: [present('1'), present('2', WATER)], amount: null}, 'final'),
      now: 3,
    },
    stop('mismatch'),
  ],
  [
    'nor one twice',
    {
      events: FINALIZED,
      view: view(3, {...OPEN, line_items: [present('1'), present('2')], amount: null}, 'final'),
      now: 3,
    },
    stop('mismatch'),
  ],
  [
    'nor one less',
    {
      plan: {...PLAN, items: [RENT, WATER]},
      events: FINALIZED,
      view: view(3, {...OPEN, amount: undefined}, 'final'),
      now: 3,
    },
    stop('mismatch'),
  ],
  ['nor another due time', {events: FINALIZED, view: view(3, {...OPEN, due_at: 1}, 'final'), now: 3}, stop('mismatch')],
  [
    'whatever it comes to, where the plan names no items',
    {
      plan: {...CONTINUED, items: [], dueAt: undefined, send: false},
      events: [...NAMED, {type: 'opened', at: at(0)}],
      view: view(20, OPEN),
      now: 20,
    },
    {type: 'done'},
  ],
]);

const EDIT: StatementPlan = {...CONTINUED, edits: statement(), finalize: false, send: false};
const absent = (n: number): RunEvent => ({type: 'not_found', n});
/** A draft of this run, without its item. */
const BARE = did('draft', 0, {id: 'bstm_1'});
const two = {...PLAN, items: [RENT, RENT]};
table('a draft', [
  [
    'a refusal is told',
    {events: DRAFT, view: view(11), failure: failure('rejected', 'due', 10), now: 11},
    stop('failed'),
  ],
  [
    'also that something is not there',
    {events: DRAFT, view: view(11), failure: failure('not_found', 'due', 10), now: 11},
    stop('failed'),
  ],
  [
    'after a finalize in doubt it may be why',
    {events: [...DRAFT, ...lost('finalize', 3)], view: view(12), failure: failure('rejected', 'finalize', 10), now: 12},
    wait(14, 'lag'),
  ],
  [
    'until a read shows that it is not',
    {events: [...DRAFT, ...lost('finalize', 3)], view: view(25), failure: failure('rejected', 'finalize', 10), now: 25},
    stop('failed'),
  ],
  [
    'or that it is',
    {
      events: [...DRAFT, ...lost('finalize', 3)],
      view: view(12, OPEN),
      failure: failure('rejected', 'finalize', 10),
      now: 12,
    },
    learn('opened'),
  ],
  [
    'of a call without an answer no read tells more',
    {events: DRAFT, view: view(9), failure: failure('unavailable', 'due', 10), now: 11},
    stop('failed'),
  ],
  [
    'a refused send ends it, whatever is seen',
    {
      events: [...FINALIZED, ...refused('send', 4)],
      view: view(5, OPEN, 'final'),
      failure: failure('rejected', 'send', 4),
      now: 5,
    },
    stop('failed'),
  ],
  [
    'that the plan names is compared first',
    {plan: CONTINUED, events: NAMED, isCompared: false, view: view(1), now: 1},
    {type: 'compared'},
  ],
  [
    'and not opened where it is to replace another statement',
    {
      plan: CONTINUED,
      events: NAMED,
      isCompared: false,
      view: view(1, {metadata: {...MINE, centavo_replaces: 'bstm_old'}}),
      now: 1,
    },
    {type: 'stop', stop: {why: 'replaces', old: 'bstm_old'}},
  ],
  [
    'and not changed where it is not as before',
    {plan: EDIT, events: NAMED, isCompared: false, view: view(1, {due_at: 1}), now: 1},
    stop('changed'),
  ],
  [
    'an item that shows up is that in doubt',
    {events: [...BARE, ...lost('item', 5, {item: RENT})], view: view(6), now: 6},
    learn('found', {n: 1, id: 'bstm_li_1', item: RENT}),
  ],
  [
    'also one that was given up',
    {events: [...BARE, ...lost('item', 5, {item: RENT}), absent(1)], view: view(40), now: 40},
    learn('found', {n: 1}),
  ],
  [
    'not one that was answered',
    {events: [...DRAFT, ...lost('item', 5, {item: RENT})], plan: two, view: view(6), now: 6},
    wait(35, 'creation'),
  ],
  [
    'nor one that was there before',
    {
      plan: CONTINUED,
      events: [
        ...NAMED,
        {type: 'items_before', ids: ['bstm_li_1']},
        ...did('take_over', 0),
        ...lost('item', 5, {item: RENT}),
      ],
      view: view(6),
      now: 6,
    },
    wait(35, 'creation'),
  ],
  [
    'nor one of those that are edited',
    {
      plan: {...EDIT, items: [RENT, RENT]},
      events: [...NAMED, ...did('take_over', 0), ...lost('item', 5, {item: RENT})],
      view: view(6),
      now: 6,
    },
    wait(35, 'creation'),
  ],
  [
    'a change in doubt makes no item',
    {
      plan: EDIT,
      events: [...NAMED, ...did('take_over', 0), ...lost('change', 5, {id: 'bstm_li_0', item: RENT})],
      view: view(6),
      now: 6,
    },
    {type: 'done'},
  ],
  [
    'what was seen is no longer in doubt',
    {
      events: [
        ...BARE,
        ...lost('item', 5, {item: RENT}),
        {type: 'found', n: 1, at: at(6), id: 'bstm_li_1', item: RENT},
      ],
      view: view(7),
      now: 7,
    },
    call('finalize'),
  ],
  [
    'each in doubt is claimed for itself',
    {
      plan: two,
      events: [
        ...BARE,
        ...lost('item', 5, {item: WATER}),
        ...lost('item', 6, {item: RENT}),
        {type: 'found', n: 2, at: at(7), id: 'bstm_li_1', item: RENT},
      ],
      view: view(8),
      now: 8,
    },
    wait(35, 'creation'),
  ],
  [
    'an item of somebody else is not removed',
    {events: DRAFT, view: view(5, {line_items: [present('1'), present('2', WATER)]}), now: 5},
    {type: 'stop', stop: {why: 'foreign', items: [present('2', WATER)]}},
  ],
  [
    'nor one that is there once too often',
    {events: BARE, view: view(5, {line_items: [present('1'), present('2')]}), now: 5},
    {type: 'stop', stop: {why: 'foreign', items: [present('2')]}},
  ],
  [
    'an own one that is there too often is',
    {events: [...DRAFT, ...added('2', 2)], view: view(5, {line_items: [present('1'), present('2')]}), now: 5},
    call('remove', {id: 'bstm_li_2'}),
  ],
  [
    'where one like it is somebody else’s, the own one',
    {events: DRAFT, view: view(5, {line_items: [present('0'), present('1')]}), now: 5},
    call('remove', {id: 'bstm_li_1'}),
  ],
  [
    'where it comes later, too',
    {events: DRAFT, view: view(5, {line_items: [present('1'), present('2')]}), now: 5},
    call('remove', {id: 'bstm_li_1'}),
  ],
  [
    'an own one that is not wanted is removed',
    {
      events: [...DRAFT, ...added('2', 2, WATER)],
      view: view(5, {line_items: [present('1'), present('2', WATER)]}),
      now: 5,
    },
    call('remove', {id: 'bstm_li_2'}),
  ],
  [
    'while an item is in doubt none is added',
    {events: [...BARE, ...lost('item', 5, {item: RENT})], view: view(6, NONE), now: 20},
    wait(35, 'creation'),
  ],
  [
    'it may be applied until the settle time after the end of the call',
    {
      events: [...BARE, intend('item', 0, {item: RENT}), {type: 'outcome_unknown', at: at(10)}],
      view: view(6, NONE),
      now: 31,
    },
    wait(40, 'creation'),
  ],
  [
    'a read of before is not enough',
    {events: [...BARE, ...lost('item', 5, {item: RENT})], view: view(34.9, NONE), now: 35},
    LOOK,
  ],
  [
    'one of after it is',
    {events: [...BARE, ...lost('item', 5, {item: RENT})], view: view(35, NONE), now: 35},
    learn('not_found', {n: 1}),
  ],
  [
    'then it is added again',
    {events: [...BARE, ...lost('item', 5, {item: RENT}), absent(1)], view: view(35, NONE), now: 35},
    call('item', {item: RENT}),
  ],
  [
    'of two in doubt the other is still waited for',
    {
      plan: two,
      events: [...BARE, ...lost('item', 5, {item: RENT}), ...lost('item', 20, {item: RENT}), absent(1)],
      view: view(35, NONE),
      now: 35,
    },
    wait(50, 'creation'),
  ],
  [
    'an answer to the same does not end the doubt',
    {
      plan: two,
      events: [...BARE, ...lost('item', 5, {item: RENT}), ...did('item', 6, {id: 'bstm_li_1'}, {item: RENT})],
      view: view(7),
      now: 7,
    },
    wait(35, 'creation'),
  ],
  ['what is missing is added', {events: BARE, view: view(1, NONE), now: 1}, call('item', {item: RENT})],
  [
    'in an edit, an item becomes another',
    {plan: {...EDIT, items: [WATER]}, events: taken(false), view: view(1), now: 1},
    call('change', {id: 'bstm_li_1', item: WATER}),
  ],
  [
    'an item that was edited meanwhile is somebody else’s',
    {
      plan: {...EDIT, items: [WATER]},
      events: [...NAMED, ...did('take_over', 0)],
      view: view(1, {line_items: [present('1', item('Gas'))]}),
      now: 1,
    },
    {type: 'stop', stop: {why: 'foreign', items: [present('1', item('Gas'))]}},
  ],
  ['the due time is set', {events: DRAFT, view: view(2, {due_at: null}), now: 2}, call('due')],
  [
    'also where another one was set before',
    {plan: {...PLAN, dueAt: 1_950_000_000}, events: [...DRAFT, ...dueSet(2)], view: view(2), now: 2},
    call('due'),
  ],
  [
    'none is, where none was asked for',
    {plan: {...unsent, dueAt: undefined}, events: DRAFT, view: view(2, {due_at: null}), now: 2},
    call('finalize'),
  ],
  [
    'the service may round it',
    {events: [...DRAFT, ...dueSet(2, DUE - 60)], view: view(3, {due_at: DUE - 60}), now: 3},
    call('finalize'),
  ],
  ['later, too', {events: [...DRAFT, ...dueSet(2, DUE - 60)], view: view(3, {due_at: DUE}), now: 3}, call('finalize')],
  [
    'and write an item in its own way',
    {
      events: [...BARE, ...did('item', 1, {id: 'bstm_li_1', item: item('RENT')}, {item: RENT})],
      view: view(2, {line_items: [present('1', item('RENT'))]}),
      now: 2,
    },
    call('finalize'),
  ],
  [
    'what an earlier process asked for may still come',
    {before: [...DRAFT, ...lost('due', 5)], started: 6, events: dueSet(7), view: view(7), now: 7},
    wait(35, 'creation'),
  ],
  [
    'also where this one asked for it once more, in vain',
    {before: [...DRAFT, ...lost('due', 5)], started: 6, events: lost('due', 7), view: view(7), now: 7},
    wait(35, 'creation'),
  ],
  [
    'what this process asked for says the same',
    {events: [...DRAFT, ...lost('due', 5)], view: view(6), now: 6},
    call('finalize'),
  ],
  [
    'also of another item',
    {
      events: [
        ...DRAFT,
        ...added('2', 2, WATER),
        ...lost('remove', 5, {id: 'bstm_li_9'}),
        ...lost('remove', 6, {id: 'bstm_li_2'}),
        ...did('remove', 7, {}, {id: 'bstm_li_2'}),
      ],
      view: view(7),
      now: 7,
    },
    call('finalize'),
  ],
  [
    'a finalize of an earlier process needs no wait',
    {before: [...DRAFT, ...lost('finalize', 5)], started: 6, view: view(7), now: 7},
    call('finalize'),
  ],
  ['an old look is not enough for finalizing', {events: DRAFT, view: view(2), now: 7.1}, LOOK],
  ['a look that is young enough is', {events: DRAFT, view: view(2), now: 7}, call('finalize')],
  ['what this run put together is not', {events: DRAFT, view: view(2, {}, 'assembled'), now: 2}, LOOK],
  [
    'after a finalize in doubt it is looked at',
    {events: [...DRAFT, ...lost('finalize', 4)], view: view(2), now: 5},
    LOOK,
  ],
  [
    'after the last of them',
    {before: [...DRAFT, ...lost('finalize', 1)], started: 2, events: lost('finalize', 4), view: view(3), now: 5},
    LOOK,
  ],
  ['and finalized again', {events: [...DRAFT, ...lost('finalize', 4)], view: view(4.1), now: 5}, call('finalize')],
  [
    'that was asked for is done',
    {plan: {...unsent, finalize: false}, events: DRAFT, view: view(2), now: 2},
    {type: 'done'},
  ],
]);

const replacing = (next: 'ask' | 'open' | 'void'): StatementPlan => ({...PLAN, replaces: {id: 'bstm_0', next}});
const VOIDING = replacing('void');
table('what replaces another statement', [
  [
    'its items come first',
    {plan: VOIDING, events: did('draft', 0, {id: 'bstm_1'}), view: view(1, NONE), now: 1},
    call('item'),
  ],
  ['then the old one is voided', {plan: VOIDING, events: DRAFT, view: view(2), now: 2}, call('void')],
  ['not before a look that is young', {plan: VOIDING, events: DRAFT, view: view(2), now: 8}, LOOK],
  [
    'answered, it is opened without another look',
    {plan: VOIDING, events: [...DRAFT, ...did('void', 3)], view: view(2), now: 4},
    call('finalize'),
  ],
  [
    'also by the process that goes on',
    {before: [...DRAFT, ...did('void', 3)], plan: replacing('ask'), started: 9, view: view(10), now: 10},
    call('finalize'),
  ],
  [
    'without an answer it is voided again',
    {plan: VOIDING, events: [...DRAFT, ...lost('void', 3)], view: view(2), now: 4},
    call('void'),
  ],
  [
    'at once, also by the process that goes on',
    {before: [...DRAFT, ...lost('void', 3)], plan: VOIDING, started: 4, view: view(4), now: 4},
    call('void'),
  ],
  ['after 429 too', {plan: VOIDING, events: [...DRAFT, ...refused('void', 3)], view: view(2), now: 4}, call('void')],
  [
    'a refusal ends it: somebody else may open theirs',
    {
      plan: VOIDING,
      events: [...DRAFT, ...refused('void', 3)],
      view: view(4),
      failure: failure('rejected', 'void', 3),
      now: 4,
    },
    stop('failed'),
  ],
  [
    'also one after no answer',
    {
      plan: VOIDING,
      events: [...DRAFT, ...lost('void', 3), ...refused('void', 4)],
      view: view(5),
      failure: failure('rejected', 'void', 4),
      now: 5,
    },
    stop('failed'),
  ],
  [
    'where the old one has ended, it is asked first',
    {plan: replacing('ask'), events: DRAFT, view: view(2), now: 2},
    stop('failed'),
  ],
  [
    'also where the void was not answered',
    {plan: replacing('ask'), events: [...DRAFT, ...lost('void', 3)], view: view(4), now: 4},
    stop('failed'),
  ],
  ['and then opened', {plan: replacing('open'), events: DRAFT, view: view(2), now: 2}, call('finalize')],
  [
    'what somebody opened too early ends the old one first',
    {plan: VOIDING, events: DRAFT, view: view(2, OPEN), now: 2},
    call('void'),
  ],
  [
    'once',
    {plan: VOIDING, events: [...DRAFT, ...did('void', 3)], view: view(4, OPEN), now: 4},
    stop('opened_by_other'),
  ],
  [
    'and is not asked about',
    {plan: {...replacing('ask'), send: false}, events: DRAFT, view: view(2, OPEN), now: 2},
    learn('opened'),
  ],
  [
    'a refusal then ends it, too',
    {
      plan: VOIDING,
      events: [...DRAFT, ...refused('void', 3)],
      view: view(4, OPEN),
      failure: failure('rejected', 'void', 3),
      now: 4,
    },
    stop('failed'),
  ],
  [
    'what its own run opened is sent',
    {plan: VOIDING, events: [...DRAFT, ...did('void', 3), ...did('finalize', 4)], view: view(5, OPEN, 'final'), now: 5},
    call('send'),
  ],
]);

const finalizes: StatementPlan = {id: 'bstm_1', items: [], finalize: true, send: false, named: {}};
const sends: StatementPlan = {...finalizes, finalize: false, send: true, named: {shown: {amount: 100_00}}};
table('what a person named', [
  ['is finalized', {plan: finalizes, events: NAMED, now: 0}, call('finalize')],
  [
    'and is done',
    {plan: finalizes, events: [...NAMED, ...did('finalize', 1)], view: view(1, OPEN, 'final'), now: 1},
    {type: 'done'},
  ],
  [
    'an old read that shows a draft is not printed',
    {plan: finalizes, events: [...NAMED, ...did('finalize', 1)], view: view(2), now: 2},
    {type: 'wait', why: 'lag'},
  ],
  [
    'but one that can be no older is',
    {plan: finalizes, events: [...NAMED, ...did('finalize', 1)], view: view(17), now: 17},
    {type: 'done'},
  ],
  [
    'a refusal after a doubt is looked at, since the first may have been applied',
    {
      plan: finalizes,
      events: [...NAMED, ...lost('finalize', 1)],
      view: view(2),
      failure: failure('rejected', 'finalize', 3),
      now: 4,
    },
    {type: 'wait', why: 'lag'},
  ],
  [
    'and is done where it was',
    {
      plan: finalizes,
      events: [...NAMED, ...lost('finalize', 1)],
      view: view(4, OPEN),
      failure: failure('rejected', 'finalize', 3),
      now: 4,
    },
    {type: 'done'},
  ],
  [
    'where the answer shows nothing, it is looked at',
    {plan: finalizes, events: [...NAMED, ...did('finalize', 1)], now: 1},
    LOOK,
  ],
  ['also after no answer', {plan: finalizes, events: [...NAMED, ...lost('finalize', 1)], now: 1}, LOOK],
  ['not as it was before', {plan: finalizes, events: [...NAMED, ...lost('finalize', 1)], view: view(0), now: 1}, LOOK],
  [
    'a draft is finalized again',
    {plan: finalizes, events: [...NAMED, ...lost('finalize', 1)], view: view(2), now: 2},
    call('finalize'),
  ],
  [
    'what is open is done',
    {plan: finalizes, events: [...NAMED, ...lost('finalize', 1)], view: view(2, OPEN), now: 2},
    {type: 'done'},
  ],
  [
    'a failure ends it',
    {plan: finalizes, events: NAMED, view: view(2), failure: failure('rejected', 'finalize', 1), now: 2},
    stop('failed'),
  ],
  ['what was shown is looked at before it is sent', {plan: sends, events: NAMED, now: 0}, LOOK],
  ['and sent', {plan: sends, events: NAMED, view: view(1, OPEN), now: 1}, call('send')],
  [
    'not with another amount',
    {plan: sends, events: NAMED, view: view(1, {...OPEN, amount: 1}), now: 1},
    stop('changed'),
  ],
  ['nor a draft', {plan: sends, events: NAMED, view: view(1), now: 1}, stop('ended')],
  ['nor a void one', {plan: sends, events: NAMED, view: view(1, {status: 'void'}), now: 1}, stop('ended')],
  ['nor twice', {plan: sends, events: [...NAMED, ...did('send', 2)], view: view(1, OPEN), now: 2}, {type: 'done'}],
  ['what nobody was shown is sent without a look', {plan: {...sends, named: {}}, events: NAMED, now: 0}, call('send')],
]);

test('an answer ends the doubt about the same change, and no other', () => {
  const removal = (id: string, when: number): RunEvent[] => lost('remove', when, {id: `bstm_li_${id}`});
  const events = [
    ...removal('1', 0),
    ...removal('2', 1),
    ...removal('1', 2),
    ...did('remove', 3, {}, {id: 'bstm_li_1'}),
  ];
  const {uncertain} = events.reduce((known, event) => evolve(known, event), INITIAL_RUN_STATE);
  expect(uncertain.map(({n, id}) => [n, id])).toEqual([[1, 'bstm_li_2']]);
});

test('what a service is relied on for is told by where it is, and by what it says of its reads', () => {
  const relied = [{embedded: true}, {embedded: false}, {embedded: false, consistent: true}].map(serviceTimingOf);
  expect(relied.map(({settle, lag}) => [settle, lag])).toEqual([
    [0, 0],
    [15_000, 15_000],
    [15_000, 0],
  ]);
});

const FIRST: StatementPlan = {...PLAN, stage: 'items', finalize: false, send: false};
const SECOND: StatementPlan = {...PLAN, stage: 'rest'};
/** The same draft, with the payment settings that its creation was answered with. */
const MADE = [...did('draft', 0, {id: 'bstm_1', settings: {payment_methods: ['card']}}), ...added('1', 1)];
table('a row of an import', [
  [
    'of a new customer makes only that, first',
    {plan: {newCustomer: NEW_CUSTOMER, items: [], finalize: false, send: false}, now: 0},
    call('customer'),
  ],
  [
    'and is done when it is there',
    {
      plan: {newCustomer: NEW_CUSTOMER, items: [], finalize: false, send: false},
      events: did('customer', 0, {id: 'cus_2'}),
      now: 1,
    },
    {type: 'done'},
  ],
  [
    'rests when every item was answered, without the due time',
    {plan: FIRST, events: MADE, view: view(1, {due_at: null}, 'assembled'), now: 1},
    {type: 'done'},
  ],
  [
    'adds the item that is missing before it rests',
    {plan: FIRST, events: did('draft', 0, {id: 'bstm_1'}), view: view(1, {line_items: [], amount: 0}), now: 1},
    call('item'),
  ],
  ['goes on with the due time, and needs no look first', {plan: SECOND, events: MADE, now: 20}, call('due')],
  ['but looks where a change is in doubt', {plan: SECOND, events: [...MADE, ...lost('due', 20)], now: 21}, LOOK],
  ['or an item is not known to be there', {plan: SECOND, events: MADE.slice(0, 2), now: 20}, LOOK],
  [
    'or one was taken out again',
    {plan: SECOND, events: [...MADE, ...did('remove', 2, {}, {id: 'bstm_li_1'})], now: 20},
    LOOK,
  ],
  ['or the payment settings are not known, which an update requires', {plan: SECOND, events: DRAFT, now: 20}, LOOK],
  ['or the due time is set', {plan: SECOND, events: [...MADE, ...dueSet(20)], now: 21}, LOOK],
  ['or somebody opened it', {plan: SECOND, events: [...MADE, {type: 'opened', at: at(5)}], now: 20}, LOOK],
  ['a single statement always looks', {plan: PLAN, events: MADE, now: 20}, LOOK],
  [
    'of another machine is waited for, though its key is the same',
    {
      plan: SECOND,
      events: NAMED,
      self: {key: 'same'},
      view: view(1, {metadata: {[PLAN_KEY]: 'same'}}),
      now: 1,
    },
    {...call('take_over'), waits: true},
  ],
  [
    'whose customer pays before it is sent is done',
    {
      plan: SECOND,
      events: [...MADE, ...dueSet(2), ...did('finalize', 3), ...refused('send', 4)],
      view: view(5, {status: 'paid'}),
      failure: failure('rejected', 'send', 4),
      now: 5,
    },
    {type: 'done'},
  ],
]);
