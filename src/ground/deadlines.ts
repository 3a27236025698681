// Time limits and signals that end together. AbortSignal.any is not used: it holds its sources weakly, so an
// AbortSignal.timeout among them may be collected and never fire (nodejs/node issues 57736 and 65995).

/** Milliseconds. A timer of Node that is given more fires at once. */
export const LONGEST_TIMER = 2 ** 31 - 1;

/** Aborts the controller with the signal, for the same reason. @returns removes the listener */
export function follow(controller: AbortController, signal: AbortSignal): () => void {
  const abort = (): void => controller.abort(signal.reason);
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, {once: true});
  return () => signal.removeEventListener('abort', abort);
}

/** The signal of the task aborts after this time, with a `TimeoutError`, or with the outer signal. */
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

export const abortionOf = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, {once: true});
  });
