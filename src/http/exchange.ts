// One HTTP exchange over a dispatcher of undici, with its body as bytes. undici's own `request` makes a stream of each body, which
// costs as much again as the exchange.

import type {IncomingHttpHeaders} from 'node:http';
import type {Dispatcher} from 'undici';

/** An answer of which at least the headers have arrived. */
export interface Answer {
  readonly status: number;
  /** By names in lower case. */
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** Why the body is not whole: what undici reported, or the signal's reason. */
  readonly fault?: unknown;
}

export interface ExchangeOptions {
  /** Ends it at once, also while there is no connection yet. */
  readonly signal?: AbortSignal;
  /** How many bytes of the body are waited for. When there are more, the connection is ended. */
  readonly largest?: number;
  /** Called when there is a connection and the first byte is about to be sent. Nothing of the request has left before. */
  readonly onSending?: () => void;
}

/** @throws what undici reported, or the signal's reason, when no headers have arrived */
export function exchange(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  {signal, largest = Infinity, onSending}: ExchangeOptions,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined;
    let head: Pick<Answer, 'headers' | 'status'> | undefined;
    const chunks: Buffer[] = [];
    let size = 0;

    function end(fault?: unknown): void {
      signal?.removeEventListener('abort', abort);
      if (head) resolve({...head, body: chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks), fault});
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
        // It waited for a connection, and is not wanted any more: nothing of it is sent.
        if (signal?.aborted) begun.abort(signal.reason as Error);
        else onSending?.();
      },
      onResponseStart(_, status, headers) {
        // Those below 200 announce an answer.
        if (status >= 200) head = {status, headers};
      },
      onResponseData(begun, chunk) {
        chunks.push(chunk);
        size += chunk.length;
        if (size < largest) return;
        end();
        begun.abort(new Error('enough was read'));
      },
      onResponseEnd: () => end(),
      onResponseError: (_, error) => end(error),
    });
  });
}
