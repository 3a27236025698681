// Namespaces of a served sandbox: a key `sk_test_ns_<name>` is a sandbox of its own, in memory, whose clock stands.
// Where others can reach the server, that key could be guessed: it is then `<secret key of the server>_ns_<name>`.

import type {ApiRequest} from '../../api/wire.js';
import type {SandboxSettings} from '../../common/sandbox-settings.js';
import {invalid, notFound, unauthorized} from '../api-problems.js';
import {type Exchange, type ExchangeOptions, exchangeOf, kindOfRequest} from '../exchange.js';
import {targetOf} from '../pages/links.js';
import type {LogEntry} from '../requests/request-log.js';
import {isSameSecret, userOf} from '../requests/authentication.js';
import {openSandbox} from '../sandbox.js';
import {controlOf} from './control.js';

const MAX_NAMESPACES = 256;
const NAME = /^[A-Za-z0-9_-]{1,64}$/;
const SECRET_PREFIX = 'sk_test_ns_';
const PUBLIC_PREFIX = 'pk_test_ns_';

export interface NamespaceOptions extends Pick<ExchangeOptions, 'baseUrl' | 'images' | 'onFault'> {
  /** Unix seconds at which the clocks of new namespaces stand. */
  readonly realNow: () => number;
  /** In place of `sk_test_ns_`: for a server that others can reach. */
  readonly secretPrefix?: string;
  /** The settings of the served sandbox, for new namespaces. */
  readonly settings: () => SandboxSettings;
  readonly onAnswer?: (entry: LogEntry, namespace: string) => void;
}

interface Namespace {
  readonly exchange: Exchange;
  readonly close: () => Promise<void>;
}

export class Namespaces {
  readonly #open = new Map<string, Namespace>();

  constructor(private readonly options: NamespaceOptions) {}

  /** The namespace of a request's key, or of a link to one of its pages; undefined for the served sandbox itself. */
  exchangeFor(request: ApiRequest): Exchange | undefined {
    if (kindOfRequest(request) === 'page')
      return [...this.#open.values()].find(({exchange}) => exchange.sandbox.read((tx) => targetOf(tx, request.path)))
        ?.exchange;
    const user = userOf(request);
    // A public key only reads, so that it opens nothing.
    if (user.startsWith(PUBLIC_PREFIX)) return this.#open.get(user.slice(PUBLIC_PREFIX.length))?.exchange;
    const {secretPrefix = SECRET_PREFIX} = this.options;
    if (isSameSecret(user.slice(0, secretPrefix.length), secretPrefix)) {
      const name = user.slice(secretPrefix.length);
      return this.#open.get(name)?.exchange ?? this.#begin(name, user);
    }
    if (!user.startsWith(SECRET_PREFIX)) return undefined;
    throw unauthorized(
      'Other machines can reach this server, so the key of a namespace is its secret key, then _ns_ and a name.',
    );
  }

  #begin(name: string, secret: string): Exchange {
    if (!NAME.test(name)) throw unauthorized('The name of a namespace is 1 to 64 letters, digits, - and _.');
    if (this.#open.size >= MAX_NAMESPACES)
      throw invalid(
        'too_many_namespaces',
        `There are ${MAX_NAMESPACES} namespaces, the most. Close one: DELETE /_centavo/namespaces?name=… with the secret key of the server.`,
      );
    const {realNow, baseUrl, settings, onAnswer} = this.options;
    const at = realNow();
    const keys = {secret, public: PUBLIC_PREFIX + name};
    const sandbox = openSandbox({now: () => at, keys, signedAt: realNow});
    const delivery = sandbox.startDelivery();
    sandbox.perform(({store}) => store.set('base_url', baseUrl));
    sandbox.configure(settings());
    const options = {...this.options, onAnswer: (entry: LogEntry) => onAnswer?.(entry, name)};
    const exchange = exchangeOf(controlOf(sandbox), options);
    const close = async (): Promise<void> => {
      await exchange.close();
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
