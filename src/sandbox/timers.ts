// What happens by itself when its time has come: in order, each at its own instant, before anything else is done.

import type {Work} from './work.js';

type Due = (work: Work, id: string) => void;

const handlers: Readonly<Record<string, Due>> = {};

/** Does everything that is due at the work's instant. */
export function runDueTimers(work: Work): void {
  for (let timer = work.store.takeDue(work.now); timer; timer = work.store.takeDue(work.now)) {
    handlers[timer.kind]!(work.at(timer.at), timer.id);
  }
}
