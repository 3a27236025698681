// Time limits and linked abort signals. AbortSignal.any is avoided, because it holds its sources weakly.
// An AbortSignal.timeout among them may be collected and never fire (nodejs/node issues 57736 and 65995).

/** Milliseconds. Node fires a longer timer at once. */
export const MAX_TIMER_DELAY = 2 ** 31 - 1;

/** Calls the listener on abort, or now if the signal has aborted. @returns a function that removes the listener */
export function onAbort(signal: AbortSignal | undefined, listener: () => void): () => void {
  if (signal?.aborted) listener();
  else signal?.addEventListener('abort', listener, {once: true});
  return () => signal?.removeEventListener('abort', listener);
}

/** Aborts the controller when the signal aborts, for the same reason. @returns a function that ends the link */
export const linkAbort = (controller: AbortController, signal: AbortSignal): (() => void) =>
  onAbort(signal, () => controller.abort(signal.reason));

/** Runs a task whose signal aborts with the outer signal, or after this time with a `TimeoutError`. */
export async function withDeadline<T>(
  milliseconds: number,
  outer: AbortSignal | undefined,
  task: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const release = outer && linkAbort(controller, outer);
  const late = (): void => controller.abort(new DOMException('The time is up.', 'TimeoutError'));
  const timer = setTimeout(late, Math.min(milliseconds, MAX_TIMER_DELAY));
  try {
    return await task(controller.signal);
  } finally {
    clearTimeout(timer);
    release?.();
  }
}

export const abortPromise = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => onAbort(signal, () => reject(signal.reason as Error)));

/** Waits for a sleep that the signal may end. @returns true if the signal has aborted */
export async function wasAborted(sleep: Promise<unknown>, signal: AbortSignal | undefined): Promise<boolean> {
  await sleep.catch((error: unknown) => {
    if (!signal?.aborted) throw error;
  });
  return signal?.aborted ?? false;
}
