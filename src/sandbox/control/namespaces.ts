// Namespaces of a served sandbox: a key `sk_test_ns_<name>` is a sandbox of its own, in memory, whose clock stands.

import type {ApiRequest} from '../../api/wire.js';
import {ApiProblem, notFound} from '../api-problems.js';
import {type Exchange, type ExchangeOptions, exchangeOf, kindOfRequest} from '../exchange.js';
import {targetOf} from '../pages/links.js';
import {userOf} from '../requests/authentication.js';
import {openSandbox} from '../sandbox.js';
import {controlOf} from './control.js';

const MAX_NAMESPACES = 256;
const KEY = /^([sp])k_test_ns_([A-Za-z0-9_-]{1,64})$/;

interface Namespace {
  readonly exchange: Exchange;
  readonly close: () => Promise<void>;
}

export class Namespaces {
  readonly #open = new Map<string, Namespace>();

  /** @param realNow unix seconds at which the clocks of new namespaces stand */
  constructor(
    private readonly options: ExchangeOptions,
    private readonly realNow: () => number,
  ) {}

  /** The namespace of a request's key, or of a link to one of its pages; undefined for the served sandbox itself. */
  exchangeFor(request: ApiRequest): Exchange | undefined {
    if (kindOfRequest(request) === 'page')
      return [...this.#open.values()].find(({exchange}) => exchange.sandbox.read((tx) => targetOf(tx, request.path)))
        ?.exchange;
    const [, kind, name] = KEY.exec(userOf(request)) ?? [];
    if (name === undefined) return undefined;
    const known = this.#open.get(name);
    // A public key only reads, so that it opens nothing.
    if (known || kind === 'p') return known?.exchange;
    return this.#begin(name);
  }

  #begin(name: string): Exchange {
    if (this.#open.size >= MAX_NAMESPACES)
      throw new ApiProblem(429, [
        {
          code: 'too_many_namespaces',
          detail: `There are ${MAX_NAMESPACES} namespaces, the most. Close one: DELETE /_centavo/namespaces?name=… with the secret key of the server.`,
        },
      ]);
    const {realNow} = this;
    const at = realNow();
    const keys = {secret: `sk_test_ns_${name}`, public: `pk_test_ns_${name}`};
    const sandbox = openSandbox({now: () => at, keys, signedAt: realNow});
    const delivery = sandbox.startDelivery();
    const exchange = exchangeOf(controlOf(sandbox), this.options);
    const close = async (): Promise<void> => {
      exchange.flush();
      await delivery.stop();
      sandbox.close();
    };
    this.#open.set(name, {exchange, close});
    return exchange;
  }

  list(): readonly {readonly name: string; readonly now: number}[] {
    return [...this.#open].map(([name, {exchange}]) => ({name, now: exchange.sandbox.now()}));
  }

  /** @throws ApiProblem for an unknown name */
  async close(name: string): Promise<void> {
    const found = this.#open.get(name);
    if (!found) throw notFound('namespace', name);
    this.#open.delete(name);
    await found.close();
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.#open.keys()].map((name) => this.close(name)));
  }
}
