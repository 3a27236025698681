// How long the service takes to apply a call, and to show it in reads.

/** Limits on the API's delays, in milliseconds. */
export interface ServiceTiming {
  /** S: how long a call may still be applied after its end. */
  readonly settle: number;
  /** L: maximum age of the data in a read. */
  readonly lag: number;
  readonly call: number;
  /** Maximum age of the read that finalizing relies on. */
  readonly age: number;
}

export const HTTP_TIMING: ServiceTiming = {settle: 15_000, lag: 15_000, call: 10_000, age: 5000};
/** For the embedded sandbox, which applies a call before the call returns. */
export const EMBEDDED_TIMING: ServiceTiming = {settle: 0, lag: 0, call: 0, age: 5000};

/** @param consistent true if the API reported that its reads are never stale */
export const serviceTimingOf = ({
  embedded,
  consistent = false,
}: {
  embedded: boolean;
  consistent?: boolean;
}): ServiceTiming => (embedded ? EMBEDDED_TIMING : consistent ? {...HTTP_TIMING, lag: 0} : HTTP_TIMING);

/** Returns the milliseconds after a create until reads show all earlier creates, whose times are whole seconds. */
export const readDelay = ({lag, settle}: ServiceTiming): number => (settle > 0 ? lag + 1000 : lag);

/** Returns the milliseconds after a claim until reads show every change that the draft's earlier owner may have made. */
export const takeoverWait = ({lag, age, call, settle}: ServiceTiming): number =>
  settle > 0 ? lag + age + call + settle + lag : 0;
