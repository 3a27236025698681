// Sends one HTTP request. undici's own `request` creates a stream per body, which doubles the cost.

import type {IncomingHttpHeaders} from 'node:http';
import {versions} from 'node:process';
import type {Dispatcher} from 'undici';

export interface HttpResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** Why the body is incomplete: undici's error, or the signal's reason. */
  readonly fault?: unknown;
}

export interface SendRequestOptions {
  /** Cancels the request, even while it waits for a connection. */
  readonly signal?: AbortSignal;
  /** Bytes of the body to read before the connection is closed. */
  readonly maxBytes?: number;
  readonly onSending?: () => void;
}

/** @throws undici's error, or the signal's reason, if no headers have arrived */
export function sendRequest(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  {signal, maxBytes = Infinity, onSending}: SendRequestOptions,
): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined;
    let head: Pick<HttpResponse, 'headers' | 'status'> | undefined;
    const chunks: Buffer[] = [];
    let size = 0;

    function end(fault?: unknown): void {
      signal?.removeEventListener('abort', abort);
      const body = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
      if (head) resolve({status: head.status, headers: head.headers, body, fault});
      else reject(fault as Error);
    }
    function abort(): void {
      end(signal!.reason);
      controller?.abort(signal!.reason as Error);
    }

    if (signal?.aborted) return end(signal.reason);
    signal?.addEventListener('abort', abort);
    dispatcher.dispatch(request, {
      onRequestStart(begun) {
        controller = begun;
        // Aborted while waiting for a connection, so nothing is sent.
        if (signal?.aborted) begun.abort(signal.reason as Error);
        else onSending?.();
      },
      onResponseStart(_, status, headers) {
        // A status below 200 is informational; the final response follows.
        if (status >= 200) head = {status, headers};
      },
      onResponseData(begun, chunk) {
        chunks.push(chunk);
        size += chunk.length;
        if (size < maxBytes) return;
        end();
        begun.abort(new Error('enough was read'));
      },
      onResponseEnd: () => end(),
      onResponseError: (_, error) => end(error),
    });
  });
}

/**
 * V8's budget before it optimises a WebAssembly function, as in later versions of Node. Node 20 optimises the parser of
 * undici after one response. A short program then waits about 60 ms at its end.
 */
const TIERING_BUDGET = 13_000_000;

export async function loadUndici(): Promise<typeof import('./undici.js')> {
  if (versions.node.startsWith('20.')) {
    const {setFlagsFromString} = await import('node:v8');
    setFlagsFromString(`--wasm-tiering-budget=${TIERING_BUDGET}`);
  }
  return import('./undici.js');
}
