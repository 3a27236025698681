// Routes requests for the studio: web pages that show a served sandbox. Buttons need the address with the secret.

import {randomBytes} from 'node:crypto';
import {shapeOfId} from '../../api/registry.js';
import type {ApiRequest, ApiResponse} from '../../api/wire.js';
import {randomToken} from '../../common/random.js';
import type {ListenerRecord} from '../../webhooks/store/listener-record.js';
import {seeOther} from '../pages/layout.js';
import {html} from '../../common/markup.js';
import {ApiProblem} from '../api-problems.js';
import {isSameSecret} from '../requests/authentication.js';
import type {SandboxControl} from '../control/control.js';
import {runFormAction, ACTIONS} from './form-actions.js';
import {SCRIPT, STYLE} from './assets.js';
import {eventPage, requestPage} from './pages/event-page.js';
import {withFrame, HEADERS, textResponse} from './page-frame.js';
import {RESOURCE_KINDS} from './resource-kinds.js';
import {eventList, objectList, requestList, searchPage} from './pages/list-pages.js';
import {mailList, mailPage} from './pages/mail-pages.js';
import {objectPage} from './pages/object-page.js';
import type {Message, StudioContext, StudioView} from './context.js';
import {cursor, findObjectId} from './queries.js';
import {clockPage, overviewPage} from './pages/overview-page.js';

/** @throws ApiProblem for refused requests */
export type Studio = (request: ApiRequest) => Promise<ApiResponse>;

/** Maximum number of messages that wait to be shown. */
const MESSAGES = 50;

export interface StudioOptions {
  /** Part of the address; without it, pages have no buttons. */
  readonly secret: string;
  /** Base URL of links to hosted pages. */
  readonly links: string;
  /** Flags of the commands that pages propose: ` --project shop`. */
  readonly flags?: string;
  /** Returns the record of this machine's listeners; undefined if none has run. */
  readonly listenerRecord?: () => Promise<ListenerRecord | undefined>;
}

export function openStudio(
  control: SandboxControl,
  {secret, links, flags = '', listenerRecord}: StudioOptions,
): Studio {
  const {sandbox} = control;
  /** Messages by id, with the address of the page. */
  const messages = new Map<string, Message & {readonly at: string}>();

  /** Runs a button's action, and redirects to its page with the message. */
  async function submit(verb: string, form: URLSearchParams, home: string): Promise<ApiResponse> {
    const message = await runFormAction(control, verb, form, links);
    const messageId = randomToken(randomBytes, 8);
    const requested = form.get('back') ?? '';
    const page = URL.canParse(requested, links) ? new URL(requested, links) : undefined;
    // Compare the parsed URL, without `..` and backslashes.
    const back = page?.origin === links && page.pathname.startsWith(home) ? page : new URL(home, links);
    back.searchParams.set('said', messageId);
    messages.set(messageId, {...message, at: back.pathname});
    for (const old of messages.keys()) if (messages.size > MESSAGES) messages.delete(old);
    return seeOther(back.pathname + back.search, HEADERS);
  }

  return async ({method, path, query, headers, body}) => {
    const {rest, hasButtons} = parseAddress(path, secret, flags);
    const base = hasButtons ? `/studio/~${secret}` : '/studio';
    const home = hasButtons ? `${base}/` : '/';
    const [, verb] = /^act\/(\w+)$/.exec(rest) ?? [];
    if ((method as string) === 'POST') {
      if (!hasButtons)
        throw refused(403, 'Buttons work only at the address that the server printed. Nothing was done.');
      if (verb === undefined || !Object.hasOwn(ACTIONS, verb))
        throw refused(404, 'This button does not exist. Nothing was done.');
      if (headers['content-type']?.split(';')[0]?.trim().toLowerCase() !== 'application/x-www-form-urlencoded')
        throw refused(415, 'Only the form on the page can be submitted. Nothing was done.');
      return submit(verb, new URLSearchParams(Buffer.from(body ?? []).toString()), home);
    }
    if (method !== 'GET' && (method as string) !== 'HEAD')
      throw refused(405, 'Only GET and POST requests are supported. Nothing was done.');
    if (rest === 'style.css') return textResponse('text/css', STYLE);
    if (rest === 'live.js') return textResponse('text/javascript', SCRIPT);
    const parameters = new URLSearchParams(query);
    const messageId = parameters.get('said') ?? '';
    parameters.delete('said');
    const stored = method === 'GET' ? messages.get(messageId) : undefined;
    const message = stored?.at === path ? stored : undefined;
    const listeners = await listenerRecord?.();
    return sandbox.read((tx) => {
      if (rest === 'pulse') return textResponse('text/plain', cursor(tx, listeners));
      const context: StudioContext = {
        tx,
        listeners,
        ahead: sandbox.clock().ahead,
        path: sandbox.path,
        aimed: control.failures.describe,
        home,
        base,
        hasButtons,
        currentUrl: (rest === '' ? home : `${base}/${rest}`) + (parameters.size > 0 ? `?${parameters}` : ''),
        query: parameters,
        before: Number(parameters.get('before')) || undefined,
        message,
      };
      if (message) messages.delete(messageId);
      const view = viewOf(context, rest);
      return typeof view === 'string' ? seeOther(view, HEADERS) : withFrame(context, view);
    }, links);
  };
}

const refused = (status: number, detail: string) => new ApiProblem(status, [{code: 'request_invalid', detail}]);

function parseAddress(path: string, secret: string, flags: string): {rest: string; hasButtons: boolean} {
  const rest = path.replace(/^\/(studio\/?)?/, '');
  const [, given, behind = ''] = /^~([^/]*)(?:\/(.*))?$/s.exec(rest) ?? [];
  if (given === undefined) return {rest, hasButtons: false};
  if (!isSameSecret(given, secret))
    throw refused(
      404,
      `The server of this address has ended. To open the current studio: centavo sandbox open${flags}`,
    );
  return {rest: behind, hasButtons: true};
}

const PAGES: Readonly<Record<string, (place: StudioContext) => StudioView>> = {
  '': overviewPage,
  events: eventList,
  requests: requestList,
  mail: mailList,
  clock: clockPage,
  search: searchPage,
};

/** Returns a page, or the address to redirect to when a search finds an exact id or number. */
function viewOf(context: StudioContext, rest: string): StudioView | string {
  const {tx, base, query} = context;
  const exact = rest === 'search' && findObjectId(tx.store, query.get('q')?.trim() ?? '');
  if (exact) return `${base}/${exact}`;
  if (Object.hasOwn(PAGES, rest)) return PAGES[rest]!(context);
  if (Object.hasOwn(RESOURCE_KINDS, rest)) return objectList(context, rest);
  return pageOf(context, rest) ?? NOT_FOUND;
}

function pageOf(context: StudioContext, rest: string): StudioView | undefined {
  const {store} = context.tx;
  if (rest.startsWith('mail/')) return mailPage(context, rest.slice(5));
  if (/^req_\w+$/.test(rest)) return requestPage(context, rest);
  const resource = rest.startsWith('evt_') ? 'event' : shapeOfId(rest)?.name;
  const found = resource && store.find(resource, rest);
  if (!found) return undefined;
  return resource === 'event' ? eventPage(context, found.record) : objectPage(context, found.record, found.deleted);
}

const NOT_FOUND: StudioView = {
  status: 404,
  title: 'Not found',
  main: html`<h1 class="title">Not found</h1>
    <p>Nothing was found at this address. The sandbox may have been reset.</p>`,
};
