// The reason why typed text is invalid. Readers return an InvalidInput; commands make an error of it.

import {refusedError, usageError, type CentavoError, type ErrorDetails} from '../common/errors.js';

interface FaultDetails extends Pick<ErrorDetails, 'cause' | 'changed' | 'code' | 'next' | 'override' | 'why'> {
  /** The fix, in one line. `place` is the flag, so that the example can be pasted. */
  readonly hint?: string | ((place: string) => string);
  /** A valid text that may be meant, for a prompt. */
  readonly suggestion?: string;
  /** The invalid part of the text, such as `price`. Hints about a part name no flag. */
  readonly part?: string;
  /** True if the text is valid, but centavo refuses it. */
  readonly isUnsafe?: boolean;
}

export class InvalidInput {
  /** @param problem the rest of a sentence that starts with the place: `"soon" is not a date.` */
  constructor(
    readonly problem: string,
    readonly details: FaultDetails = {},
  ) {}

  /** The message for a prompt: one line, without the place. */
  get text(): string {
    return [this.problem, this.details.why].filter(Boolean).join(' ');
  }

  /** @param place the flag or argument; empty if the problem is a whole sentence */
  toError(place: string): CentavoError {
    const {part, isUnsafe = false, code = 'usage', hint, ...details} = this.details;
    const where = part === undefined ? place : `${place}, ${part}`;
    return (isUnsafe ? refusedError : usageError)(code, `${where} ${this.problem}`.trim(), {
      ...details,
      hint: typeof hint === 'function' ? hint(part === undefined ? place : '').replace(/ +/g, ' ') : hint,
    });
  }
}

/** Returns the value. @param place see {@link InvalidInput.toError} @throws CentavoError if the text is invalid */
export function valueOrThrow<T>(read: InvalidInput | T, place = ''): T {
  if (read instanceof InvalidInput) throw read.toError(place);
  return read;
}
