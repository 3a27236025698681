// The orders of the example: a folder with a file for each event that was acted on.
// An app with a database does the same in one transaction: insert the event's id where it must be unique, and change the order.

import {linkSync, mkdirSync, readdirSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {randomUUID} from 'node:crypto';

export class Orders {
  /** @param {string} folder */
  constructor(folder) {
    this.paid = join(folder, 'paid');
    this.unfinished = join(folder, 'unfinished');
    for (const path of [this.paid, this.unfinished]) mkdirSync(path, {recursive: true});
  }

  /**
   * Acts on an event, once. The act and the record that it was done are one step: no crash comes between, and of two that try, one wins.
   * @returns {boolean} false when it had been done before
   */
  markPaid({id, type, data}) {
    if (!/^evt_\w+$/.test(id)) throw new Error('the event has no id');
    // The captured shape has the object in `data`, the documented one in `data.resource`.
    const object = typeof data.resource === 'object' ? data.resource : data;
    const draft = join(this.unfinished, randomUUID());
    writeFileSync(draft, JSON.stringify({type, object: object.id, amount: object.amount}));
    try {
      linkSync(draft, join(this.paid, id));
      return true;
    } catch (error) {
      if (error.code === 'EEXIST') return false;
      throw error;
    } finally {
      rmSync(draft);
    }
  }

  /** How many events were acted on. */
  count() {
    return readdirSync(this.paid).length;
  }
}
