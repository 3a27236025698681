// Faults of requests, drawn from a seed by rates, or listed for a hand-made schedule.

/** Milliseconds after its end within which a call is applied, if ever. */
export const SETTLE = 15_000;
/** Maximum age of a read, in milliseconds. */
export const STALENESS = 15_000;
/** Timeout of a call, in milliseconds. */
export const CALL = 10_000;

/** The end of an unanswered call: a timeout, a reset, or the end of the process. */
export type End = 'interrupt' | 'kill' | 'reset' | 'silence';

export type Fault =
  /** Applied, then reset without an answer. */
  | 'lost'
  /** Never applied, and never answered. */
  | 'never'
  | 'unsent'
  | 'refused'
  | 'status-503-before'
  | 'status-500-after'
  | 'garbage-after'
  | 'kill-before'
  | 'kill-after'
  /** The answer arrives, and the process dies before it records anything more. */
  | 'kill-answered'
  | 'interrupt-before'
  | 'interrupt-after'
  /** 429, with the seconds to wait if the service says them. */
  | {readonly limited: number | undefined}
  /** Milliseconds until the answer, unless the call times out first. */
  | {readonly slow: number}
  /** Milliseconds after the end of the call at which it is applied, even if the process dies; negative: during the call. */
  | {readonly late: number; readonly end?: End};

/** A request of a process. `number` counts its changes, or its reads, from 0. */
export interface Leaving {
  readonly number: number;
  readonly write: boolean;
  readonly method: string;
  readonly path: string;
  readonly machine: string;
}

/** Faults of requests and waits. */
export interface Faults {
  readonly request: (leaving: Leaving) => Fault | undefined;
  /** The fault during a wait, also for a missing answer, and the part of the wait after which it happens. */
  readonly wait?: () => {readonly what: 'interrupt' | 'kill'; readonly part: number} | undefined;
}

/** Probabilities per change, read and wait. */
export interface Rates {
  readonly change: Readonly<Partial<Record<Kind, number>>>;
  readonly read: Readonly<
    Partial<Record<'kill-before' | 'limited' | 'lost' | 'never' | 'slow' | 'status-503-before', number>>
  >;
  readonly wait: Readonly<Partial<Record<'interrupt' | 'kill', number>>>;
}

/** `late-beyond` is applied after the settle time; nothing can protect against that. */
type Kind = Extract<Fault, string> | 'late' | 'late-beyond' | 'limited' | 'slow';

export const RATES: Rates = {
  change: {
    lost: 0.04,
    never: 0.02,
    late: 0.05,
    slow: 0.03,
    limited: 0.02,
    unsent: 0.01,
    refused: 0.005,
    'status-503-before': 0.02,
    'status-500-after': 0.02,
    'garbage-after': 0.01,
    'kill-before': 0.02,
    'kill-after': 0.02,
    'kill-answered': 0.02,
    'interrupt-before': 0.003,
    'interrupt-after': 0.005,
  },
  read: {slow: 0.03, lost: 0.01, never: 0.01, limited: 0.01, 'status-503-before': 0.01, 'kill-before': 0.01},
  wait: {kill: 0.01, interrupt: 0.003},
};

export const NO_FAULTS: Faults = {request: () => undefined};

/** Multiplies each rate. */
export const scaled = (rates: Rates, by: number): Rates => {
  const all = (part: object) => Object.fromEntries(Object.entries(part).map(([kind, rate]) => [kind, rate * by]));
  return {change: all(rates.change), read: all(rates.read), wait: all(rates.wait)};
};

/** @param ends the possible ends of late calls */
export function drawn(
  chance: () => number,
  rates: Rates = RATES,
  ends: readonly End[] = ['silence', 'silence', 'reset', 'kill', 'interrupt'],
): Faults {
  /** One number decides which, so that what is drawn next depends on it alone. */
  const pick = <K extends string>(part: Readonly<Partial<Record<K, number>>>): K | undefined => {
    let left = chance();
    for (const [kind, rate] of Object.entries(part) as [K, number][]) if ((left -= rate) < 0) return kind;
    return undefined;
  };
  return {
    request({write}) {
      const kind: Kind | undefined = write ? pick(rates.change) : pick(rates.read);
      if (kind === 'slow') return {slow: chance() * 1.2 * CALL};
      if (kind === 'limited') return {limited: 1 + Math.floor(chance() * 20)};
      if (kind !== 'late' && kind !== 'late-beyond') return kind;
      const end = ends[Math.floor(chance() * (chance() < 0.8 ? Math.min(3, ends.length) : ends.length))]!;
      if (kind === 'late-beyond') return {late: SETTLE * (1 + chance() * 4), end};
      // A fifth of the late calls end in the last second: the edge is what is tested.
      const late = chance() < 0.2 ? SETTLE - chance() * 1000 : chance() * (SETTLE + CALL) - CALL;
      return {late: end === 'silence' ? late : Math.abs(late), end};
    },
    wait() {
      const what = pick(rates.wait);
      return what && {what, part: chance()};
    },
  };
}

/** Faults by the number of the change or read of a process. */
export const listed = (
  changes: Readonly<Record<number, Fault>>,
  reads: Readonly<Record<number, Fault>> = {},
): Faults => ({
  request: ({write, number}) => (write ? changes : reads)[number],
});
