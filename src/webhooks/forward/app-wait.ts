// Waits for an app that does not accept connections yet, because it starts or restarts.

/** Milliseconds between two looks, and the number of looks. */
const INTERVAL = 100;
const LOOKS = 100;

/** The deliveries to one app share a wait, so that it is said once. */
export class AppWait {
  #wait: Promise<void> | undefined;

  /** @param host with its port, as shown */
  constructor(
    private readonly host: string,
    private readonly isReachable: () => Promise<boolean>,
    private readonly onNotice: (message: string) => void,
    private readonly signal: AbortSignal,
  ) {}

  /** Resolves when the app accepts connections, or after 10 seconds; then at once, until `reset`. */
  readonly untilReachable = (): Promise<void> => (this.#wait ??= this.#look());

  /** The app accepted a connection: the next refusal begins a new wait. */
  readonly reset = (): void => void (this.#wait = undefined);

  async #look(): Promise<void> {
    const {host, onNotice, signal} = this;
    onNotice(`waiting for the app on ${host}`);
    for (let count = 0; count < LOOKS && !signal.aborted; count++) {
      if (await this.isReachable()) return this.reset();
      await new Promise((resolve) => setTimeout(resolve, INTERVAL));
    }
    if (!signal.aborted) onNotice(`the app does not accept connections on ${host}. Deliveries will be retried.`);
  }
}
