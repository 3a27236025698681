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
  #wait: Promise<boolean> | undefined;

  constructor(private readonly options: AppWaitOptions) {}

  /** Resolves with true once the app accepts connections, or false after 10 seconds. Then false, until `reset`. */
  whenReachable(): Promise<boolean> {
    return (this.#wait ??= this.#untilReachable());
  }

  /** The app accepted a connection: the next refusal begins a new wait. */
  reset(): void {
    this.#wait = undefined;
  }

  async #untilReachable(): Promise<boolean> {
    const {host, isReachable, onNotice, signal} = this.options;
    onNotice(`waiting for the app on ${host}`);
    for (let count = 0; count < LOOKS && !signal.aborted; count++) {
      if (await isReachable()) {
        this.reset();
        return true;
      }
      await new Promise((resolve) => setTimeout(resolve, INTERVAL));
    }
    if (!signal.aborted) onNotice(`the app does not accept connections on ${host}. Deliveries will be retried.`);
    return false;
  }
}
