// Events are delivered only after their change is committed, and errors in delivery are not hidden.

import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {CentavoError} from '../../../src/common/errors.js';
import {describe, expect, onTestFinished, test} from 'vitest';
import {
  startDelivery,
  deliveryWorker,
  type DeliveryOptions,
  type DeliveryContext,
} from '../../../src/sandbox/delivery/worker.js';
import type {Transaction} from '../../../src/sandbox/transaction.js';
import {receiver, webhook} from '../../support/sandbox/receiver.js';
import {world, type World} from '../../support/sandbox/world.js';

const UPDATED = 'refund.updated';
const seconds = (): number => Math.floor(Date.now() / 1000);

/** Worlds on one file, like separate processes. */
function worlds(): () => World {
  const folder = mkdtempSync(join(tmpdir(), 'centavo-commit-'));
  onTestFinished(() => rmSync(folder, {recursive: true, force: true}));
  return () => {
    const w = world({path: join(folder, 'sandbox.db'), now: seconds});
    onTestFinished(() => w.sandbox.close());
    return w;
  };
}

/** Emits an event in a transaction that is rolled back. */
function undone(w: World, customer: string): void {
  expect(() =>
    w.sandbox.perform((work) => {
      work.emit(UPDATED, {...work.get('cus_', customer), index: 'undone'});
      throw new Error('undone');
    }),
  ).toThrow('undone');
}

describe('before the commit', () => {
  test.for(['by itself', 'by another process'])('%s: a rolled-back change delivers nothing', async (who) => {
    const opened = worlds();
    const w = opened();
    const hook = await receiver();
    await webhook(w, hook.url, UPDATED);
    const {id} = await w.customer();
    const delivery = (who === 'by itself' ? w : opened()).sandbox.startDelivery();
    for (let index = 0; index < 20; index += 1) {
      undone(w, id);
      w.sandbox.perform((work) => work.emit(UPDATED, {...work.get('cus_', id), index}));
    }
    await hook.until(20);
    undone(w, id);
    w.sandbox.perform((work) => work.emit(UPDATED, {...work.get('cus_', id), index: 20}));
    await hook.until(21);
    await delivery.stop();
    expect(hook.arrivals.map(({event}) => event.data.index)).toEqual(Array.from({length: 21}, (_, index) => index));
  });

  test('a process with only a rolled-back change delivers nothing, also for others', async () => {
    const opened = worlds();
    const [other, w] = [opened(), opened()];
    const hook = await receiver();
    await webhook(other, hook.url, UPDATED);
    const {id} = await other.customer();
    other.sandbox.perform((work) => work.emit(UPDATED, {...work.get('cus_', id), index: 0}));
    undone(w, id);
    await w.sandbox.deliverChanges();
    expect(hook.arrivals).toEqual([]);
    w.sandbox.perform((work) => work.emit(UPDATED, {...work.get('cus_', id), index: 1}));
    await w.sandbox.deliverChanges();
    expect(hook.arrivals.map(({event}) => event.data.index)).toEqual([0, 1]);
  });
});

test('a receiver that reads the API at once finds the change', async () => {
  const opened = worlds();
  const [w, other] = [opened(), opened()];
  const found: unknown[] = [];
  const hook = await receiver(({event}, response) => {
    const {data} = event;
    void other.call('GET', `/billing_statements/${data.id}`).then(({status, body}) => {
      found.push([event.type, status, body.status]);
      response.writeHead(200).end();
    });
  });
  await webhook(w, hook.url, 'billing_statement.created', 'billing_statement.finalized', 'billing_statement.paid');
  const delivery = w.sandbox.startDelivery();
  const {id} = await w.draft();
  await hook.until(1);
  await w.ok('POST', `/billing_statements/${id}/finalize`);
  await hook.until(2);
  w.pay(id);
  await hook.until(3);
  await delivery.stop();
  expect(found).toEqual([
    ['billing_statement.created', 200, 'draft'],
    ['billing_statement.finalized', 200, 'open'],
    ['billing_statement.paid', 200, 'paid'],
  ]);
});

/** Delivery context whose parts a test can replace. */
function contextOf(w: World): DeliveryContext {
  const perform: DeliveryContext['perform'] = (action) => w.sandbox.perform(action);
  return {
    store: w.sandbox.perform((work) => work.store),
    perform,
    now: w.sandbox.now,
    receivers: new Map(),
    signedAt: seconds,
    uptime: seconds,
    isOpen: () => true,
    onChange: () => () => {},
  };
}

const BUG = new TypeError('a bug');
const LOCKED = new CentavoError('local_io', 'the database cannot be used.', {code: 'file_busy'});

describe('errors in delivery', () => {
  /** A worker with one event, and an error in the transaction with this number. */
  async function bent(at: number, thrown: Error, options: DeliveryOptions = {}, isOpen = true) {
    const w = worlds()();
    const hook = await receiver();
    await webhook(w, hook.url, UPDATED);
    const {id} = await w.customer();
    w.sandbox.perform((work) => work.emit(UPDATED, work.get('cus_', id)));
    let count = 0;
    const perform = <T>(action: (work: Transaction) => T): T =>
      w.sandbox.perform((work) => {
        const result = action(work);
        if (++count === at) throw thrown;
        return result;
      });
    const context = {...contextOf(w), perform, isOpen: () => isOpen};
    const worker = deliveryWorker(context, options, new AbortController().signal);
    return {worker, hook, w};
  }

  test.for([
    [1, 'taking what is due'],
    [3, 'writing down what came of it'],
  ] as const)('a bug in transaction %i, %s, is thrown to the caller', async ([at]) => {
    const {worker} = await bent(at, BUG);
    await expect((async () => (worker.begin(), worker.idle()))()).rejects.toBe(BUG);
  });

  test('a bug in onAttempt is thrown too', async () => {
    const onAttempt = (): never => {
      throw BUG;
    };
    const {worker} = await bent(0, BUG, {onAttempt});
    worker.begin();
    await expect(worker.idle()).rejects.toBe(BUG);
  });

  test.for([1, 2, 3])('a locked file in transaction %i only delays the delivery', async (at) => {
    const {worker, hook} = await bent(at, LOCKED);
    worker.begin();
    await worker.idle();
    worker.begin();
    await worker.idle();
    expect(hook.arrivals).toHaveLength(1);
  });

  test('a closed file ends delivery without an error', async () => {
    const {worker} = await bent(3, BUG, {}, false);
    worker.begin();
    await worker.idle();
  });

  test('startDelivery throws if it cannot read due deliveries', () => {
    const w = worlds()();
    const context = {
      ...contextOf(w),
      now: () => {
        throw BUG;
      },
    };
    expect(() => startDelivery(context)).toThrow(BUG);
  });

  test('sending inside a transaction throws', () => {
    const w = worlds()();
    expect(() => w.sandbox.perform(() => w.sandbox.perform(() => 1))).toThrow(/transaction/);
    expect(() => w.sandbox.perform(() => void startDelivery(contextOf(w)))).toThrow(/transaction/);
  });
});
