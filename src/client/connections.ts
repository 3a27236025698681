// Connections, direct or through the tunnel of a proxy, which can be ended at once.

import type {Socket} from 'node:net';
import type {buildConnector, Dispatcher} from 'undici';
import {loadUndici} from '../http/exchange.js';

const CONNECT_TIMEOUT = 10_000;

export interface Connections {
  readonly dispatcher: Dispatcher;
  /** Does not wait, not even for connections that are being established. */
  readonly end: () => void;
}

export interface Proxy {
  readonly address: string;
  /** Hosts to reach without it, as in `no_proxy`. */
  readonly except?: string;
}

/** The proxy opened no tunnel. The message says why, without a full stop. */
export class ProxyRefusal extends Error {
  constructor(
    message: string,
    readonly permanent: boolean,
    cause?: unknown,
  ) {
    super(message, {cause});
  }
}

function tunnelRefusal(status: number): string {
  if (status === 407)
    return 'the proxy requires a user name and password (HTTP 407): https_proxy=http://user:password@host:port';
  const why: Record<number, string> = {
    403: ': it does not allow it',
    502: ': it could not reach the API',
    503: ': it could not reach the API',
    504: ': the API did not answer it in time',
  };
  return `the proxy refused the connection (HTTP ${status})${why[status] ?? ''}`;
}

type Connector = buildConnector.connector;

export async function makeConnections(origin: string, maxResponseSize: number, proxy?: Proxy): Promise<Connections> {
  const undici = await loadUndici();
  // The deadline of the call is the only limit of an exchange.
  const options = {headersTimeout: 0, bodyTimeout: 0, maxResponseSize};

  if (proxy) {
    // When a proxy hangs up, undici asks for the tunnel again at once, thousands of times a second.
    const clientFactory = (proxyUrl: URL, given: object): Dispatcher => {
      const pool = new undici.Pool(proxyUrl, given);
      const ask = pool.connect.bind(pool) as (of: Dispatcher.ConnectOptions) => Promise<Dispatcher.ConnectData>;
      const connectOnce = async (of: Dispatcher.ConnectOptions) => {
        const tunnel = await ask(of).catch((error: Error & {code?: string}) => {
          throw error.code === 'UND_ERR_SOCKET'
            ? new ProxyRefusal('the proxy ended the connection', false, error)
            : error;
        });
        if (tunnel.statusCode === 200) return tunnel;
        tunnel.socket.on('error', () => {}).destroy();
        throw new ProxyRefusal(tunnelRefusal(tunnel.statusCode), tunnel.statusCode < 500);
      };
      return Object.assign(pool, {connect: connectOnce as typeof pool.connect});
    };
    const {address, except} = proxy;
    // undici would take missing values from the environment, unchecked.
    const proxies = {httpProxy: address, httpsProxy: address, noProxy: except ?? ''};
    const dispatcher = new undici.EnvHttpProxyAgent({...options, clientFactory, ...proxies});
    return {dispatcher, end: () => void dispatcher.destroy().catch(() => {})};
  }

  const pending = new Set<Socket>();
  const connectTo = undici.buildConnector({timeout: CONNECT_TIMEOUT}) as (...given: Parameters<Connector>) => Socket;
  const connect: Connector = (target, done) => {
    const socket = connectTo(target, (...made) => {
      pending.delete(socket);
      done(...made);
    });
    pending.add(socket);
  };
  const dispatcher = new undici.Pool(origin, {...options, connect});
  return {
    dispatcher,
    // undici would wait for a connection that is being established.
    end: () => {
      for (const socket of pending) socket.destroy(new Error('given up'));
      dispatcher.destroy().catch(() => {});
    },
  };
}
