// Fees: the recorded amounts to the centavo, in payments, payouts and their events, and the setting of the file.

import {join} from 'node:path';
import {describe, expect, onTestFinished, test} from 'vitest';
import type {SandboxSettings} from '../../../src/common/sandbox-settings.js';
import {openSandbox} from '../../../src/sandbox/sandbox.js';
import {loadSnapshot, saveSnapshot} from '../../../src/sandbox/snapshots.js';
import {createPayout} from '../../../src/sandbox/payments/payout-deposits.js';
import {chargesOf} from '../../../src/sandbox/payments/fees.js';
import {temporaryDirectory} from '../../support/cli.js';
import {world} from '../../support/sandbox/world.js';

type Fees = SandboxSettings['fees'];

function charged(method: string, amount: number, fees?: Fees): readonly number[] {
  const {sandbox} = world();
  sandbox.configure({fees});
  const {fee, net_amount: net} = sandbox.perform((tx) => chargesOf(tx, method, amount));
  return [fee, net];
}

test.each<[method: string, amount: number, fees: Fees, fee: number, net: number]>([
  // Recorded in test mode.
  ['maya', 52_500, undefined, 1050, 51_324],
  ['gcash', 155_000, 'withholding', 3565, 150_252],
  ['card', 10_000, undefined, 0, 10_000],
  // Computed by hand.
  ['gcash', 155_000, 'standard', 3565, 151_007],
  ['gcash', 2000, 'standard', 46, 1948],
  ['gcash', 5_999_999_999, 'standard', 138_000_000, 5_845_439_999],
  ['gcash', 5_999_999_999, 'withholding', 138_000_000, 5_816_212_799],
  ['qrph', 100_000, 'standard', 2000, 97_760],
  ['card', 10_000, 'withholding', 0, 9950],
  ['maya', 52_500, 'none', 0, 52_500],
])('%s %i, %s: fee %i, net %i', (method, amount, fees, fee, net) => {
  expect(charged(method, amount, fees)).toEqual([fee, net]);
});

test('a payment, its intent and its event have the charges', async () => {
  const w = world();
  const {payment, payment_intent: intent} = w.pay((await w.intent({amount: 52_500})).id, {method: 'maya'});
  const charges = {amount: 52_500, fee: 1050, net_amount: 51_324, payment_method: {type: 'maya'}};
  expect(payment).toMatchObject({...charges, consolidated_net_amount: 51_324, consolidated_status: 'paid'});
  expect(intent).toMatchObject({amount_received: 52_500, latest_payment: charges});
  expect(w.events().at(-1)!.data.latest_payment).toMatchObject(charges);
});

test('a payout has the net amounts; a refund returns no fee', async () => {
  const w = world();
  const {payment} = w.pay((await w.intent({amount: 52_500})).id, {method: 'maya'});
  const half = {payment_id: payment!.id, amount: 26_250, currency: 'PHP', reason: 'others'};
  const refund = await w.ok('POST', '/refunds', half);
  expect(await w.ok('GET', `/payments/${payment!.id}`)).toMatchObject({fee: 1050, net_amount: 51_324});
  const movements = [
    {type: 'payment', id: payment!.id as string, amount: 52_500},
    {type: 'refund', id: refund.id as string, amount: -26_250},
    {type: 'adjustment', id: null, amount: -500},
  ] as const;
  const destination = {account_name: 'A', account_number: '1', bank_name: 'B'};
  const {id} = w.sandbox.perform((tx) => createPayout(tx, movements, destination));
  const sums = {amount: 25_750, net_amount: 24_574};
  expect(w.events().at(-1)).toMatchObject({type: 'payout.created', data: {id, ...sums}});
  const {data} = await w.ok('GET', `/payouts/${id}/transactions`);
  expect(data).toMatchObject([
    {transaction_type: 'adjustment', amount: -500, net_amount: -500, payout_id: id},
    {transaction_type: 'refund', amount: -26_250, net_amount: -26_250, payout_id: id},
    {transaction_type: 'payment', amount: 52_500, net_amount: 51_324, payout_id: id},
  ]);
});

describe('the setting', () => {
  test('counts in each process that has the file; a reset and a snapshot keep it', () => {
    const path = join(temporaryDirectory(), 'sandbox.db');
    const [one, other] = [openSandbox({path}), openSandbox({path})];
    onTestFinished(() => [one, other].forEach((sandbox) => sandbox.close()));
    const feeIn = (sandbox: typeof one) => sandbox.perform((tx) => chargesOf(tx, 'maya', 10_000).fee);
    expect(feeIn(other)).toBe(200);
    one.configure({fees: 'none', eventShape: 'resource'});
    expect(feeIn(other)).toBe(0);
    other.reset();
    expect(one.configure()).toEqual({fees: 'none', eventShape: 'resource'});
    other.configure({fees: 'standard'});
    expect([feeIn(one), one.configure().eventShape]).toEqual([200, 'resource']);
    const saved = saveSnapshot(one);
    one.configure({fees: 'withholding', eventShape: 'data'});
    loadSnapshot(one, saved);
    expect(one.configure()).toEqual({fees: 'withholding', eventShape: 'data'});
  });

  test('changes only later payments', async () => {
    const w = world();
    const {payment} = w.pay((await w.intent()).id, {method: 'gcash'});
    w.sandbox.configure({fees: 'none'});
    expect(await w.ok('GET', `/payments/${payment!.id}`)).toMatchObject({fee: payment!.fee});
    expect(payment!.fee).toBeGreaterThan(0);
  });
});
