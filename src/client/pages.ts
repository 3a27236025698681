// A list that can be awaited for one page, or iterated for every item of all pages, each item once.

import type {ListEnvelope} from '../api/wire.js';
import {CentavoError} from '../common/errors.js';

export type PageParams = Readonly<Record<string, unknown>> & {readonly after?: string; readonly before?: string};

/** A list: one page when awaited, all items from that page onward when iterated. Nothing is sent before. */
export class Pages<Item extends {readonly id: string}> implements PromiseLike<ListEnvelope<Item>>, AsyncIterable<Item> {
  readonly #fetch: (params: PageParams) => Promise<ListEnvelope<Item>>;
  readonly #params: PageParams;

  constructor(fetch: (params: PageParams) => Promise<ListEnvelope<Item>>, params: PageParams) {
    this.#fetch = fetch;
    this.#params = params;
  }

  then<A = ListEnvelope<Item>, B = never>(
    fulfilled?: ((page: ListEnvelope<Item>) => A | PromiseLike<A>) | null,
    rejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#fetch(this.#params).then(fulfilled, rejected);
  }

  /** Yields each page. @throws CentavoError kind `unavailable` if the API reports more items but returns none */
  async *pages(): AsyncGenerator<ListEnvelope<Item>> {
    const backwards = this.#params.before !== undefined;
    const seen = new Set<string>();
    let params = this.#params;
    for (;;) {
      const page = await this.#fetch(params);
      // Items can move between pages during the read, so repeated items are skipped.
      const fresh = page.data.filter(({id}) => !seen.has(id) && seen.add(id));
      yield {...page, data: fresh};
      if (!page.has_more) return;
      if (fresh.length === 0) throw endless(seen.size);
      params = backwards ? {...this.#params, before: page.data[0]!.id} : {...this.#params, after: page.data.at(-1)!.id};
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item> {
    for await (const page of this.pages()) yield* page.data;
  }
}

const endless = (count: number): CentavoError =>
  new CentavoError(
    'unavailable',
    `the list does not end: after ${count} objects, the API says there are more but returns none.`,
    {
      code: 'list_without_progress',
      hint: 'To list the objects returned so far, use the same command with --limit.',
    },
  );
