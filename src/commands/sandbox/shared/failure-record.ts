// The printed record of an aimed failure.

import {
  booleanSchema,
  choiceSchema,
  integerSchema,
  nullableSchema,
  recordSchema,
  type SchemaValue,
  textSchema,
  timestampSchema,
  titledSchema,
} from '../../../cli/schema.js';
import type {AimedFailure} from '../../../sandbox/control/failures.js';

export const FAILURE = recordSchema({
  id: integerSchema,
  aim: titledSchema('requests', textSchema),
  status: nullableSchema(integerSchema),
  applied: booleanSchema,
  drop: nullableSchema(choiceSchema('after', 'before')),
  delay_ms: nullableSchema(integerSchema),
  times: integerSchema,
  used: integerSchema,
  own: booleanSchema,
  until: timestampSchema,
});

export function failureRecord(failure: AimedFailure): SchemaValue<typeof FAILURE> {
  const {id, aim, status = null, applied, drop = null, delay = null, times, used, own = false, until} = failure;
  return {id, aim, status, applied: applied ?? drop === 'after', drop, delay_ms: delay, times, used, own, until};
}
