// Checks the claims in the text of a stop against the real state.

import type {Applied} from '../../src/common/errors.js';

export interface Said {
  /** The whole printed error. */
  readonly text: string;
  readonly applied: Applied | undefined;
}

/** The real state at the moment of the report. */
export interface Moment {
  readonly status: string | undefined;
  readonly items: number;
  /** True if any requested change was applied. */
  readonly changed: boolean;
}

/** @returns a sentence for each claim that is false at this moment */
export function falseNow({text, applied}: Said, {status, items, changed}: Moment): string[] {
  const count = /has (\d+) of \d+ items?/.exec(text);
  return [
    count && items < Number(count[1]) && `there are ${items} items`,
    / is open/.test(text) && status !== 'open' && `it is ${status}`,
    applied === 'yes' && !changed && 'nothing was changed',
    /(?<!If it was not sent: )centavo send/.test(text) && 'a command that sends is proposed',
  ]
    .filter((fault): fault is string => typeof fault === 'string')
    .map((fault) => `${fault}: ${text}`);
}

/**
 * @param made the paths of all applied changes of the run, including late ones
 * @returns a sentence for each claim that turned out false
 */
export function falseLater({text, applied}: Said, made: readonly string[]): string[] {
  const ended = (end: string): boolean => made.some((path) => path.endsWith(end));
  return [
    /(?<!If it was )not sent|did not (finalize or )?send/.test(text) && ended('/send') && 'it was sent',
    /did not finalize/.test(text) && ended('/finalize') && 'it was finalized',
    applied === 'no' && made.length > 0 && `something was changed (${made.join(', ')})`,
  ]
    .filter((fault): fault is string => typeof fault === 'string')
    .map((fault) => `${fault}: ${text}`);
}
