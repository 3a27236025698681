// Invalid API responses: a read exits 8, a change exits 10 with a command to check; the key is never printed or forwarded.

import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {temporaryDirectory} from '../../support/cli.js';
import {commandsIn} from '../../support/commands.js';
import {looksBroken} from '../../support/processes.js';
import {httpAnswer, rawServer, showsKey, TEST_KEY, type RawServer} from '../../support/services/servers.js';

const JUAN = {id: 'cus_2mQ8', resource: 'customer', name: 'Juan', email: 'juan@example.com', currency: 'PHP'};
const GET = ['customers', 'get', 'cus_2mQ8'];
const LIST = ['customers', 'list'];
const CREATE = ['customers', 'create', '--name', 'Juan', '--email', 'juan@example.com'];
const FINALIZE = ['billing-statements', 'finalize', 'bstm_7Hq2'];

const directory = temporaryDirectory(afterAll);
const run = commandsIn(directory, {env: {CENTAVO_SECRET_KEY: TEST_KEY}});

let elsewhere: RawServer;
beforeAll(async () => {
  elsewhere = await rawServer(() => httpAnswer('200 OK', JSON.stringify(JUAN)));
});
afterAll(() => elsewhere.close());

const page = (count: number) => {
  const data = Array.from({length: count}, (_, index) => ({...JUAN, id: `cus_${index}`}));
  return httpAnswer('200 OK', JSON.stringify({resource: 'list', has_more: false, data}));
};

const HTML = httpAnswer('200 OK', '<!doctype html><title>Sign in</title>', {'content-type': 'text/html'});
const HALF = httpAnswer('200 OK', JSON.stringify(JUAN).slice(0, 30), {
  'content-length': String(JSON.stringify(JUAN).length),
});
const CUT = httpAnswer('200 OK', JSON.stringify(JUAN).slice(0, 30));
const EMPTY = 'HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n';
const OTHER_KIND = httpAnswer('200 OK', JSON.stringify({id: 'wh_1Bv7', resource: 'webhook'}));
const FRACTION = httpAnswer('200 OK', JSON.stringify({id: 'pi_5kT1', resource: 'payment_intent', amount: 1250.5}));
const NOT_HTTP = 'SSH-2.0-OpenSSH_9.6\r\n';
const redirect = (status: string) => httpAnswer(status, '', {location: `${elsewhere.url}/customers/cus_2mQ8`});

interface Answer {
  readonly name: string;
  readonly answer: () => string;
  readonly argv: readonly string[];
  readonly mention: string;
}

const reads: Answer[] = [
  {name: 'a web page', answer: () => HTML, argv: GET, mention: 'web page'},
  {name: 'half a body', answer: () => HALF, argv: GET, mention: 'ended early'},
  {name: 'half an object', answer: () => CUT, argv: GET, mention: 'not JSON'},
  {name: 'nothing', answer: () => EMPTY, argv: GET, mention: 'empty'},
  {name: 'an object of another kind', answer: () => OTHER_KIND, argv: GET, mention: 'not a customer'},
  {name: 'half a centavo', answer: () => FRACTION, argv: ['payment-intents', 'get', 'pi_5kT1'], mention: 'amount'},
  {name: '5,000 items', answer: () => page(5000), argv: LIST, mention: '5000'},
  {
    name: 'an object in place of a list',
    answer: () => httpAnswer('200 OK', JSON.stringify(JUAN)),
    argv: LIST,
    mention: 'list',
  },
  {name: 'a redirect', answer: () => redirect('302 Found'), argv: GET, mention: 'redirect'},
  {name: 'a lasting redirect', answer: () => redirect('308 Permanent Redirect'), argv: LIST, mention: 'redirect'},
  {name: 'another protocol', answer: () => NOT_HTTP, argv: GET, mention: ''},
];

const writes: Answer[] = [
  {name: 'a web page', answer: () => HTML, argv: CREATE, mention: 'web page'},
  {name: 'half a body', answer: () => HALF, argv: CREATE, mention: 'ended early'},
  {name: 'half an object', answer: () => CUT, argv: CREATE, mention: 'not JSON'},
  {name: 'nothing', answer: () => EMPTY, argv: CREATE, mention: 'empty'},
  {name: 'an object of another kind', answer: () => OTHER_KIND, argv: CREATE, mention: 'not a customer'},
  {name: '5,000 items', answer: () => page(5000), argv: CREATE, mention: 'not a customer'},
  {name: 'a redirect', answer: () => redirect('307 Temporary Redirect'), argv: CREATE, mention: 'redirect'},
  {name: 'a web page to a change that can be looked at', answer: () => HTML, argv: FINALIZE, mention: 'web page'},
];

async function against(argv: readonly string[], answer: () => string) {
  const server = await rawServer(answer);
  const result = await run(argv, {env: {CENTAVO_BASE_URL: server.url}});
  await server.close();
  return {result, server};
}

const sent = ({requests}: RawServer, method: string): number =>
  requests.filter((request) => request.startsWith(`${method} `)).length;

describe('a read', () => {
  test.concurrent.for(reads)(
    'answered with $name: exit 8, with the response',
    async ({argv, answer, mention}, {expect}) => {
      const {result} = await against(argv, answer);
      expect(result).toMatchObject({status: 8, stdout: ''});
      expect(result.stderr).toContain(mention);
      expect(result.stderr.trimEnd().split('\n').length).toBeLessThanOrEqual(3);
      expect(looksBroken(result), result.stderr).toBe(false);
      expect(showsKey(result.stdout + result.stderr)).toBe(false);
    },
  );
});

describe('a change', () => {
  test.concurrent.for(writes)(
    'answered with $name: exit 10, sent once, and how to check',
    async ({argv, answer, mention}, {expect}) => {
      const {result, server} = await against([...argv, '--json'], answer);
      expect(result).toMatchObject({status: 10, stdout: ''});
      expect(result.error()).toMatchObject({
        exit_code: 10,
        applied: 'unknown',
        retryable: false,
        message: expect.stringContaining(mention),
        hint: expect.stringContaining('centavo '),
      });
      expect(sent(server, 'POST')).toBe(1);
      expect(looksBroken(result), result.stderr).toBe(false);
      expect(showsKey(result.stdout + result.stderr)).toBe(false);
    },
  );

  test('answered with 204 succeeds if no body is expected, and says that it could not be read afterwards', async () => {
    const {result, server} = await against(['billing-statements', 'send', 'bstm_7Hq2', '--json'], () => EMPTY);
    const unread = 'bstm_7Hq2 was sent, but could not be read afterwards: the API returned an unexpected response.\n';
    expect(result).toMatchObject({status: 0, stderr: unread});
    expect(result.json()).toEqual({id: 'bstm_7Hq2', mode: 'test', resource: 'billing_statement'});
    expect(sent(server, 'POST')).toBe(1);
  });
});

test('a redirect sends neither the request nor the key to another host', () => {
  expect(elsewhere.connections()).toBe(0);
});

describe('a refusal of the API', () => {
  const refusal = (status: string, code: string, detail: string) =>
    httpAnswer(status, JSON.stringify({errors: [{code, detail, parameter: 'email'}]}));

  test.for([
    ['401 Unauthorized', 4, 'auth'],
    ['403 Forbidden', 4, 'auth'],
    ['404 Not Found', 3, 'not_found'],
    ['400 Bad Request', 5, 'rejected'],
    ['422 Unprocessable Entity', 5, 'rejected'],
  ] as const)('%s exits %i, with the API’s message', async ([status, exit]) => {
    const {result, server} = await against([...CREATE, '--json'], () => refusal(status, 'some_code', 'Its own words.'));
    expect(result).toMatchObject({status: exit, stdout: ''});
    expect(result.error()).toMatchObject({
      code: 'some_code',
      exit_code: exit,
      applied: 'no',
      status: Number.parseInt(status, 10),
      request: {method: 'POST', path: '/customers', operation: 'customers.create'},
      api_errors: [{code: 'some_code', detail: 'Its own words.', parameter: 'email'}],
    });
    expect(server.requests).toHaveLength(1);
  });

  test('cannot control the terminal or reveal a key', async () => {
    const detail = `\u001B[2J\u001B]0;owned\u0007 key ${TEST_KEY} \u202E`;
    const {result} = await against(CREATE, () => refusal('400 Bad Request', 'bad', detail));
    expect(result.status).toBe(5);
    // oxlint-disable-next-line no-control-regex
    expect(result.stderr).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u202E]/);
    expect(showsKey(result.stderr)).toBe(false);
  });

  test('an unreachable API exits 8, and nothing was changed', async () => {
    const server = await rawServer(() => undefined);
    await server.close();
    const result = await run([...CREATE, '--json'], {env: {CENTAVO_BASE_URL: server.url}});
    expect(result.status).toBe(8);
    expect(result.error()).toMatchObject({
      applied: 'no',
      retryable: true,
      message: expect.stringContaining('ECONNREFUSED'),
    });
    const named = await run(['billing-statements', 'send', 'JEEPNEY-0002'], {env: {CENTAVO_BASE_URL: server.url}});
    expect(named).toMatchObject({status: 8, stderr: expect.stringContaining('Nothing was changed.')});
    const read = await run(['billing-statements', 'get', 'JEEPNEY-0002'], {env: {CENTAVO_BASE_URL: server.url}});
    expect(read).toMatchObject({status: 8, stderr: expect.not.stringContaining('Nothing was changed.')});
  });
});
