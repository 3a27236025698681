// The reason why typed text is invalid. Readers return it; only the edge of a command makes an error of it.

import {refusedError, usageError, type CentavoError, type ErrorDetails} from '../common/errors.js';

interface FaultDetails extends Pick<ErrorDetails, 'cause' | 'changed' | 'code' | 'why'> {
  /** The fix, in one line; `place` is the flag, for an example that can be pasted. */
  readonly hint?: string | ((place: string) => string);
  /** The invalid part of the text: `price`. A part has no flag. */
  readonly part?: string;
  /** The text is valid, but centavo refuses it. */
  readonly isUnsafe?: boolean;
}

export class InvalidInput {
  /** @param problem the rest of the sentence after the place: `"soon" is not a date.` */
  constructor(
    readonly problem: string,
    readonly details: FaultDetails = {},
  ) {}

  /** In one line, without the place: for a prompt. */
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

/** The value that was read, or the error. @param place see {@link InvalidInput.toError} */
export function valueOrThrow<T>(read: InvalidInput | T, place = ''): T {
  if (read instanceof InvalidInput) throw read.toError(place);
  return read;
}
