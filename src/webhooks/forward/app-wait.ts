// Waits for an app that does not accept connections yet, because it starts or restarts.

/** Milliseconds between two checks, and the number of checks. */
const INTERVAL = 100;
const CHECKS = 100;

export type AppWait = ReturnType<typeof appWait>;

/** Returns a wait that the deliveries to one app share, so that its notice appears once. @param host with its port */
export function appWait(
  host: string,
  isReachable: () => Promise<boolean>,
  onNotice: (message: string) => void,
  signal: AbortSignal,
) {
  let wait: Promise<void> | undefined;
  /** The app accepted a connection: the next refusal begins a new wait. */
  const reset = (): void => void (wait = undefined);
  const checkUntilReachable = async (): Promise<void> => {
    onNotice(`waiting for the app on ${host}`);
    for (let count = 0; count < CHECKS && !signal.aborted; count++) {
      if (await isReachable()) return reset();
      await new Promise((resolve) => setTimeout(resolve, INTERVAL));
    }
    if (!signal.aborted) onNotice(`the app does not accept connections on ${host}. Deliveries will be retried.`);
  };
  /** Resolves when the app accepts connections, or after 10 seconds; then at once, until `reset`. */
  return {reset, untilReachable: (): Promise<void> => (wait ??= checkUntilReachable())};
}
