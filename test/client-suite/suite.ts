// One suite for the client, run against the sandbox over every transport: each method, kind of value and error.

import {describe, expect, onTestFinished, test} from 'vitest';
import {operations} from '../../src/api/registry.js';
import type {Client, ClientOptions} from '../../src/client/client.js';
import {createEmbeddedSandbox, type EmbeddedSandbox} from '../../src/sandbox/embedded.js';
import {errors} from './errors.js';
import {lists} from './lists.js';
import {money} from './money.js';
import {resources} from './resources.js';
import {values} from './values.js';

export const START = 1_790_000_000;
export const DAY = 86_400;

/** A result whose form the contract leaves open. */
export type Wire = any;

export type Given = Pick<ClientOptions, 'key' | 'onAttempt'>;

/** Opens a transport to a sandbox, until the test ends. @returns a factory of clients that use it */
export type MakeClient = (sandbox: EmbeddedSandbox) => Promise<(given: Given) => Client>;

export interface Setting {
  readonly sandbox: EmbeddedSandbox;
  readonly client: Client;
  /** Another client of the same sandbox. */
  readonly connect: (given: Given) => Client;
}

export type Start = () => Promise<Setting>;

/** @param name distinguishes the results from the other transports */
export function clientSuite(name: string, makeClient: MakeClient): void {
  describe(name, () => {
    const called = new Set<string>();

    const start: Start = async () => {
      const sandbox = createEmbeddedSandbox({now: () => START});
      onTestFinished(() => sandbox.close());
      const make = await makeClient(sandbox);
      const connect = (given: Given): Client => {
        const client = make(given);
        onTestFinished(() => client.close());
        return recorded(client, called);
      };
      return {sandbox, connect, client: connect({key: sandbox.keys.secret})};
    };

    resources(start);
    money(start);
    values(start);
    lists(start);
    errors(start);

    test('every operation of the contract was called, and nothing else', () => {
      expect([...called].sort()).toEqual(operations.map(({clientName: method}) => method).sort());
      expect(called.size).toBe(46);
    });
  });
}

/** The same client; records each called method as `resource.method`. */
function recorded(client: Client, called: Set<string>): Client {
  const note = (resource: string, methods: object): object =>
    new Proxy(methods, {
      get(target, method) {
        const value: unknown = Reflect.get(target, method);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]): unknown => {
          called.add(`${resource}.${String(method)}`);
          return value.apply(target, args) as unknown;
        };
      },
    });
  return new Proxy(client, {
    get(target, resource) {
      const value: unknown = Reflect.get(target, resource);
      return typeof value === 'object' && value !== null ? note(String(resource), value) : value;
    },
  });
}
