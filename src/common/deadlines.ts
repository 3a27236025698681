// Time limits and signals that end together. AbortSignal.any is not used: it holds its sources weakly, so an
// AbortSignal.timeout among them may be collected and never fire (nodejs/node issues 57736 and 65995).

/** Milliseconds. A longer timer of Node fires at once. */
export const MAX_TIMER_DELAY = 2 ** 31 - 1;

/** Calls the listener when the signal aborts; at once, if it has aborted. @returns removes the listener */
export function onAbort(signal: AbortSignal | undefined, listener: () => void): () => void {
  if (signal?.aborted) listener();
  else signal?.addEventListener('abort', listener, {once: true});
  return () => signal?.removeEventListener('abort', listener);
}

/** Aborts the controller with the signal, for the same reason. @returns removes the listener */
export const linkAbort = (controller: AbortController, signal: AbortSignal): (() => void) =>
  onAbort(signal, () => controller.abort(signal.reason));

/** The signal of the task aborts after this time, with a `TimeoutError`, or with the outer signal. */
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

/** Waits for a sleep. @returns true if the signal ended it */
export async function wasAborted(sleep: Promise<unknown>, signal: AbortSignal | undefined): Promise<boolean> {
  await sleep.catch((error: unknown) => {
    if (!signal?.aborted) throw error;
  });
  return signal?.aborted ?? false;
}
