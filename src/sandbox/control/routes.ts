// The control path, `/_centavo/`: the control verbs over HTTP, for tests in any language.

import {booleanField, type Fields, hash, integerField, metadata, textField} from '../../api/fields.js';
import type {ApiRequest, ApiResponse} from '../../api/wire.js';
import {CentavoError, messageAndReason} from '../../common/errors.js';
import {toManila} from '../../common/manila.js';
import {ApiProblem, invalid, unauthorized} from '../api-problems.js';
import {authenticate} from '../requests/authentication.js';
import {readParams} from '../requests/parameters.js';
import {listRequests} from '../requests/request-log-queries.js';
import {jsonResponse} from '../requests/router.js';
import type {TriggerOptions} from '../sample-events.js';
import {instantOf, outcomeOf, type SandboxControl, spanOf} from './control.js';
import type {FailureFields} from './failures.js';

type Params = Readonly<Record<string, never>>;

/** What a server adds to the verbs. */
export interface ServedControl {
  /** Base URL of links to hosted pages. */
  readonly baseUrl: string;
  /** Only for the server's own key. */
  readonly namespaces?: {list(): readonly object[]; close(name: string): Promise<void>};
}

interface ControlRoute {
  readonly takes: Fields;
  readonly run: (control: SandboxControl, params: Params, served: ServedControl) => unknown;
}

/** Milliseconds for webhooks to answer, unless `wait` says otherwise. */
const SETTLE_TIME = 5000;
/** Seconds. */
const MAX_WAIT = 60;
const DEFAULT_LIMIT = 100;

const text = textField('');
const whole = integerField('');
const wait = {wait: integerField('')};

/** Waits until what is due was delivered, at most `wait` seconds. A webhook that does not answer is tried again later. */
const settled = async ({sandbox}: SandboxControl, seconds?: number): Promise<void> => {
  const totalTimeout = seconds === undefined ? SETTLE_TIME : waitOf(seconds);
  if (totalTimeout > 0) await sandbox.deliverDue({totalTimeout});
};

function waitOf(seconds: unknown): number {
  if (typeof seconds === 'number' && seconds >= 0 && seconds <= MAX_WAIT) return seconds * 1000;
  throw invalid('parameter_invalid', `The value for wait must be from 0 to ${MAX_WAIT} seconds.`, 'wait');
}

const needed = (params: Params, name: string): string => {
  if (typeof params[name] === 'string' && params[name] !== '') return params[name];
  throw invalid('parameter_required', `The value for ${name} cannot be blank.`, name);
};

const clockOf = ({sandbox}: SandboxControl) => {
  const now = sandbox.now();
  return {now, time: `${toManila(now).toISOString().slice(0, 19)}+08:00`};
};

function serverOnly(namespaces: ServedControl['namespaces']) {
  if (namespaces) return namespaces;
  throw new ApiProblem(403, [
    {code: 'server_only', detail: 'Only the secret key of the server lists and closes namespaces.'},
  ]);
}

/** Digits of a form or a query are a number. */
const orNumber = (value: unknown): unknown =>
  typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;

const cause = 'control';

const EVENT_QUERY = {type: text, object: text, after: text};
const FAILURE = {
  operation: text,
  method: text,
  path: text,
  status: whole,
  applied: booleanField(''),
  drop: text,
  delay: whole,
  times: whole,
};
const SET = {amount: whole, description: text, metadata: metadata(''), customer: hash({name: text, email: text}, '')};

const ROUTES: Readonly<Record<string, ControlRoute>> = {
  'GET time': {takes: {}, run: clockOf},
  'POST time': {
    takes: {advance: text, to: text, ...wait},
    run: async (control, {advance, to, wait: seconds}) => {
      if ((advance === undefined) === (to === undefined))
        throw invalid('parameter_invalid', 'Give either advance or to.', 'advance');
      const now = control.sandbox.now();
      const at = advance === undefined ? instantOf(orNumber(to)) : now + spanOf(orNumber(advance));
      await control.advanceTo(at, () => settled(control, seconds));
      return clockOf(control);
    },
  },
  'POST pay': {
    takes: {id: text, method: text, card: text, outcome: text, ...wait},
    run: async (control, {wait: seconds, ...params}, {baseUrl}) => {
      const paid = control.pay(needed(params, 'id'), params, {cause, baseUrl});
      await settled(control, seconds);
      const {result, ...objects} = paid;
      return {outcome: outcomeOf(result), ...objects};
    },
  },
  'POST trigger': {
    takes: {type: text, from: text, set: hash(SET, ''), ...wait},
    run: async (control, params, {baseUrl}) => {
      const {type: _, wait: seconds, ...options} = params;
      const event = control.trigger(needed(params, 'type'), options as TriggerOptions, {cause, baseUrl});
      await settled(control, seconds);
      return event;
    },
  },
  'GET events': {
    takes: {...EVENT_QUERY, limit: whole, ...wait},
    run: async (control, {limit = DEFAULT_LIMIT as never, wait: seconds, ...query}) => {
      if (seconds !== undefined && !(await control.waitForEvent(query, waitOf(seconds))))
        throw new ApiProblem(408, [{code: 'event_not_seen', detail: control.whyNotSeen(query)}]);
      return {resource: 'list', data: control.events({...query, limit})};
    },
  },
  'GET requests': {
    takes: {limit: whole},
    run: ({sandbox}, {limit = DEFAULT_LIMIT as never}) => {
      const {data, hasMore} = listRequests(sandbox.requests, {limit});
      return {resource: 'list', has_more: hasMore, data};
    },
  },
  'GET failures': {takes: {}, run: ({failures}) => ({resource: 'list', data: failures.list()})},
  'POST failures': {takes: FAILURE, run: ({failures}, params) => failures.add(params as FailureFields)},
  'DELETE failures': {
    takes: {id: whole},
    run: ({failures}, {id}) => {
      failures.remove(id);
      return {resource: 'list', data: failures.list()};
    },
  },
  'GET snapshots': {
    takes: {},
    run: (control) => ({resource: 'list', data: control.snapshots().map((name) => ({name}))}),
  },
  'POST snapshots': {takes: {name: text}, run: (control, {name}) => ({name: control.snapshot(name)})},
  'POST restore': {
    takes: {name: text},
    run: (control, params) => {
      control.restore(needed(params, 'name'));
      return clockOf(control);
    },
  },
  'GET namespaces': {
    takes: {},
    run: (_, __, {namespaces}) => ({resource: 'list', data: serverOnly(namespaces).list()}),
  },
  'DELETE namespaces': {
    takes: {name: text},
    run: async (_, params, {namespaces}) => {
      await serverOnly(namespaces).close(needed(params, 'name'));
      return {resource: 'list', data: serverOnly(namespaces).list()};
    },
  },
  'POST reset': {
    takes: {},
    run: (control) => {
      control.reset();
      return clockOf(control);
    },
  },
};

/** @throws ApiProblem for refused requests */
export async function controlAnswer(
  control: SandboxControl,
  request: ApiRequest,
  served: ServedControl,
): Promise<ApiResponse> {
  const name = request.path.slice('/_centavo/'.length);
  if (name === 'health' && request.method === 'GET') return jsonResponse(200, {status: 'ok'});
  if (authenticate(request, control.sandbox.keys) !== 'secret')
    throw unauthorized('The control path takes the secret key, as the user name of Basic authentication.');
  const id = `${request.method} ${name}`;
  if (!Object.hasOwn(ROUTES, id)) throw new ApiProblem(404, [{code: 'route_not_found', detail: noRouteText(id)}]);
  const {takes, run} = ROUTES[id]!;
  const params = readParams(request, takes) as Params;
  const unknown = Object.keys(params).find((each) => !Object.hasOwn(takes, each));
  if (unknown !== undefined)
    throw invalid('parameter_unknown', `${id} takes ${Object.keys(takes).join(', ') || 'no parameters'}.`, unknown);
  try {
    return jsonResponse(200, (await run(control, params, served)) ?? {});
  } catch (error) {
    if (!(error instanceof CentavoError) || error.kind === 'local_io') throw error;
    const {details, code} = error;
    const detail = [messageAndReason(error), details.hint].filter(Boolean).join(' ');
    throw new ApiProblem(error.kind === 'not_found' ? 404 : 400, details.apiErrors ?? [{code, detail}]);
  }
}

function noRouteText(id: string): string {
  const known = Object.keys(ROUTES).map((route) => route.replace(' ', ' /_centavo/'));
  return `${id.replace(' ', ' /_centavo/')} is not a control request. There are: ${known.join(', ')}.`;
}
