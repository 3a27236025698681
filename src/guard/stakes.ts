// What is at stake in a change: the words for it, the amounts that a limit is about, and how many billing statements it touches.

import type {RegisteredOperation} from '../api/registry.js';
import {needsAmount} from './amounts.js';
import {factsOf, isPart, type Facts} from './facts.js';
import type {Call, Seen} from './sight.js';
import {describeCall, describeCalls, nameOf} from './words.js';

export interface Stakes {
  /** What will happen: `finalize billing statement bstm_… of ₱31,000.00 for Juan Dela Cruz`. */
  readonly what: string;
  /** Centavos of the whole change, where they are known: for the history. */
  readonly amount?: bigint;
  /** What the change would collect or pay out, one by one; left out where that must be read first. */
  readonly amounts?: readonly StakedAmount[];
  /** How many billing statements would be changed; left out where that must be read first. */
  readonly statements?: number;
}

export interface StakedAmount {
  /** `billing statement bstm_…` */
  readonly of: string;
  /** Centavos, or why they are not known. */
  readonly amount: bigint | {readonly unknown: string};
}

const STATEMENT = 'bstm_';
/** Statuses in which nothing is collected any more: no limit stands in the way of what leads there. */
const ENDED: readonly (string | undefined)[] = ['canceled', 'expired', 'uncollectible', 'void'];
const WORDS: readonly string[] = ['metadata', 'text'];

/** Whether an operation has to do with an amount that is to be collected or paid out. */
function moves(registered: RegisteredOperation): boolean {
  const {operation, resource} = registered;
  const kinds = Object.values(operation.params).map(({kind}) => kind);
  const onlyWords = kinds.length > 0 && kinds.every((kind) => WORDS.includes(kind));
  const ends = operation.destroys === true || ENDED.includes(operation.reaches);
  return ('amount' in resource.shape.fields || isPart(registered)) && !ends && !onlyWords;
}

/** @param seen what was read of each call; not there when nothing was */
export function stakesOf(calls: readonly Call[], seen?: readonly Seen[]): Stakes {
  const facts = calls.map((call, index) => factsOf(call, seen?.[index]));
  const amounts = calls.map((call, index) => amountsOf(call, facts[index]!, seen !== undefined));
  return {
    what: calls.length === 1 ? describeCall(calls[0]!, facts[0]!) : describeCalls(calls, facts),
    amount: totalOf(facts),
    amounts: amounts.includes(undefined) ? undefined : amounts.flatMap((each) => each!),
    statements: statementsOf(calls, facts, seen !== undefined),
  };
}

function amountsOf(call: Call, {given, own, holder}: Facts, seen: boolean): readonly StakedAmount[] | undefined {
  const {registered, ids} = call;
  const of = nameOf(call);
  const stake = (amount: bigint | undefined, unknown: string) => [{of, amount: amount ?? {unknown}}];
  if (!isPart(registered) && given !== undefined)
    return stake(given === 'unclear' ? undefined : given, 'What is given for it is no whole number of centavos.');
  if (!moves(registered)) return [];
  if (ids.length === 0 && !isPart(registered))
    return needsAmount(registered.operation.params) ? stake(undefined, 'None is given.') : [];
  if (!seen) return undefined;
  if (!isPart(registered)) return stake(own, 'The API does not give it.');
  return holder
    ? [
        {
          of: `${holder.title} ${holder.id}`,
          amount: holder.then ?? {unknown: 'Price and quantity are not whole numbers.'},
        },
      ]
    : stake(undefined, 'It does not say what it belongs to.');
}

/** The parts of one statement are one statement. */
function statementsOf(calls: readonly Call[], facts: readonly Facts[], seen: boolean): number | undefined {
  const [{registered}] = calls as [Call];
  if (registered.resource.shape.prefix === STATEMENT) return calls.length;
  if (!isPart(registered)) return 0;
  if (calls.length === 1) return 1;
  return seen ? new Set(facts.map(({holder}, index) => holder?.id ?? calls[index]!.ids[0])).size : undefined;
}

function totalOf(facts: readonly Facts[]): bigint | undefined {
  const amounts = facts.map(({given, own}) => given ?? own);
  return amounts.reduce<bigint | undefined>(
    (total, each) => (total === undefined || typeof each !== 'bigint' ? undefined : total + each),
    0n,
  );
}
