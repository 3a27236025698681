// The studio: pages at `GET /` of a served sandbox that show what is in it and what happens, with buttons at an address that has a secret.
// This file: what is answered to a request of a browser.

import {randomBytes} from 'node:crypto';
import {shapeOfId} from '../../api/registry.js';
import type {ApiRequest, ApiResponse} from '../../api/wire.js';
import {randomToken} from '../../ground/random.js';
import {html} from '../pages/markup.js';
import {Problem} from '../problems.js';
import {isSameSecret} from '../requests/authentication.js';
import type {Sandbox} from '../sandbox.js';
import {act, ACTIONS} from './actions.js';
import {SCRIPT, STYLE} from './assets.js';
import {eventPage, requestPage} from './event.js';
import {framed, HEADERS} from './frame.js';
import {KINDS} from './kinds.js';
import {deliveryList, eventList, objectList, requestList, searchPage} from './lists.js';
import {mailList, mailPage} from './mail.js';
import {objectPage} from './object.js';
import type {Message, Place, View} from './parts.js';
import {cursor, withName} from './reads.js';
import {clock, today} from './today.js';

export interface Studio {
  readonly answer: (request: ApiRequest) => Promise<ApiResponse>;
}

/** Messages that wait for their page, at most. */
const MESSAGES = 50;

/** @param secret of the address with buttons @param links the base of links to hosted pages */
export function openStudio(sandbox: Sandbox, secret: string, links: string): Studio {
  const messages = new Map<string, Message>();

  function keep(message: Message): string {
    const id = randomToken(randomBytes, 8);
    messages.set(id, message);
    for (const old of messages.keys()) if (messages.size > MESSAGES) messages.delete(old);
    return id;
  }

  async function answer({method, path, query, headers, body}: ApiRequest): Promise<ApiResponse> {
    const {rest, acts} = placeOf(path, secret);
    const base = acts ? `/studio/~${secret}` : '/studio';
    const home = acts ? `${base}/` : '/';
    const [, verb] = /^act\/(\w+)$/.exec(rest) ?? [];
    if ((method as string) === 'POST') {
      if (!acts) throw refused(403, 'The buttons are on the address that sandbox serve prints. Nothing was done.');
      if (verb === undefined || !Object.hasOwn(ACTIONS, verb))
        throw refused(404, 'There is no such button. Nothing was done.');
      if (headers['content-type']?.split(';')[0]?.trim().toLowerCase() !== 'application/x-www-form-urlencoded')
        throw refused(415, 'Only the form on the page can be submitted. Nothing was done.');
      const form = new URLSearchParams(Buffer.from(body ?? []).toString());
      const said = keep(await act(sandbox, verb, form, links));
      const asked = form.get('back') ?? '';
      const back = new URL(asked === home || asked.startsWith(`${base}/`) ? asked : home, links);
      back.searchParams.set('said', said);
      return {status: 303, headers: {location: back.pathname + back.search, ...HEADERS}, body: new Uint8Array()};
    }
    if (method !== 'GET' && (method as string) !== 'HEAD')
      throw refused(405, 'Only GET and POST requests are supported.');
    if (verb !== undefined) throw refused(404, 'There is no such page.');
    if (rest === 'style.css') return text('text/css', STYLE);
    if (rest === 'live.js') return text('text/javascript', SCRIPT);
    const {ahead} = sandbox.clock();
    const asked = new URLSearchParams(query);
    const said = asked.get('said') ?? '';
    asked.delete('said');
    return sandbox.read((tx) => {
      if (rest === 'pulse') return text('text/plain', cursor(tx));
      const here = (rest === '' ? home : `${base}/${rest}`) + (asked.size > 0 ? `?${asked}` : '');
      const message = messages.get(said);
      const place: Place = {
        tx,
        ahead,
        path: sandbox.path,
        home,
        base,
        acts,
        here,
        query: asked,
        before: Number(asked.get('before')) || undefined,
        message,
      };
      messages.delete(said);
      const view = viewOf(place, rest);
      return view instanceof URL
        ? {status: 303, headers: {location: view.pathname, ...HEADERS}, body: new Uint8Array()}
        : framed(place, view);
    }, links);
  }

  return {
    answer: async (request) => {
      try {
        return await answer(request);
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        const {status, message} = error;
        return sandbox.read((tx) => {
          const place = {
            tx,
            ahead: 0,
            path: ':memory:',
            home: '/',
            base: '/studio',
            acts: false,
            here: '/',
            query: new URLSearchParams(),
          };
          return framed(place, {
            status,
            title: 'Not done',
            main: html`<h1 class="title">Not done</h1>
              <p>${message}</p>`,
          });
        }, links);
      }
    },
  };
}

const refused = (status: number, detail: string): Problem => new Problem(status, [{code: 'request_invalid', detail}]);

function placeOf(path: string, secret: string): {rest: string; acts: boolean} {
  const rest = path.replace(/^\/(studio\/?)?/, '');
  const [, given, behind = ''] = /^~([^/]*)(?:\/(.*))?$/s.exec(rest) ?? [];
  if (given === undefined) return {rest, acts: false};
  if (!isSameSecret(given, secret))
    throw refused(404, 'This address is of a server that has ended. sandbox serve prints the one of now.');
  return {rest: behind, acts: true};
}

const text = (type: string, content: string): ApiResponse => ({
  status: 200,
  headers: {'content-type': `${type}; charset=utf-8`, ...HEADERS},
  body: Buffer.from(content),
});

const PAGES: Readonly<Record<string, (place: Place) => View>> = {
  '': today,
  events: eventList,
  deliveries: deliveryList,
  requests: requestList,
  mail: mailList,
  clock,
  search: searchPage,
};

function viewOf(place: Place, rest: string): URL | View {
  const {tx, base, query} = place;
  if (rest === 'search') {
    const id = withName(tx.store, query.get('q')?.trim() ?? '');
    if (id) return new URL(`http://localhost${base}/${id}`);
  }
  if (Object.hasOwn(PAGES, rest)) return PAGES[rest]!(place);
  if (Object.hasOwn(KINDS, rest)) return objectList(place, rest);
  if (rest.startsWith('mail/')) return mailPage(place, rest.slice(5)) ?? notFound();
  if (/^req_\w+$/.test(rest)) return requestPage(place, rest) ?? notFound();
  const event = /^evt_\w+$/.test(rest) ? tx.store.find('event', rest) : undefined;
  if (event) return eventPage(place, event.record);
  const shape = shapeOfId(rest);
  const found = shape && tx.store.find(shape.name, rest);
  return found ? objectPage(place, found.record, found.deleted) : notFound();
}

const notFound = (): View => ({
  status: 404,
  title: 'Not found',
  main: html`<h1 class="title">Not found</h1>
    <p>There is nothing at this address: it may have been of a sandbox that was reset.</p>`,
});
