// The control path, `/_centavo/`: the control verbs over HTTP, for tests in any language.

import {EVENT_TYPES} from '../../api/events.js';
import {field, type Fields} from '../../api/fields.js';
import type {ApiRequest, ApiResponse} from '../../api/wire.js';
import {CentavoError, messageAndReason} from '../../common/errors.js';
import {toManila} from '../../common/manila.js';
import {ApiProblem, invalid, unauthorized} from '../api-problems.js';
import {authenticate, type Keys} from '../requests/authentication.js';
import {readParams, validate} from '../requests/parameters.js';
import {jsonResponse} from '../requests/router.js';
import type {TriggerOptions} from '../sample-events.js';
import {instantOf, OUTCOMES, outcomeOf, type SandboxControl, spanOf} from './control.js';
import type {FailureFields} from './failures.js';

type Params = Readonly<Record<string, never>>;

/** What a server adds to the verbs. */
export interface ServedControl {
  /** Base URL of links to hosted pages. */
  readonly baseUrl: string;
  /** In place of the sandbox's own. */
  readonly keys?: Keys;
  /** Aborted when the client has gone, or the server closes. */
  readonly signal: AbortSignal;
  /** Only for the server's own key. */
  readonly namespaces?: {list(): readonly object[]; close(name: string): Promise<void>};
}

interface ControlRoute {
  readonly takes: Fields;
  readonly run: (control: SandboxControl, params: Params, served: ServedControl) => unknown;
}

/** Milliseconds for webhooks to answer at one moment. */
const SETTLE_TIME = 5000;
/** Seconds. */
const MAX_WAIT = 60;
const MAX_SNAPSHOTS = 100;
const DEFAULT_LIMIT = 100;

const text = field.text('', {maxLength: 1000});
const whole = field.integer('');
const limit = field.integer('', {min: 1, max: 10_000});
const wait = {wait: field.integer('', {min: 0, max: MAX_WAIT})};
/** Text or a number, which the route reads. */
const either = field.related('');

/**
 * Returns a function that waits until what is due was delivered, at most `wait` seconds in all. A webhook that does not
 * answer is tried again later.
 */
function settler({sandbox}: SandboxControl, signal: AbortSignal, seconds: number = MAX_WAIT): () => Promise<void> {
  const end = performance.now() + seconds * 1000;
  return async () => {
    const totalTimeout = Math.min(SETTLE_TIME, end - performance.now());
    if (totalTimeout > 0 && !signal.aborted) await sandbox.deliverDue({totalTimeout, signal});
  };
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
const orNumber = (value: unknown) => (typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value);

const cause = 'control';
const listOf = (data: readonly object[]) => ({resource: 'list', data});

const EVENT_QUERY = {type: field.choice(EVENT_TYPES, ''), object: text, after: text};
/** The parameters of a planned failure. */
export const FAILURE = {
  operation: text,
  method: text,
  path: text,
  status: whole,
  applied: field.boolean(''),
  drop: text,
  delay: whole,
  times: whole,
};
const SET = {
  amount: whole,
  description: text,
  metadata: field.metadata(''),
  customer: field.hash({name: text, email: text}, ''),
};

const ROUTES: Readonly<Record<string, ControlRoute>> = {
  'GET time': {takes: {}, run: clockOf},
  'POST time': {
    takes: {advance: either, to: either, ...wait},
    run: async (control, {advance, to, wait: seconds}, {signal}) => {
      if ((advance === undefined) === (to === undefined))
        throw invalid('parameter_invalid', 'Give either advance or to.', 'advance');
      const now = control.sandbox.now();
      const at = advance === undefined ? orNumber(to) : now + spanOf(orNumber(advance));
      await control.advanceTo(instantOf(at), settler(control, signal, seconds));
      return clockOf(control);
    },
  },
  'POST pay': {
    takes: {id: text, method: text, card: text, outcome: field.choice(OUTCOMES, ''), ...wait},
    run: async (control, {wait: seconds, ...params}, {baseUrl, signal}) => {
      const paid = control.pay(needed(params, 'id'), params, {cause, baseUrl});
      await settler(control, signal, seconds)();
      const {result, ...objects} = paid;
      return {outcome: outcomeOf(result), ...objects};
    },
  },
  'POST trigger': {
    takes: {type: text, from: text, set: field.hash(SET, ''), ...wait},
    run: async (control, params, {baseUrl, signal}) => {
      const {type: _, wait: seconds, ...options} = params;
      const event = control.trigger(needed(params, 'type'), options as TriggerOptions, {cause, baseUrl});
      await settler(control, signal, seconds)();
      return event;
    },
  },
  'GET events': {
    takes: {...EVENT_QUERY, limit, ...wait},
    run: async (control, {limit = DEFAULT_LIMIT as never, wait: seconds, ...query}, {signal}) => {
      if (seconds !== undefined && !(await control.waitForEvent(query, seconds * 1000, signal)))
        throw new ApiProblem(408, [{code: 'event_not_seen', detail: control.whyNotSeen(query)}]);
      return listOf(control.events({...query, limit}));
    },
  },
  'GET requests': {
    takes: {limit},
    run: (control, {limit = DEFAULT_LIMIT as never}) => listOf(control.requests(limit)),
  },
  'GET failures': {takes: {}, run: ({failures}) => listOf(failures.list())},
  'POST failures': {takes: FAILURE, run: ({failures}, params) => failures.add(params as FailureFields)},
  'DELETE failures': {
    takes: {id: whole},
    run: ({failures}, {id}) => {
      failures.remove(id);
      return listOf(failures.list());
    },
  },
  'GET snapshots': {takes: {}, run: (control) => listOf(control.snapshots().map((name) => ({name})))},
  'POST snapshots': {
    takes: {name: text},
    run: (control, {name}) => {
      const others = control.snapshots().filter((each) => each !== name);
      if (others.length >= MAX_SNAPSHOTS)
        throw invalid('too_many_snapshots', `There are ${MAX_SNAPSHOTS} snapshots, the most. Replace one.`, 'name');
      return {name: control.snapshot(name)};
    },
  },
  'POST restore': {
    takes: {name: text},
    run: (control, params) => {
      control.restore(needed(params, 'name'));
      return clockOf(control);
    },
  },
  'GET namespaces': {takes: {}, run: (_, __, {namespaces}) => listOf(serverOnly(namespaces).list())},
  'DELETE namespaces': {
    takes: {name: text},
    run: async (_, params, {namespaces}) => {
      await serverOnly(namespaces).close(needed(params, 'name'));
      return listOf(serverOnly(namespaces).list());
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
  if (name === 'health' && /^(GET|HEAD)$/.test(request.method)) return jsonResponse(200, {status: 'ok'});
  if (authenticate(request, served.keys ?? control.sandbox.keys) !== 'secret')
    throw unauthorized('The control path takes the secret key, as the user name of Basic authentication.');
  const id = `${request.method} ${name}`;
  if (!Object.hasOwn(ROUTES, id)) throw new ApiProblem(404, [{code: 'route_not_found', detail: noRouteText(id)}]);
  const {takes, run} = ROUTES[id]!;
  const params = paramsOf(request, takes, id);
  try {
    return jsonResponse(200, (await run(control, params, served)) ?? {});
  } catch (error) {
    if (!(error instanceof CentavoError) || error.kind === 'local_io') throw error;
    const {details, code} = error;
    // The options of commands are the parameters here.
    const detail = [messageAndReason(error), details.hint]
      .filter(Boolean)
      .join(' ')
      .replaceAll(/--(?=[a-z])/g, '');
    throw new ApiProblem(error.kind === 'not_found' ? 404 : 400, details.apiErrors ?? [{code, detail}]);
  }
}

/** Reads the parameters of the query and the body. A body that starts as JSON is JSON, whatever its header says. */
function paramsOf(request: ApiRequest, takes: Fields, id: string): Params {
  const isJson = /^[[{]/.test(String.fromCharCode(request.body?.[0] ?? 0));
  const headers = isJson ? {...request.headers, 'content-type': 'application/json'} : request.headers;
  const given = {
    ...readParams({...request, method: 'GET'}, takes),
    ...readParams({...request, method: 'POST', headers}, takes),
  };
  const unknown = Object.keys(given).find((each) => !Object.hasOwn(takes, each));
  if (unknown !== undefined)
    throw invalid('parameter_unknown', `${id} takes ${Object.keys(takes).join(', ') || 'no parameters'}.`, unknown);
  return Object.fromEntries(Object.entries(validate(given, takes)).filter(([, value]) => value !== null)) as Params;
}

function noRouteText(id: string): string {
  const known = Object.keys(ROUTES).map((route) => route.replace(' ', ' /_centavo/'));
  return `${id.replace(' ', ' /_centavo/')} is not a control request. There are: ${known.join(', ')}.`;
}
