// A sandbox whose clock only tests move, and the calls that most tests make.

import {openSandbox, type SandboxOptions} from '../../../src/sandbox/sandbox.js';
import {payStatement, type PayOptions, type PayResult} from '../../../src/sandbox/payments/pay-statement.js';
import {serialize} from '../../../src/sandbox/serialize.js';
import {Account, type Wire} from './account.js';

export {DAY, type Wire} from './account.js';

export const START = 1_800_000_000;

export class World extends Account {
  readonly call = this.answer;
  readonly advance = (seconds: number): void => void this.sandbox.advanceClock(seconds);
  /** Only the result for a setup intent has no payment intent. */
  readonly pay = (id: string, options?: PayOptions) =>
    this.sandbox.perform((work) => payStatement(work, id, options)) as PayResult & {readonly payment_intent: Wire};
  /** Events as they would be delivered, oldest first. */
  readonly events = (): Wire[] =>
    this.sandbox
      .perform((work) => work.store.list('event', {limit: 10_000}).data.map((record) => serialize(record, work)))
      .reverse();
  readonly types = (): string[] => this.events().map(({type}) => type as string);
}

export const world = (options: SandboxOptions = {}): World => new World(openSandbox({now: () => START, ...options}));
