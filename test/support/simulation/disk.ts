// The journals of one computer, in memory: unwritten events are lost when a process dies.

import type {RunEvent} from '../../../src/billing/statement/workflow/run-events.js';
import type {DraftIds, RunJournal} from '../../../src/billing/statement/workflow/journal.js';

interface Kept {
  readonly run: string;
  key: string;
  statement: string | undefined;
  events: readonly RunEvent[];
}

/** A process: `dies` throws if it is dead. */
interface Process {
  readonly token: () => string;
  readonly alive: () => boolean;
  readonly dies: () => void;
}

export class Disk {
  readonly #runs: Kept[] = [];

  journal({dies, alive, token}: Process, {id, key}: DraftIds): RunJournal {
    const known = this.#runs.findLast((each) => (id !== undefined && each.statement === id) || each.key === key);
    const kept = known ?? {run: token(), key: key ?? token(), statement: id, events: []};
    if (!known) this.#runs.push(kept);
    let later: RunEvent[] = [];
    const flush = (): void => {
      kept.events = [...kept.events, ...later];
      for (const event of later) if ('id' in event && /^bstm_(?!li_)/.test(event.id ?? '')) kept.statement ??= event.id;
      later = [];
    };
    return {
      ...{run: kept.run, key: kept.key, events: kept.events},
      record: (event) => {
        dies();
        later.push(event);
        if (event.type === 'intended') flush();
      },
      disown: () => void Object.assign(kept, {statement: undefined, key: '-'}),
      close: () => void (alive() && flush()),
    };
  }
}
