// The object of an event as the event carries it: as it is answered, but for what recorded deliveries show otherwise.

import {present, type View} from './present.js';
import type {Stored} from './store.js';

export function eventData(record: Stored, view: View): Record<string, unknown> {
  const shown = present(record, view);
  if (record.resource !== 'billing_statement') return shown;
  // In deliveries a time that is not set is 0; in answers it is null.
  return {...shown, due_at: shown.due_at ?? 0, finalized_at: shown.finalized_at ?? 0};
}
