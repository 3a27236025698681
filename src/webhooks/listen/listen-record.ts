// The records that a listener reports during a run.

import type {HeldEvent} from '../forward/target-queue.js';
import type {Delivery, EventFacts, ForwardAttempt} from '../receive/delivery.js';

export type ListenRecord =
  | {
      readonly type: 'ready';
      readonly url: string;
      /** The URL to which events are sent; the receiver's own URL without `--tunnel` and `--public-url`. */
      readonly public_url: string;
      readonly webhook_id: string | null;
      readonly secret_source: 'given' | 'registered';
      readonly secret?: string;
      /** The command that prints the secret; null if the secret was given or is temporary. */
      readonly secret_command: string | null;
      readonly mode: 'live' | 'test';
      readonly targets: readonly string[];
    }
  /** `unrouted`: no `--route` matches, so the event goes to no app. */
  | {readonly type: 'delivery'; readonly delivery: Delivery; readonly unrouted?: boolean}
  | {readonly type: 'forward'; readonly attempt: ForwardAttempt; readonly event: EventFacts}
  | {readonly type: 'held'; readonly held: HeldEvent}
  | {readonly type: 'refused'; readonly reason: string; readonly status: number | null}
  | {
      readonly type: 'disconnected';
      readonly reason: 'tunnel' | 'webhook_disabled' | 'webhook_gone';
      readonly message: string;
    }
  | {
      readonly type: 'reconnected';
      readonly message: string;
      readonly public_url: string;
      readonly webhook_id: string | null;
      /** Set if a newly registered webhook has another secret. */
      readonly secret?: string;
    }
  | {readonly type: 'notice'; readonly message: string}
  | ({readonly type: 'summary'} & ListenSummary);

export const noCounts = () => ({
  genuine: 0,
  not_genuine: 0,
  refused: 0,
  /** Deliveries excluded by `--events`. */
  filtered: 0,
  /** Genuine deliveries that match no `--route`, without `--forward-to`. */
  unrouted: 0,
  duplicates: 0,
  /** Forwarded or held events, by whether the app accepted them. */
  events_accepted: 0,
  events_not_accepted: 0,
  forwarded: 0,
  forward_failures: 0,
  /** Events that the app did not accept. For these, the sandbox webhook stays until the next run. */
  events_waiting: 0,
  /** True if the webhook could not be removed or disabled; the next run tries again. */
  webhook_left: false,
});

export type ListenSummary = Readonly<ReturnType<typeof noCounts>>;
