// What reading needs of a request's transaction: the records, its time, and the address of its pages.

import {shapeOfId} from '../api/registry.js';
import type {Store, Stored} from './store.js';

export class Reading {
  readonly store: Store;
  /** Unix seconds of the sandbox's clock. */
  readonly now: number;
  /** The base of links to hosted pages. */
  readonly baseUrl: string;

  constructor(store: Store, now: number, baseUrl: string) {
    this.store = store;
    this.now = now;
    this.baseUrl = baseUrl;
  }

  /** The object of this id, or undefined. */
  peek(id: string | null | undefined): Stored | undefined {
    const shape = id ? shapeOfId(id) : undefined;
    const found = shape && this.store.find(shape.name, id!);
    return found && !found.deleted ? found.record : undefined;
  }
}
