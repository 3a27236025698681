// Records of a listener: one for each event of its run.

import type {HeldEvent} from '../forward/target-queue.js';
import type {Delivery, EventFacts, ForwardAttempt} from '../receive/delivery.js';

export type ListenRecord =
  | {
      readonly type: 'ready';
      readonly url: string;
      /** The address to which the service sends events; the receiver itself without a tunnel. */
      readonly public_url: string;
      readonly webhook_id: string | null;
      readonly secret_source: 'given' | 'registered';
      readonly secret?: string;
      /** The command that prints the secret; null if the secret is temporary. */
      readonly secret_command: string | null;
      readonly mode: 'live' | 'test';
      readonly targets: readonly string[];
    }
  | {readonly type: 'delivery'; readonly delivery: Delivery}
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
      /** Set when another webhook was registered. */
      readonly secret?: string;
    }
  | {readonly type: 'notice'; readonly message: string}
  | ({readonly type: 'summary'} & ListenSummary);

export const noCounts = () => ({
  genuine: 0,
  not_genuine: 0,
  refused: 0,
  /** Excluded by --events. */
  filtered: 0,
  duplicates: 0,
  /** Forwarded or held events that the app accepted, and that it did not accept. */
  events_accepted: 0,
  events_not_accepted: 0,
  forwarded: 0,
  forward_failures: 0,
  /** Events that the app did not accept, for which the webhook of a sandbox stays for the next run. */
  events_waiting: 0,
  /** True when the webhook could not be removed, which the next run does. */
  webhook_left: false,
});

export type ListenSummary = Readonly<ReturnType<typeof noCounts>>;
