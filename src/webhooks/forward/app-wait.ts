// Waits for an app that does not accept connections yet, because it starts or restarts.

export interface AppWaitOptions {
  /** Host and port, as shown. */
  readonly host: string;
  readonly isReachable: () => Promise<boolean>;
  readonly onNotice: (message: string) => void;
  readonly signal: AbortSignal;
}

/** Milliseconds between two looks, and the number of looks. */
const INTERVAL = 100;
const LOOKS = 100;

/** The deliveries to one app share a wait, so that it is said once. */
export class AppWait {
  #wait: Promise<void> | undefined;

  constructor(private readonly options: AppWaitOptions) {}

  /** Resolves when the app accepts connections, or after 10 seconds; then at once, until `reset`. */
  readonly untilReachable = (): Promise<void> => (this.#wait ??= this.#look());

  /** The app accepted a connection: the next refusal begins a new wait. */
  readonly reset = (): void => void (this.#wait = undefined);

  async #look(): Promise<void> {
    const {host, isReachable, onNotice, signal} = this.options;
    onNotice(`waiting for the app on ${host}`);
    for (let count = 0; count < LOOKS && !signal.aborted; count++) {
      if (await isReachable()) return this.reset();
      await new Promise((resolve) => setTimeout(resolve, INTERVAL));
    }
    if (!signal.aborted) onNotice(`the app does not accept connections on ${host}. Deliveries will be retried.`);
  }
}
