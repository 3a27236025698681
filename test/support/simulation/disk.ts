// The journals of one computer, in memory: what was not written when a process dies is lost.

import type {RunEvent} from '../../../src/billing/statement/workflow/run-events.js';
import type {DraftIds, RunJournal} from '../../../src/billing/statement/workflow/journal.js';

interface Kept {
  readonly run: string;
  key: string;
  statement: string | undefined;
  facts: readonly RunEvent[];
}

/** A process: `dies` throws when it is dead. */
interface Process {
  readonly token: () => string;
  readonly alive: () => boolean;
  readonly dies: () => void;
}

export class Disk {
  readonly #runs: Kept[] = [];

  journal({dies, alive, token}: Process, {id, key}: DraftIds): RunJournal {
    const known = this.#runs.findLast((each) => (id !== undefined && each.statement === id) || each.key === key);
    const kept = known ?? {run: token(), key: key ?? token(), statement: id, facts: []};
    if (!known) this.#runs.push(kept);
    let later: RunEvent[] = [];
    const flush = (): void => {
      kept.facts = [...kept.facts, ...later];
      for (const fact of later) if ('id' in fact && /^bstm_(?!li_)/.test(fact.id ?? '')) kept.statement ??= fact.id;
      later = [];
    };
    return {
      ...{run: kept.run, key: kept.key, facts: kept.facts},
      record: (fact) => {
        dies();
        later.push(fact);
        if (fact.what === 'intend') flush();
      },
      disown: () => void Object.assign(kept, {statement: undefined, key: '-'}),
      close: () => void (alive() && flush()),
    };
  }
}
