// The edit of a draft as one change for the guard: what it comes to before and after.

import {customerOf, numberOf} from '../../../api/statement.js';
import type {Edits, Statement} from '../../../billing/compose/plan.js';
import {amountOf} from '../../../guard/change-amounts.js';
import type {Change, ChangeDetails} from '../../../guard/change.js';
import {shown, UNKNOWN_AMOUNT} from '../../../guard/describe.js';
import {longDay} from '../../../manila.js';
import {formatPesos} from '../../../pesos.js';
import {nameOf} from '../read.js';

interface Edited {
  readonly draft: Statement;
  readonly edits: Edits;
  /** Centavos that it comes to afterwards. */
  readonly total: number;
  /** Unix seconds; undefined where the due date stays. */
  readonly dueAt: number | undefined;
  /** Whether a person has just seen what is changed, and saved it. */
  readonly isReviewed: boolean;
  /** Reads the draft again. */
  readonly read: () => Promise<Statement>;
}

export function changeOfEdit({draft, edits, total, dueAt, isReviewed, read}: Edited): Change {
  const detailsOf = (now: Statement): ChangeDetails => {
    const before = amountOf(now);
    const {name} = customerOf(now);
    const {length} = edits.removed;
    const words = [
      `change the draft ${nameOf(now)}${name === undefined ? '' : ` for ${shown(name)}`}`,
      ` from ${before === undefined ? UNKNOWN_AMOUNT : formatPesos(before)} to ${formatPesos(total)}`,
      length > 0 && `, removing ${length} ${length === 1 ? 'item' : 'items'}`,
      dueAt !== undefined && `, due ${longDay(dueAt)}`,
    ];
    return {
      what: words.filter(Boolean).join(''),
      statements: 1,
      subject: {number: numberOf(now), customer: name},
      amount: BigInt(total),
      amounts: [{of: `billing statement ${draft.id}`, amount: BigInt(total)}],
    };
  };
  return {
    command: 'billing-statements edit',
    asks: edits.removed.length > 0 && !isReviewed,
    ids: [draft.id],
    known: detailsOf(draft),
    lookUp: async () => detailsOf(await read()),
  };
}
