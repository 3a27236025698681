// The record of a hand-over: how centavo prints a change that waits for a person.

import type {Context} from '../../context/context.js';
import type {HandOver} from '../../repeats/hand-overs.js';
import * as schema from '../schema.js';

export type {HandOver};

/** Says by what an agent was recognized, without a full stop. */
export const agentText = ({variable, pid}: {readonly variable: string; readonly pid: number}): string =>
  `${variable} in process ${pid} shows an agent`;

/** Times are unix seconds by the account's clock; the amount is in centavos. */
export const HAND_OVER = schema.record({
  ...schema.fieldsNamed('id state what', schema.text),
  amount: schema.nullable(schema.centavos),
  customer: schema.nullable(schema.text),
  ids: schema.list(schema.text),
  command: schema.text,
  asked_at: schema.timestamp,
  decided_at: schema.nullable(schema.timestamp),
  result: schema.nullable(schema.text),
  object: schema.nullable(schema.text),
  ...schema.fieldsNamed('agent profile key_source', schema.text),
  approve: schema.nullable(schema.text),
  data_folder: schema.text,
});

/** How a run ended that found nothing to do. */
export const NOTHING_SENT = 'nothing_sent';

/** Returns the idempotency key under which the change runs: the agent's own, or the id. */
export const keyOf = ({id, argv}: HandOver): string =>
  (JSON.parse(argv) as string[]).map((word) => /^--idempotency-key=(.*)$/s.exec(word)?.[1]).find(Boolean) ?? id;

export const flagWords = (flags: Readonly<Record<string, unknown>>): string[] =>
  Object.entries(flags).flatMap(([name, value]) => {
    if (value === undefined) return [];
    if (typeof value === 'boolean') return [value ? `--${name}` : `--no-${name}`];
    return [value].flat().map((each) => `--${name}=${String(each)}`);
  });

export function handOverRecord(context: Pick<Context, 'dataDirectory'>, made: HandOver) {
  const {id, state, what, amount, customer, command, asked_at, decided_at, result, object, agent, profile} = made;
  const isOpen = state === 'open' || state === 'unknown';
  return {
    ...{id, state, what, amount, customer, ids: JSON.parse(made.ids) as string[], command, asked_at, decided_at},
    ...{result, object, agent, profile, key_source: made.key_source},
    approve: isOpen ? `centavo approve ${id}` : null,
    data_folder: context.dataDirectory(),
  };
}
