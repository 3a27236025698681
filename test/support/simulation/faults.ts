// What goes wrong with a request, drawn from a seed by rates, or listed for a schedule that is written by hand.

/** Milliseconds within which a call is applied after its end, if it ever is. */
export const SETTLE = 15_000;
/** Milliseconds that a read is old at most. */
export const STALENESS = 15_000;
/** Milliseconds after which the program gives up a call. */
export const CALL = 10_000;

/** How a call ends that nobody answers: given up in time, at once by a reset, or with the process. */
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
  /** 429, with the seconds to wait. */
  | {readonly limited: number}
  /** Answered so many milliseconds later, if the call is not given up before. */
  | {readonly slow: number}
  /** Applied so many milliseconds after the end of the call, whatever becomes of the process; during the call if negative. */
  | {readonly late: number; readonly end?: End};

/** A request as it leaves a process. `number` counts the changes, or the reads, of that process from 0. */
export interface Leaving {
  readonly number: number;
  readonly write: boolean;
  readonly method: string;
  readonly path: string;
  readonly machine: string;
}

/** What goes wrong with a request, and during a wait. */
export interface Faults {
  readonly request: (leaving: Leaving) => Fault | undefined;
  /** What comes during a wait, also for an answer that does not come, and after which part of it. */
  readonly wait?: () => {readonly what: 'interrupt' | 'kill'; readonly part: number} | undefined;
}

/** Chances of 1: of each change, of each read, of each wait. */
export interface Rates {
  readonly change: Readonly<Partial<Record<Kind, number>>>;
  readonly read: Readonly<
    Partial<Record<'kill-before' | 'limited' | 'lost' | 'never' | 'slow' | 'status-503-before', number>>
  >;
  readonly wait: Readonly<Partial<Record<'interrupt' | 'kill', number>>>;
}

/** `late-beyond` comes later than the settle time, which nothing can protect from. */
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

/** Each rate times this. */
export const scaled = (rates: Rates, by: number): Rates => {
  const all = (part: object) => Object.fromEntries(Object.entries(part).map(([kind, rate]) => [kind, rate * by]));
  return {change: all(rates.change), read: all(rates.read), wait: all(rates.wait)};
};

/** @param ends how calls end that come late */
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
      // The whole of the last second is as likely as any: what is tried is the edge.
      const late = chance() < 0.2 ? SETTLE - chance() * 1000 : chance() * (SETTLE + CALL) - CALL;
      return {late: end === 'silence' ? late : Math.abs(late), end};
    },
    wait() {
      const what = pick(rates.wait);
      return what && {what, part: chance()};
    },
  };
}

/** Faults by the number of the change, and of the read, of one process. */
export const listed = (
  changes: Readonly<Record<number, Fault>>,
  reads: Readonly<Record<number, Fault>> = {},
): Faults => ({
  request: ({write, number}) => (write ? changes : reads)[number],
});
