// The decision table: the state of a run, the last read, and the next action. Times are seconds after START.

import {describe, expect, test} from 'vitest';
import {PREVIOUS_RUNS_KEY, PLAN_KEY, RUN_KEY} from '../../../../src/billing/statement/metadata-keys.js';
import type {ExistingItem, BillingStatementData, StatementPlan} from '../../../../src/billing/statement/plan.js';
import type {StatementItem} from '../../../../src/input/items.js';
import {
  decide,
  type NextAction,
  type ProcessMemory,
  type RunIdentity,
  type ObservedStatement,
} from '../../../../src/billing/statement/workflow/decide.js';
import {
  EMBEDDED_TIMING,
  HTTP_TIMING,
  serviceTimingOf,
  type ServiceTiming,
} from '../../../../src/billing/statement/workflow/service-timing.js';
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
  /** The events of earlier processes, and the start of this one. */
  readonly before?: readonly RunEvent[];
  readonly started?: number;
  readonly events?: readonly RunEvent[];
  readonly identity?: Partial<RunIdentity>;
  readonly timing?: ServiceTiming;
  readonly now: number;
}

function next({
  plan = PLAN,
  before = [],
  started = 0,
  events = [],
  identity,
  timing = HTTP_TIMING,
  now,
  ...more
}: State): NextAction {
  const earlier = before.reduce((sum, event) => evolve(sum, event, true), INITIAL_RUN_STATE);
  const state = events.reduce((sum, event) => evolve(sum, event), earlier);
  const memory = {startedAt: at(started), isCompared: true, ...more};
  return decide({plan, state, memory, identity: {...SELF, ...identity}, timing, now: at(now)});
}

const stop = (why: string): object => ({type: 'stop', stop: {why}});
const wait = (until: number, why: string): object => ({type: 'wait', until: at(until), why});
const READ = {type: 'read'};
const DONE = {type: 'done'};
const call = (which: RunCall, more: object = {}): object => ({type: 'call', call: which, ...more});
const record = (type: RunEvent['type'], more: object = {}): object => ({type: 'record', event: {type, ...more}});

type Row = readonly [title: string, state: State, action: object];
function table(name: string, rows: readonly Row[]): void {
  describe(name, () => {
    test.each(rows)('%s', (_title, state, action) => expect(next(state)).toMatchObject(action));
  });
}

const ordered = {...PLAN, newCustomer: NEW_CUSTOMER};
table('before there is a draft', [
  ['creates a new customer first', {plan: ordered, now: 0}, call('customer')],
  ['then creates the draft', {plan: ordered, events: did('customer', 0, {id: 'cus_2'}), now: 1}, call('draft')],
  ['creates only the draft for an existing customer', {now: 0}, call('draft')],
  [
    'waits for an uncertain customer until reads must show it',
    {plan: ordered, events: lost('customer', 10), now: 40.9},
    wait(41, 'creation'),
  ],
  ['then looks for it', {plan: ordered, events: lost('customer', 10), now: 41}, {type: 'find', call: 'customer'}],
  ['waits for an uncertain draft', {events: lost('draft', 10), now: 40.9}, wait(41, 'creation')],
  [
    'and then looks for it',
    {events: lost('draft', 10), now: 41},
    {type: 'find', call: 'draft', uncertain: {n: 0, endedAt: at(10)}},
  ],
  [
    'counts the wait from the end of the call',
    {events: [intend('draft', 0), {type: 'outcome_unknown', at: at(10)}], now: 31},
    wait(41, 'creation'),
  ],
  ['then creates it again', {events: [...lost('draft', 10), {type: 'not_found', n: 0}], now: 41}, call('draft')],
  [
    'gives up only the uncertain draft that never appeared',
    {events: [...lost('customer', 0), ...lost('draft', 10), {type: 'not_found', n: 0}], now: 12},
    wait(41, 'creation'),
  ],
  [
    'uses a draft that was found',
    {events: [...lost('draft', 10), {type: 'found', n: 0, at: at(41), id: 'bstm_1'}], now: 41},
    READ,
  ],
  [
    'does not wait in the embedded sandbox',
    {events: lost('draft', 10), timing: EMBEDDED_TIMING, now: 10},
    {type: 'find', call: 'draft'},
  ],
  ['stops after a refusal', {failure: failure('rejected', 'draft', 1), now: 1}, stop('failed')],
]);

const ITEM = {line_items: [present('1')]};
const NONE = {line_items: [], amount: 0};
table('old and failed reads', [
  ['reads the statement first', {events: DRAFT, now: 2}, READ],
  ['reads a missing draft again within the lag', {events: DRAFT, missing: missing(5), now: 6}, wait(11, 'lag')],
  ['stops when every read must show it', {events: DRAFT, missing: missing(16), now: 16}, stop('failed')],
  ['reads again while an answered item is missing', {events: DRAFT, view: view(7.9, NONE), now: 8}, wait(15, 'lag')],
  ['reads the last time when the item must be shown', {events: DRAFT, view: view(10, NONE), now: 10}, wait(16, 'lag')],
  ['reads soon the first time', {events: DRAFT, view: view(1, NONE), now: 1.1}, wait(1.6, 'lag')],
  ['stops when the item stays missing', {events: DRAFT, view: view(16, NONE), now: 16}, stop('not_shown')],
  [
    'stops when a changed item is missing',
    {events: DRAFT, view: view(16, {line_items: [present('1', WATER)]}), now: 16},
    stop('not_shown'),
  ],
  [
    'stops when a removed item is still there',
    {
      events: [...DRAFT, ...added('2', 2), ...did('remove', 3, {}, {id: 'bstm_li_2'})],
      view: view(18, {line_items: [present('1'), present('2')]}),
      now: 18,
    },
    stop('not_shown'),
  ],
  [
    'stops when the answered due time is missing',
    {events: [...DRAFT, ...dueSet(2)], view: view(17, {due_at: 1}), now: 17},
    stop('not_shown'),
  ],
  [
    'stops when the due time of a takeover is missing',
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
  ['stops when written keys are missing', {events: DRAFT, view: view(16, {metadata: {}}), now: 16}, stop('not_shown')],
  [
    'stops when the keys of a takeover are missing',
    {events: [...NAMED, ...did('take_over', 1)], view: view(16, {metadata: {[PLAN_KEY]: 'plan'}}), now: 16},
    stop('not_shown'),
  ],
  [
    'reads again while a finalized statement is a draft',
    {events: [...DRAFT, ...did('finalize', 3)], view: view(4), now: 5},
    wait(7, 'lag'),
  ],
  [
    'reads again also if another run finalized it',
    {events: [...DRAFT, {type: 'opened', at: at(3)}], view: view(4), now: 5},
    wait(7, 'lag'),
  ],
  ['reads after a refusal', {events: DRAFT, view: view(9), failure: failure('rejected', 'due', 10), now: 10}, READ],
  ['reads after not_found', {events: DRAFT, view: view(9), failure: failure('not_found', 'remove', 10), now: 10}, READ],
]);

table('changes of an earlier process that were reverted', [
  ['records the revert', {before: DRAFT, started: 100, view: view(101, NONE), now: 101}, record('reverted')],
  [
    'carries out the plan on the current items',
    {before: DRAFT, started: 100, events: [{type: 'reverted'}], view: view(101, NONE), now: 101},
    call('item', {item: RENT}),
  ],
  [
    'sets the due time again',
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
    'stops when a finalized statement is a draft again',
    {before: [...DRAFT, ...did('finalize', 3)], started: 100, view: view(101), now: 101},
    stop('not_shown'),
  ],
  [
    'stops if the keys are still missing after a revert',
    {before: DRAFT, started: 100, events: [{type: 'reverted'}], view: view(101, {metadata: {}}), now: 101},
    stop('not_shown'),
  ],
  [
    'does not call its own changes reverted',
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
table('owners', [
  ['is done when sent', {events: [...FINALIZED, ...did('send', 4)], view: view(5, OPEN, 'final'), now: 5}, DONE],
  [
    'stops when it was sent with other items',
    {
      events: [...FINALIZED, ...did('send', 4)],
      plan: {...PLAN, items: [{description: 'Another', quantity: 1, unit_price: 1}]},
      view: view(5, OPEN, 'final'),
      now: 5,
    },
    stop('mismatch'),
  ],
  [
    'never repeats an intended send',
    {events: [...FINALIZED, SEND_INTENDED], view: view(5, OPEN, 'final'), now: 5},
    stop('send_in_doubt'),
  ],
  [
    'never repeats an unknown send',
    {events: [...FINALIZED, ...lost('send', 4)], view: view(5, OPEN, 'final'), now: 5},
    stop('send_in_doubt'),
  ],
  [
    'repeats a refused send',
    {events: [...FINALIZED, ...refused('send', 4)], view: view(5, OPEN, 'final'), now: 5},
    call('send'),
  ],
  [
    'takes over the draft of another run',
    {plan: CONTINUED, events: NAMED, view: view(1, {metadata: THEIRS}), now: 1},
    {...call('take_over'), previousOwners: ['theirs'], waits: true},
  ],
  [
    'records all previous owners',
    {
      plan: CONTINUED,
      events: NAMED,
      view: view(1, {metadata: {...THEIRS, [PREVIOUS_RUNS_KEY]: 'first second'}}),
      now: 1,
    },
    {...call('take_over'), previousOwners: ['first', 'second', 'theirs'], waits: true},
  ],
  [
    'does not wait for a draft without an owner',
    {plan: CONTINUED, events: NAMED, view: view(1, {metadata: null}), now: 1},
    {...call('take_over'), previousOwners: [], waits: false},
  ],
  [
    'treats a draft without a run key as owned by its plan',
    {plan: CONTINUED, events: NAMED, view: view(1, {metadata: {[PLAN_KEY]: 'old'}}), now: 1},
    {...call('take_over'), previousOwners: ['old'], waits: true},
  ],
  [
    'stops when another run took the draft over',
    {events: DRAFT, view: view(5, {metadata: {...THEIRS, [PREVIOUS_RUNS_KEY]: 'mine'}}), now: 5},
    stop('taken'),
  ],
  [
    'stops when another run took over an open one',
    {events: FINALIZED, view: view(5, {...OPEN, metadata: {...THEIRS, [PREVIOUS_RUNS_KEY]: 'mine'}}), now: 5},
    stop('taken'),
  ],
  [
    'stops even before its own takeover was confirmed',
    {plan: CONTINUED, events: NAMED, view: view(5, {metadata: {...THEIRS, [PREVIOUS_RUNS_KEY]: 'mine'}}), now: 5},
    stop('taken'),
  ],
  [
    'continues a draft that it took back',
    {
      plan: CONTINUED,
      events: taken(false),
      view: view(5, {metadata: {...MINE, [PREVIOUS_RUNS_KEY]: 'mine theirs'}}),
      now: 5,
    },
    call('finalize'),
  ],
  [
    'stops when other keys replaced its own',
    {plan: CONTINUED, events: taken(true), view: view(5, {metadata: THEIRS}), now: 5},
    stop('taken'),
  ],
  ['waits after a takeover', {plan: CONTINUED, events: taken(true), view: view(1), now: 59.9}, wait(60, 'takeover')],
  ['then reads it', {plan: CONTINUED, events: taken(true), view: view(59.9), now: 60}, READ],
  ['and continues', {plan: CONTINUED, events: taken(true), view: view(60), now: 60}, call('finalize')],
  [
    'continues at once if there was no other owner',
    {plan: CONTINUED, events: taken(false), view: view(1), now: 1},
    call('finalize'),
  ],
  [
    'continues at once in the embedded sandbox',
    {plan: CONTINUED, events: taken(true), view: view(1), timing: EMBEDDED_TIMING, now: 1},
    call('finalize'),
  ],
  ['stops when deleted', {events: DRAFT, view: view(5, {deleted: true}), now: 5}, stop('ended')],
  ['stops when void', {events: FINALIZED, view: view(5, {status: 'void'}), now: 5}, stop('ended')],
  ['stops when uncollectible', {events: FINALIZED, view: view(5, {status: 'uncollectible'}), now: 5}, stop('ended')],
]);

const seenOpen: RunEvent[] = [...DRAFT, ...lost('finalize', 3), {type: 'opened', at: at(10)}];
const unsent = {...PLAN, send: false};
/** Finalized by this run, as the answer to finalize showed it. */
const answered = (more: object = {}, plan = PLAN): State => ({
  plan,
  events: FINALIZED,
  view: view(3, {...OPEN, ...more}, 'final'),
  now: 3,
});
table('an open statement', [
  ['does not send what another finalized', {events: DRAFT, view: view(5, OPEN), now: 5}, stop('opened_by_other')],
  [
    'does not send after a refused finalize',
    {events: [...DRAFT, ...refused('finalize', 3)], view: view(5, OPEN), now: 5},
    stop('opened_by_other'),
  ],
  [
    'does not send the statement of another run',
    {
      plan: CONTINUED,
      events: [...NAMED, ...lost('finalize', 3)],
      view: view(5, {...OPEN, metadata: THEIRS}),
      now: 5,
    },
    stop('opened_by_other'),
  ],
  [
    'does not send the statement of another machine',
    {
      plan: CONTINUED,
      before: [...NAMED, ...lost('finalize', 3)],
      view: view(30, {...OPEN, metadata: {[PLAN_KEY]: 'old'}}),
      now: 30,
    },
    stop('opened_by_other'),
  ],
  [
    'reports an edited draft that is open as changed',
    {plan: {...CONTINUED, edits: statement()}, events: NAMED, view: view(5, OPEN), now: 5},
    stop('changed'),
  ],
  ['records when it was seen open', {events: seenOpen.slice(0, -1), view: view(5, OPEN), now: 10}, record('opened')],
  ['waits until the amount is current', {events: seenOpen, view: view(5, OPEN), now: 12}, wait(25, 'opened')],
  ['reads again after an early read', {events: seenOpen, view: view(24.9, OPEN), now: 25}, READ],
  ['sends after a current read', {events: seenOpen, view: view(25, OPEN), now: 25}, call('send')],
  [
    'counts from the first sight',
    {events: [...seenOpen, {type: 'opened', at: at(20)}], view: view(25, OPEN), now: 25},
    call('send'),
  ],
  ['waits after an empty answer to finalize', {events: FINALIZED, view: view(5, OPEN), now: 5}, wait(18, 'opened')],
  ['trusts the answer to finalize', answered(), call('send')],
  [
    'trusts it also after an unknown finalize',
    {events: [...DRAFT, ...lost('finalize', 3), ...did('finalize', 5)], view: view(5, OPEN, 'final'), now: 5},
    call('send'),
  ],
  ['does not email a paid statement', answered({status: 'paid'}), DONE],
  ['does not send if the plan does not', answered({}, unsent), DONE],
  ['does not send another amount', answered({amount: 1}), stop('mismatch')],
  [
    'does not send an extra item',
    answered({line_items: [present('1'), present('2', WATER)], amount: null}),
    stop('mismatch'),
  ],
  ['does not send an item twice', answered({line_items: [present('1'), present('2')], amount: null}), stop('mismatch')],
  [
    'does not send with an item missing',
    answered({amount: undefined}, {...PLAN, items: [RENT, WATER]}),
    stop('mismatch'),
  ],
  ['does not send another due time', answered({due_at: 1}), stop('mismatch')],
  [
    'accepts any amount if the plan has no items',
    {
      plan: {...CONTINUED, items: [], dueAt: undefined, send: false},
      events: [...NAMED, {type: 'opened', at: at(0)}],
      view: view(20, OPEN),
      now: 20,
    },
    DONE,
  ],
]);

const EDIT: StatementPlan = {...CONTINUED, edits: statement(), finalize: false, send: false};
const absent = (n: number): RunEvent => ({type: 'not_found', n});
/** A draft of this run, without its item. */
const BARE = did('draft', 0, {id: 'bstm_1'});
const two = {...PLAN, items: [RENT, RENT]};
table('a draft', [
  [
    'reports a refusal',
    {events: DRAFT, view: view(11), failure: failure('rejected', 'due', 10), now: 11},
    stop('failed'),
  ],
  [
    'reports a not-found answer',
    {events: DRAFT, view: view(11), failure: failure('not_found', 'due', 10), now: 11},
    stop('failed'),
  ],
  [
    'reads again when a refusal follows an unknown finalize',
    {events: [...DRAFT, ...lost('finalize', 3)], view: view(12), failure: failure('rejected', 'finalize', 10), now: 12},
    wait(14, 'lag'),
  ],
  [
    'stops when a read still shows a draft',
    {events: [...DRAFT, ...lost('finalize', 3)], view: view(25), failure: failure('rejected', 'finalize', 10), now: 25},
    stop('failed'),
  ],
  [
    'records it when a read shows it open',
    {
      events: [...DRAFT, ...lost('finalize', 3)],
      view: view(12, OPEN),
      failure: failure('rejected', 'finalize', 10),
      now: 12,
    },
    record('opened'),
  ],
  [
    'stops without another read if the API is unavailable',
    {events: DRAFT, view: view(9), failure: failure('unavailable', 'due', 10), now: 11},
    stop('failed'),
  ],
  [
    'stops after a refused send',
    {
      events: [...FINALIZED, ...refused('send', 4)],
      view: view(5, OPEN, 'final'),
      failure: failure('rejected', 'send', 4),
      now: 5,
    },
    stop('failed'),
  ],
  ['compares it first', {plan: CONTINUED, events: NAMED, isCompared: false, view: view(1), now: 1}, {type: 'compared'}],
  [
    'does not finalize a replacement',
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
    'does not edit a draft that changed',
    {plan: EDIT, events: NAMED, isCompared: false, view: view(1, {due_at: 1}), now: 1},
    stop('changed'),
  ],
  [
    'records an uncertain item that appears',
    {events: [...BARE, ...lost('item', 5, {item: RENT})], view: view(6), now: 6},
    record('found', {n: 1, id: 'bstm_li_1', item: RENT}),
  ],
  [
    'records an item that was given up',
    {events: [...BARE, ...lost('item', 5, {item: RENT}), absent(1)], view: view(40), now: 40},
    record('found', {n: 1}),
  ],
  [
    'does not mistake an answered item for it',
    {events: [...DRAFT, ...lost('item', 5, {item: RENT})], plan: two, view: view(6), now: 6},
    wait(35, 'creation'),
  ],
  [
    'does not mistake an earlier item for it',
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
    'does not mistake an edited item for it',
    {
      plan: {...EDIT, items: [RENT, RENT]},
      events: [...NAMED, ...did('take_over', 0), ...lost('item', 5, {item: RENT})],
      view: view(6),
      now: 6,
    },
    wait(35, 'creation'),
  ],
  [
    'finds no item for an uncertain change',
    {
      plan: EDIT,
      events: [...NAMED, ...did('take_over', 0), ...lost('change', 5, {id: 'bstm_li_0', item: RENT})],
      view: view(6),
      now: 6,
    },
    DONE,
  ],
  [
    'adds no item that was found',
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
    'matches each uncertain item with its own',
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
    'does not remove foreign items',
    {events: DRAFT, view: view(5, {line_items: [present('1'), present('2', WATER)]}), now: 5},
    {type: 'stop', stop: {why: 'foreign', items: [present('2', WATER)]}},
  ],
  [
    'does not remove a foreign duplicate',
    {events: BARE, view: view(5, {line_items: [present('1'), present('2')]}), now: 5},
    {type: 'stop', stop: {why: 'foreign', items: [present('2')]}},
  ],
  [
    'removes its own duplicate',
    {events: [...DRAFT, ...added('2', 2)], view: view(5, {line_items: [present('1'), present('2')]}), now: 5},
    call('remove', {id: 'bstm_li_2'}),
  ],
  [
    'removes its own item, not the equal foreign one',
    {events: DRAFT, view: view(5, {line_items: [present('0'), present('1')]}), now: 5},
    call('remove', {id: 'bstm_li_1'}),
  ],
  [
    'removes its own item even if it comes first',
    {events: DRAFT, view: view(5, {line_items: [present('1'), present('2')]}), now: 5},
    call('remove', {id: 'bstm_li_1'}),
  ],
  [
    'removes its own item that is not wanted',
    {
      events: [...DRAFT, ...added('2', 2, WATER)],
      view: view(5, {line_items: [present('1'), present('2', WATER)]}),
      now: 5,
    },
    call('remove', {id: 'bstm_li_2'}),
  ],
  [
    'adds no item while one is uncertain',
    {events: [...BARE, ...lost('item', 5, {item: RENT})], view: view(6, NONE), now: 20},
    wait(35, 'creation'),
  ],
  [
    'waits for the settle time after the end of the call',
    {
      events: [...BARE, intend('item', 0, {item: RENT}), {type: 'outcome_unknown', at: at(10)}],
      view: view(6, NONE),
      now: 31,
    },
    wait(40, 'creation'),
  ],
  [
    'reads again after an early read',
    {events: [...BARE, ...lost('item', 5, {item: RENT})], view: view(34.9, NONE), now: 35},
    READ,
  ],
  [
    'gives up after a current read',
    {events: [...BARE, ...lost('item', 5, {item: RENT})], view: view(35, NONE), now: 35},
    record('not_found', {n: 1}),
  ],
  [
    'then adds it again',
    {events: [...BARE, ...lost('item', 5, {item: RENT}), absent(1)], view: view(35, NONE), now: 35},
    call('item', {item: RENT}),
  ],
  [
    'still waits for the other uncertain item',
    {
      plan: two,
      events: [...BARE, ...lost('item', 5, {item: RENT}), ...lost('item', 20, {item: RENT}), absent(1)],
      view: view(35, NONE),
      now: 35,
    },
    wait(50, 'creation'),
  ],
  [
    'keeps an item uncertain when an equal one is answered',
    {
      plan: two,
      events: [...BARE, ...lost('item', 5, {item: RENT}), ...did('item', 6, {id: 'bstm_li_1'}, {item: RENT})],
      view: view(7),
      now: 7,
    },
    wait(35, 'creation'),
  ],
  ['adds a missing item', {events: BARE, view: view(1, NONE), now: 1}, call('item', {item: RENT})],
  [
    'changes an item in an edit',
    {plan: {...EDIT, items: [WATER]}, events: taken(false), view: view(1), now: 1},
    call('change', {id: 'bstm_li_1', item: WATER}),
  ],
  [
    'treats an item that was edited elsewhere as foreign',
    {
      plan: {...EDIT, items: [WATER]},
      events: [...NAMED, ...did('take_over', 0)],
      view: view(1, {line_items: [present('1', item('Gas'))]}),
      now: 1,
    },
    {type: 'stop', stop: {why: 'foreign', items: [present('1', item('Gas'))]}},
  ],
  ['sets the due time', {events: DRAFT, view: view(2, {due_at: null}), now: 2}, call('due')],
  [
    'replaces another due time',
    {plan: {...PLAN, dueAt: 1_950_000_000}, events: [...DRAFT, ...dueSet(2)], view: view(2), now: 2},
    call('due'),
  ],
  [
    'sets no due time without one',
    {plan: {...unsent, dueAt: undefined}, events: DRAFT, view: view(2, {due_at: null}), now: 2},
    call('finalize'),
  ],
  [
    'accepts a rounded due time',
    {events: [...DRAFT, ...dueSet(2, DUE - 60)], view: view(3, {due_at: DUE - 60}), now: 3},
    call('finalize'),
  ],
  [
    'accepts a due time that was rounded later',
    {events: [...DRAFT, ...dueSet(2, DUE - 60)], view: view(3, {due_at: DUE}), now: 3},
    call('finalize'),
  ],
  [
    'accepts a reformatted item',
    {
      events: [...BARE, ...did('item', 1, {id: 'bstm_li_1', item: item('RENT')}, {item: RENT})],
      view: view(2, {line_items: [present('1', item('RENT'))]}),
      now: 2,
    },
    call('finalize'),
  ],
  [
    'waits for an unknown change of an earlier process',
    {before: [...DRAFT, ...lost('due', 5)], started: 6, events: dueSet(7), view: view(7), now: 7},
    wait(35, 'creation'),
  ],
  [
    'waits also after an unknown change of its own',
    {before: [...DRAFT, ...lost('due', 5)], started: 6, events: lost('due', 7), view: view(7), now: 7},
    wait(35, 'creation'),
  ],
  ['waits for no change of its own', {events: [...DRAFT, ...lost('due', 5)], view: view(6), now: 6}, call('finalize')],
  [
    'does not wait for its own unknown change of another item',
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
    'does not wait for an earlier unknown finalize',
    {before: [...DRAFT, ...lost('finalize', 5)], started: 6, view: view(7), now: 7},
    call('finalize'),
  ],
  ['reads again before finalizing', {events: DRAFT, view: view(2), now: 7.1}, READ],
  ['finalizes after a recent read', {events: DRAFT, view: view(2), now: 7}, call('finalize')],
  ['reads again after an assembled view', {events: DRAFT, view: view(2, {}, 'assembled'), now: 2}, READ],
  ['reads after an unknown finalize', {events: [...DRAFT, ...lost('finalize', 4)], view: view(2), now: 5}, READ],
  [
    'reads after the last unknown finalize',
    {before: [...DRAFT, ...lost('finalize', 1)], started: 2, events: lost('finalize', 4), view: view(3), now: 5},
    READ,
  ],
  ['then finalizes again', {events: [...DRAFT, ...lost('finalize', 4)], view: view(4.1), now: 5}, call('finalize')],
  [
    'is done with a draft if only a draft was wanted',
    {plan: {...unsent, finalize: false}, events: DRAFT, view: view(2), now: 2},
    DONE,
  ],
]);

const replacing = (next: 'ask' | 'open' | 'void'): StatementPlan => ({...PLAN, replaces: {id: 'bstm_0', next}});
const VOIDING = replacing('void');
table('a replacement', [
  [
    'adds its items first',
    {plan: VOIDING, events: did('draft', 0, {id: 'bstm_1'}), view: view(1, NONE), now: 1},
    call('item'),
  ],
  ['then voids the old one', {plan: VOIDING, events: DRAFT, view: view(2), now: 2}, call('void')],
  ['reads again before the void', {plan: VOIDING, events: DRAFT, view: view(2), now: 8}, READ],
  [
    'finalizes without another read after the answer',
    {plan: VOIDING, events: [...DRAFT, ...did('void', 3)], view: view(2), now: 4},
    call('finalize'),
  ],
  [
    'finalizes also in the next process',
    {before: [...DRAFT, ...did('void', 3)], plan: replacing('ask'), started: 9, view: view(10), now: 10},
    call('finalize'),
  ],
  [
    'voids again without an answer',
    {plan: VOIDING, events: [...DRAFT, ...lost('void', 3)], view: view(2), now: 4},
    call('void'),
  ],
  [
    'voids again at once in the next process',
    {before: [...DRAFT, ...lost('void', 3)], plan: VOIDING, started: 4, view: view(4), now: 4},
    call('void'),
  ],
  ['voids after 429', {plan: VOIDING, events: [...DRAFT, ...refused('void', 3)], view: view(2), now: 4}, call('void')],
  [
    'stops after a refused void',
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
    'stops after a refusal that follows no answer',
    {
      plan: VOIDING,
      events: [...DRAFT, ...lost('void', 3), ...refused('void', 4)],
      view: view(5),
      failure: failure('rejected', 'void', 4),
      now: 5,
    },
    stop('failed'),
  ],
  ['stops to ask if the old one ended', {plan: replacing('ask'), events: DRAFT, view: view(2), now: 2}, stop('failed')],
  [
    'stops to ask also if the void was not answered',
    {plan: replacing('ask'), events: [...DRAFT, ...lost('void', 3)], view: view(4), now: 4},
    stop('failed'),
  ],
  ['then finalizes', {plan: replacing('open'), events: DRAFT, view: view(2), now: 2}, call('finalize')],
  [
    'voids the old one if the replacement was opened early',
    {plan: VOIDING, events: DRAFT, view: view(2, OPEN), now: 2},
    call('void'),
  ],
  [
    'voids it once, and does not send',
    {plan: VOIDING, events: [...DRAFT, ...did('void', 3)], view: view(4, OPEN), now: 4},
    stop('opened_by_other'),
  ],
  [
    'continues an open replacement if the old one has ended',
    {plan: {...replacing('ask'), send: false}, events: DRAFT, view: view(2, OPEN), now: 2},
    record('opened'),
  ],
  [
    'stops after a refusal of that void',
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
    'sends what its own run finalized',
    {plan: VOIDING, events: [...DRAFT, ...did('void', 3), ...did('finalize', 4)], view: view(5, OPEN, 'final'), now: 5},
    call('send'),
  ],
]);

const finalizes: StatementPlan = {id: 'bstm_1', items: [], finalize: true, send: false, named: {}};
const sends: StatementPlan = {...finalizes, finalize: false, send: true, named: {shown: {amount: 100_00}}};
table('a statement that a person named', [
  ['finalizes it', {plan: finalizes, events: NAMED, now: 0}, call('finalize')],
  [
    'then is done',
    {plan: finalizes, events: [...NAMED, ...did('finalize', 1)], view: view(1, OPEN, 'final'), now: 1},
    DONE,
  ],
  [
    'reads again while an old read shows a draft',
    {plan: finalizes, events: [...NAMED, ...did('finalize', 1)], view: view(2), now: 2},
    {type: 'wait', why: 'lag'},
  ],
  [
    'accepts a draft that a current read shows',
    {plan: finalizes, events: [...NAMED, ...did('finalize', 1)], view: view(17), now: 17},
    DONE,
  ],
  [
    'reads after a refusal that follows an unknown finalize',
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
    'is done if the first one was applied',
    {
      plan: finalizes,
      events: [...NAMED, ...lost('finalize', 1)],
      view: view(4, OPEN),
      failure: failure('rejected', 'finalize', 3),
      now: 4,
    },
    DONE,
  ],
  ['reads after an empty answer', {plan: finalizes, events: [...NAMED, ...did('finalize', 1)], now: 1}, READ],
  ['reads after no answer', {plan: finalizes, events: [...NAMED, ...lost('finalize', 1)], now: 1}, READ],
  ['ignores an old read', {plan: finalizes, events: [...NAMED, ...lost('finalize', 1)], view: view(0), now: 1}, READ],
  [
    'finalizes a draft again',
    {plan: finalizes, events: [...NAMED, ...lost('finalize', 1)], view: view(2), now: 2},
    call('finalize'),
  ],
  [
    'is done when it is open',
    {plan: finalizes, events: [...NAMED, ...lost('finalize', 1)], view: view(2, OPEN), now: 2},
    DONE,
  ],
  [
    'stops after a failure',
    {plan: finalizes, events: NAMED, view: view(2), failure: failure('rejected', 'finalize', 1), now: 2},
    stop('failed'),
  ],
  ['reads it before sending if its amount was shown', {plan: sends, events: NAMED, now: 0}, READ],
  ['then sends it', {plan: sends, events: NAMED, view: view(1, OPEN), now: 1}, call('send')],
  ['refuses a new amount', {plan: sends, events: NAMED, view: view(1, {...OPEN, amount: 1}), now: 1}, stop('changed')],
  ['does not send a draft', {plan: sends, events: NAMED, view: view(1), now: 1}, stop('ended')],
  ['does not send a void one', {plan: sends, events: NAMED, view: view(1, {status: 'void'}), now: 1}, stop('ended')],
  ['does not send twice', {plan: sends, events: [...NAMED, ...did('send', 2)], view: view(1, OPEN), now: 2}, DONE],
  ['sends without a read if no amount was shown', {plan: {...sends, named: {}}, events: NAMED, now: 0}, call('send')],
]);

test('an answer settles the same uncertain change, and no other', () => {
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

test('the timing depends on the service and its consistency', () => {
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
    'creates only the new customer first',
    {plan: {newCustomer: NEW_CUSTOMER, items: [], finalize: false, send: false}, now: 0},
    call('customer'),
  ],
  [
    'is done when the customer exists',
    {
      plan: {newCustomer: NEW_CUSTOMER, items: [], finalize: false, send: false},
      events: did('customer', 0, {id: 'cus_2'}),
      now: 1,
    },
    DONE,
  ],
  [
    'is done when every item was answered, before the due time',
    {plan: FIRST, events: MADE, view: view(1, {due_at: null}, 'assembled'), now: 1},
    DONE,
  ],
  [
    'adds a missing item first',
    {plan: FIRST, events: did('draft', 0, {id: 'bstm_1'}), view: view(1, {line_items: [], amount: 0}), now: 1},
    call('item'),
  ],
  ['continues with the due time without a read', {plan: SECOND, events: MADE, now: 20}, call('due')],
  ['reads if a change is uncertain', {plan: SECOND, events: [...MADE, ...lost('due', 20)], now: 21}, READ],
  ['reads if an item is missing', {plan: SECOND, events: MADE.slice(0, 2), now: 20}, READ],
  [
    'reads if an item was removed',
    {plan: SECOND, events: [...MADE, ...did('remove', 2, {}, {id: 'bstm_li_1'})], now: 20},
    READ,
  ],
  ['reads if the payment settings are not known', {plan: SECOND, events: DRAFT, now: 20}, READ],
  ['reads if the due time is set', {plan: SECOND, events: [...MADE, ...dueSet(20)], now: 21}, READ],
  ['reads if it was opened', {plan: SECOND, events: [...MADE, {type: 'opened', at: at(5)}], now: 20}, READ],
  ['always reads a single statement', {plan: PLAN, events: MADE, now: 20}, READ],
  [
    'takes over the draft of another machine with the same key',
    {
      plan: SECOND,
      events: NAMED,
      identity: {key: 'same'},
      view: view(1, {metadata: {[PLAN_KEY]: 'same'}}),
      now: 1,
    },
    {...call('take_over'), waits: true},
  ],
  [
    'is done if the customer pays before it is sent',
    {
      plan: SECOND,
      events: [...MADE, ...dueSet(2), ...did('finalize', 3), ...refused('send', 4)],
      view: view(5, {status: 'paid'}),
      failure: failure('rejected', 'send', 4),
      now: 5,
    },
    DONE,
  ],
]);
