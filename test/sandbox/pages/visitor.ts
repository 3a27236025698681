// A simulated browser: opens pages of a served sandbox, reads their text and submits forms. Follows no redirects.

import {request, type IncomingHttpHeaders, type OutgoingHttpHeaders} from 'node:http';
import {onTestFinished} from 'vitest';
import {serveSandbox, type ServeOptions} from '../../../src/sandbox/serve/sandbox-server.js';
import {world, type Wire} from '../../support/sandbox/world.js';
import {controlOf} from '../../../src/sandbox/control/control.js';

export interface Seen {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly html: string;
  readonly words: string;
  readonly title: string;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
};
const decoded = (text: string) => text.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity]!);

export function wordsOf(html: string): string {
  const visible = html
    .replace(/<(style|script|title|noscript)>[\s\S]*?<\/\1>/g, ' ')
    .replace(/<wbr[^>]*>/g, '')
    .replace(/<[^>]*>/g, ' ');
  return decoded(visible).replace(/\s+/g, ' ').trim();
}

/** Headers that a browser sends with a page's form. */
export const hiddenFields = ({html}: Pick<Seen, 'html'>): Record<string, string> =>
  Object.fromEntries(
    [...html.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)].map(([, name, value]) => [name, value]),
  );

export function ask(port: number, path: string, method = 'GET', headers: OutgoingHttpHeaders = {}, body?: string) {
  return new Promise<Seen>((resolve, reject) => {
    const outgoing = request({host: '127.0.0.1', port, path, method, headers, agent: false}, (incoming) => {
      let html = '';
      incoming.setEncoding('utf8').on('data', (chunk: string) => (html += chunk));
      incoming.on('end', () => {
        const title = decoded(/<title>([\s\S]*?)<\/title>/.exec(html)?.[1] ?? '');
        resolve({status: incoming.statusCode!, headers: incoming.headers, html, words: wordsOf(html), title});
      });
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/** Headers of a form from this server's page with `no-referrer`. */
const OWN_FORM = {
  origin: 'null',
  'sec-fetch-site': 'same-origin',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
  'content-type': 'application/x-www-form-urlencoded',
};

export const GOOD_CARD = {method: 'card', number: '4242 4242 4242 4242', expiry: '12/40', cvc: '123', name: 'Juan'};

export async function visitor(options: Partial<ServeOptions> = {}) {
  const w = world();
  const server = await serveSandbox(controlOf(w.sandbox), {port: 0, ...options});
  onTestFinished(() => server.close());
  const pathOf = (url: string) => url.slice(server.url.length);

  const visit = (path: string, headers?: OutgoingHttpHeaders) => ask(server.port, path, 'GET', headers);
  const send = (path: string, form: Record<string, string>, headers: OutgoingHttpHeaders = OWN_FORM) =>
    ask(server.port, path.split('#')[0]!, 'POST', headers, new URLSearchParams(form).toString());

  return {
    ...w,
    server,
    visit,
    send,
    pathOf,
    /** Submits a form, expects a redirect, and opens its target. */
    async follow(path: string, form: Record<string, string>): Promise<Seen & {path: string}> {
      const {status, headers, words} = await send(path, form);
      if (status !== 303) throw new Error(`${status}: ${words}`);
      return {...(await visit(headers.location!.split('#')[0]!)), path: headers.location!};
    },
    async statement(fields?: object, centavos?: number): Promise<Wire & {path: string}> {
      const statement = await w.open(fields, centavos);
      return {...statement, path: pathOf(statement.url as string)};
    },
    async checkout(fields?: object): Promise<Wire & {path: string}> {
      const session = await w.session(fields);
      return {...session, path: pathOf(session.url as string)};
    },
    payments: () => w.sandbox.perform((work) => work.store.counts().payment ?? 0),
  };
}
