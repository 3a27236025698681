// Time limits and signals that end together. AbortSignal.any is not used: it holds its sources weakly, so that a limit
// of AbortSignal.timeout within it may be collected and never come (nodejs/node issues 57736 and 65995).

/** Node's timers hold no more milliseconds than this, and fire at once when given more. */
export const LONGEST_TIMER = 2 ** 31 - 1;

/** Aborts the controller when the signal does, and with its reason. @returns a function that removes the listener */
export function follow(controller: AbortController, signal: AbortSignal): () => void {
  const abort = (): void => controller.abort(signal.reason);
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, {once: true});
  return () => signal.removeEventListener('abort', abort);
}

/**
 * What the task returns. The signal that it is given aborts with a `TimeoutError` after so many milliseconds, and with
 * the outer signal; when the task has ended, nothing of it is left on either.
 */
export async function withDeadline<T>(
  milliseconds: number,
  outer: AbortSignal | undefined,
  task: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const release = outer && follow(controller, outer);
  const late = (): void => controller.abort(new DOMException('The time is up.', 'TimeoutError'));
  const timer = setTimeout(late, Math.min(milliseconds, LONGEST_TIMER));
  try {
    return await task(controller.signal);
  } finally {
    clearTimeout(timer);
    release?.();
  }
}

/** Rejects with the signal's reason when it aborts. */
export const abortionOf = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, {once: true});
  });
