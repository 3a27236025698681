// Whether anything was changed is reported as seen, and the same in text, in JSON errors and in the history.

import {closeSync, existsSync, openSync} from 'node:fs';
import {describe, expect, onTestFinished, test} from 'vitest';
import {temporaryDirectory} from '../../support/cli.js';
import {commandsIn} from '../../support/commands.js';
import {watch} from '../../support/processes.js';
import {httpAnswer, rawServer, TEST_KEY} from '../../support/services/servers.js';

type Answer = 'already' | 'doubt' | 'html' | 'key refused' | 'made' | 'missing' | 'refused' | 'status 502';

const json = (body: unknown, status = '200 OK'): string => httpAnswer(status, JSON.stringify(body));
const statement = (id: string, status: string): string => json({id, resource: 'billing_statement', status});

/** A service that does this to the changes of each statement. */
async function api(answers: Readonly<Record<string, Answer>>) {
  const server = await rawServer((request) => {
    const id = /bstm_\d/.exec(request)?.[0] ?? 'bstm_0';
    const answer = answers[id];
    if (request.startsWith('GET')) return statement(id, answer === 'already' ? 'void' : 'open');
    switch (answer) {
      case 'made':
        return statement(id, 'void');
      case 'missing':
        return json({errors: [{code: 'resource_not_found', detail: 'No.'}]}, '404 Not Found');
      case 'key refused':
        return json({errors: [{code: 'auth_invalid', detail: 'No.'}]}, '401 Unauthorized');
      case 'status 502':
        return httpAnswer('502 Bad Gateway', '<html>');
      case 'html':
        return httpAnswer('200 OK', '<html>');
      case 'doubt':
        return '';
      default:
        return json({errors: [{code: 'resource_invalid_state', detail: 'Not open.'}]}, '400 Bad Request');
    }
  });
  onTestFinished(server.close);
  return {url: server.url, env: {CENTAVO_BASE_URL: server.url, CENTAVO_SECRET_KEY: TEST_KEY}};
}

const WORDS = {
  no: /Nothing was changed\./,
  unknown: /could not confirm whether anything was changed|outcomes? (is|are) unknown\./,
  yes: /The change was made\.|\d (was|were) changed\./,
} as const;

interface Case {
  readonly words: readonly string[];
  readonly answers: Readonly<Record<string, Answer>>;
  readonly exit: number;
  readonly applied: keyof typeof WORDS;
  readonly says?: RegExp;
}

const VOID = ['billing-statements', 'void'];
const bulk = (...answers: Answer[]): Pick<Case, 'answers' | 'words'> => ({
  words: [...VOID, ...answers.map((_, index) => `bstm_${index + 1}`)],
  answers: Object.fromEntries(answers.map((answer, index) => [`bstm_${index + 1}`, answer])),
});
const request = (answer: Answer): Pick<Case, 'answers' | 'words'> => ({
  words: ['api', 'POST', '/billing_statements/bstm_1/void'],
  answers: {bstm_1: answer},
});

const CASES: Readonly<Record<string, Case>> = {
  'one refused': {...bulk('refused'), exit: 5, applied: 'no'},
  'one in doubt': {...bulk('doubt'), exit: 10, applied: 'unknown'},
  'two refused alike': {...bulk('refused', 'refused'), exit: 5, applied: 'no'},
  'two refused in different ways': {...bulk('refused', 'missing'), exit: 11, applied: 'no'},
  'one done already and one refused': {...bulk('already', 'refused'), exit: 11, applied: 'no'},
  'one made and one refused': {...bulk('made', 'refused'), exit: 11, applied: 'yes', says: /1 of 2 was changed\./},
  'one made and one in doubt': {
    ...bulk('made', 'doubt', 'made'),
    exit: 11,
    applied: 'unknown',
    says: /2 of 3 were changed; 1 outcome is unknown\./,
  },
  'all in doubt': {...bulk('doubt', 'status 502'), exit: 10, applied: 'unknown', says: /2 outcomes are unknown/},
  'one in doubt and one refused': {...bulk('doubt', 'refused'), exit: 11, applied: 'unknown'},
  'a request refused': {...request('refused'), exit: 5, applied: 'no'},
  'a request to what is not there': {...request('missing'), exit: 3, applied: 'no'},
  'a request without an answer': {...request('doubt'), exit: 10, applied: 'unknown'},
  'a request answered with a web page': {...request('html'), exit: 10, applied: 'unknown'},
  'a request that fails at the service': {...request('status 502'), exit: 10, applied: 'unknown'},
};

describe.each(Object.entries(CASES))('%s', (_name, {words, answers, exit, applied, says}) => {
  test('is the same in text, JSON and the history', async () => {
    const {env} = await api(answers);
    for (const form of [[], ['--json']]) {
      const run = commandsIn(temporaryDirectory(), {env});
      const result = await run([...words, '--yes', ...form]);
      expect(result.status, result.stderr).toBe(exit);
      if (form.length > 0) {
        const {error} = JSON.parse(result.stderr.trimEnd().split('\n').at(-1)!);
        expect(error).toMatchObject({applied, exit_code: exit});
        if (words[0] === 'api') expect(error.request).toMatchObject({method: 'POST', path: words[2]});
      } else {
        expect(result.stderr).toMatch(says ?? WORDS[applied]);
        for (const [other, pattern] of Object.entries(WORDS))
          if (other !== applied && !says) expect(result.stderr).not.toMatch(pattern);
      }
      const {data} = (await run(['history', '--json'])).json();
      expect(data).toMatchObject([{applied}]);
    }
  });
});

test('the failures of a batch are in the error’s results, with the API messages', async () => {
  const {words, answers} = bulk('made', 'refused', 'doubt', 'missing');
  const {env} = await api(answers);
  const result = await commandsIn(temporaryDirectory(), {env})([...words, '--yes', '--json']);
  expect(result.status).toBe(11);
  expect(result.rows()).toMatchObject([{id: 'bstm_1', status: 'void'}]);
  expect(result.stderr.trimEnd().split('\n')).toHaveLength(1);
  expect(result.error()).toMatchObject({
    code: 'partial',
    applied: 'unknown',
    message: '3 of 4 failed. 1 of 4 was changed; 1 outcome is unknown.',
    hint: expect.stringContaining('centavo billing-statements get bstm_3'),
    results: [
      {id: 'bstm_2', code: 'resource_invalid_state', applied: 'no', api_errors: [{detail: 'Not open.'}]},
      {id: 'bstm_3', code: 'outcome_unknown', applied: 'unknown', api_errors: []},
      {id: 'bstm_4', code: 'resource_not_found', applied: 'no', api_errors: [{detail: 'No.'}]},
    ],
  });
});

test('a --jq program that fails after a batch exits 15, and says how many were changed', async () => {
  const {words, answers} = bulk('made', 'made');
  const {env} = await api(answers);
  const result = await commandsIn(temporaryDirectory(), {env})([...words, '--yes', '--json', '--jq', 'error("no")']);
  expect(result).toMatchObject({status: 15, stdout: ''});
  expect(result.error()).toMatchObject({
    code: 'invalid_jq',
    applied: 'yes',
    message: expect.stringContaining('2 of 2'),
  });
});

test('of many failures, people see ten, and how to get all', async () => {
  const {words, answers} = bulk(...Array.from({length: 14}, () => 'refused' as const));
  const {env} = await api(answers);
  const result = await commandsIn(temporaryDirectory(), {env})([...words, '--yes']);
  const lines = result.stderr.trimEnd().split('\n');
  expect(lines.filter((line) => line.startsWith('bstm_'))).toHaveLength(10);
  expect(lines[11]).toContain('error.results');
  expect(lines[12]).toBe('Error: all 14 failed: the API refused the request (HTTP 400).');
});

test('several equal failures get the hint of one', async () => {
  for (const answers of [['key refused'], ['key refused', 'key refused']] as const) {
    const {words, answers: ids} = bulk(...answers);
    const {env} = await api(ids);
    const result = await commandsIn(temporaryDirectory(), {env})([...words, '--yes']);
    expect(result).toMatchObject({status: 4, stderr: expect.stringContaining('CENTAVO_SECRET_KEY')});
    expect(result.stderr.trimEnd().split('\n').at(-1)).toMatch(/^ {2}\S/);
  }
});

test('a request of unknown outcome names the command to check it', async () => {
  const {env} = await api({bstm_1: 'doubt'});
  const result = await commandsIn(temporaryDirectory(), {env})(['api', 'POST', '/billing_statements/bstm_1/void']);
  expect(result.stderr).toContain('Check: centavo billing-statements get bstm_1');
});

test.each([
  [['POST', '/coupons'], 'centavo api GET /coupons'],
  [['POST', '/coupons/co_1/apply', '-d', 'a=b'], 'centavo api GET /coupons/co_1'],
  [['POST', '/billing_statement_line_items', '-d', 'billing_statement_id=$(id)'], "billing-statements get '$(id)'"],
])('so does a raw request, with a quoted path: %j', async (words, command) => {
  const {env} = await api({bstm_0: 'doubt'});
  const result = await commandsIn(temporaryDirectory(), {env})(['api', ...words]);
  expect(result).toMatchObject({status: 10, stderr: expect.stringContaining(`Check: `)});
  expect(result.stderr).toContain(command);
});

test.each([
  [['api', 'POST', '/billing_statements/bstm_1/void'], 'POST'],
  [[...VOID, 'bstm_1', '--yes'], 'POST'],
  [['api', 'GET', '/billing_statements/bstm_1'], 'GET'],
])('Ctrl-C during %j names the request and its outcome, as known', async (words, method) => {
  const server = await rawServer(() => undefined);
  onTestFinished(server.close);
  const directory = temporaryDirectory();
  const env = {CENTAVO_BASE_URL: server.url, CENTAVO_SECRET_KEY: TEST_KEY};
  const running = watch(directory, [...words, '--json'], {env});
  await server.received(1);
  running.child.kill('SIGINT');
  expect(await running.ended).toEqual({status: 130, signal: null});
  const applied = method === 'GET' ? 'no' : 'unknown';
  expect(JSON.parse(running.stderr()).error).toMatchObject({applied, request: {method}});
  const {data} = (await commandsIn(directory)(['history', '--json'])).json();
  expect(data).toMatchObject(method === 'GET' ? [] : [{result: 'interrupted', applied}]);
});

describe.runIf(existsSync('/dev/full'))('when the output cannot be written', () => {
  test.each<[Answer[], string]>([
    [['made', 'made'], 'yes'],
    [['already', 'already'], 'no'],
    [['already', 'refused'], 'no'],
    [['doubt', 'made'], 'unknown'],
  ])('%j: prints what was changed', async (answers, applied) => {
    const {words, answers: ids} = bulk(...answers);
    const {env} = await api(ids);
    const directory = temporaryDirectory();
    const full = openSync('/dev/full', 'w');
    const running = watch(directory, [...words, '--yes', '--json'], {env, stdio: ['ignore', full, 'pipe']});
    expect(await running.ended).toEqual({status: 15, signal: null});
    closeSync(full);
    const {error} = JSON.parse(running.stderr().trimEnd().split('\n').at(-1)!);
    expect(error).toMatchObject({exit_code: 15, applied});
    const {data} = (await commandsIn(directory)(['history', '--json'])).json();
    expect(data).toMatchObject([{applied}]);
  });

  test('a batch stops, and says how many were changed', async () => {
    const {words, answers} = bulk('made', 'made', 'made');
    const {env} = await api(answers);
    const full = openSync('/dev/full', 'w');
    const running = watch(temporaryDirectory(), [...words, '--yes'], {env, stdio: ['ignore', full, 'pipe']});
    expect(await running.ended).toEqual({status: 15, signal: null});
    closeSync(full);
    expect(running.stderr()).toContain('1 of 3 was changed.');
  });

  test('names the created object', async () => {
    const {env} = await api({bstm_1: 'made'});
    const full = openSync('/dev/full', 'w');
    const lost = watch(temporaryDirectory(), [...VOID, 'bstm_1', '--yes', '--json'], {
      env,
      stdio: ['ignore', full, 'pipe'],
    });
    expect(await lost.ended).toEqual({status: 15, signal: null});
    closeSync(full);
    const {error} = JSON.parse(lost.stderr());
    expect(error).toMatchObject({applied: 'yes', message: expect.stringContaining('The change was made: bstm_1.')});
    expect(error.results).toMatchObject([{id: 'bstm_1', applied: 'yes'}]);
  });
});
