// A service with any number of customers in pages, which notifies when the last page was requested.

import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';

export interface ListServer {
  readonly url: string;
  /** Watches the next list: `last` resolves when its last page was sent. */
  next(): {readonly last: Promise<void>};
  close(): void;
}

const customer = (index: number) => ({
  id: `cus_${index}`,
  resource: 'customer',
  name: `Juan Dela Cruz ${index}`,
  email: `juan${index}@example.com`,
  currency: 'PHP',
  billing: null,
  billing_statement_prefix: 'PKYG9MA2',
  livemode: false,
  metadata: {order: String(index)},
  created_at: 1_773_752_596,
  updated_at: 1_773_752_596,
});

export async function listServer(count: number): Promise<ListServer> {
  let onLast = (): void => {};
  const server = createServer((request, response) => {
    const query = new URL(request.url!, 'http://localhost').searchParams;
    const after = query.get('after');
    const from = after === null ? 0 : Number(after.slice('cus_'.length)) + 1;
    const to = Math.min(from + Number(query.get('limit') ?? 10), count);
    const data = Array.from({length: to - from}, (_, index) => customer(from + index));
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({resource: 'list', has_more: to < count, data}), () => to === count && onLast());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    next: () => ({last: new Promise((resolve) => (onLast = resolve))}),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
