// The verifiers of the documents in six languages, against deliveries that openssl signed.

import {execFileSync, spawnSync} from 'node:child_process';
import {cpSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {temporaryDirectory} from '../support/cli.js';
import {ROOT} from '../support/examples.js';

const EXAMPLES = join(ROOT, 'examples');
const RUNNERS = join(ROOT, 'test/examples/verifiers');
const SECRET = 'whsk_0123456789abcdefghijklmnopqrstuv';

function opensslDigest(signed: Buffer, secret: string): string {
  const printed = execFileSync('openssl', ['dgst', '-sha256', '-hmac', secret, '-r'], {input: signed});
  return printed.toString().slice(0, 64);
}

interface Delivery {
  readonly title: string;
  readonly genuine: boolean;
  readonly body: Buffer;
  readonly header: string;
  readonly secret: string;
  readonly live: boolean;
}

interface Change {
  readonly live?: boolean;
  readonly age?: number;
  readonly t?: string;
  readonly signed?: Buffer | string;
  readonly body?: Buffer | string;
  readonly secret?: string;
  readonly header?: (t: string, digest: string) => string;
}

function delivery(title: string, genuine: boolean, change: Change = {}): Delivery {
  const {live = false, age = 0, secret = SECRET, signed = '{"id":"evt_1","livemode":false}', body = signed} = change;
  const t = change.t ?? String(Math.floor(Date.now() / 1000) - age);
  const digest = opensslDigest(Buffer.concat([Buffer.from(`${t}.`), Buffer.from(signed)]), SECRET);
  const header = change.header?.(t, digest) ?? (live ? `t=${t},te=,li=${digest}` : `t=${t},te=${digest},li=`);
  return {title, genuine, body: Buffer.from(body), header, secret, live};
}

const deliveries = (): Delivery[] => [
  delivery('a genuine one', true),
  delivery('of live mode', true, {live: true}),
  delivery('of 290 seconds ago', true, {age: 290}),
  delivery('of 290 seconds ahead', true, {age: -290}),
  delivery('with spaces in the header', true, {header: (t, digest) => `t=${t}, te=${digest}, li=`}),
  delivery('with a part that is not known', true, {header: (t, digest) => `t=${t},te=${digest},li=,v2=x`}),
  delivery('with a body that is not ASCII', true, {signed: '{"name":"Niño 支払い 💸"}\r\n'}),
  delivery('with a body that is not UTF-8', true, {signed: Buffer.from([0x7b, 0xff, 0x00, 0x80, 0x7d])}),
  delivery('with an empty body', true, {signed: ''}),
  delivery('tampered', false, {body: '{"id":"evt_2","livemode":false}'}),
  delivery('with a line break more', false, {body: '{"id":"evt_1","livemode":false}\n'}),
  delivery('parsed and written again', false, {signed: '{"a": 1}', body: '{"a":1}'}),
  delivery('of 400 seconds ago', false, {age: 400}),
  delivery('of 400 seconds ahead', false, {age: -400}),
  delivery('with another secret', false, {secret: `${SECRET}w`}),
  delivery('without the prefix of the secret', false, {secret: SECRET.replace('whsk_', '')}),
  delivery('with the signature of the other mode', false, {header: (t, digest) => `t=${t},te=,li=${digest}`}),
  delivery('with both empty', false, {header: (t) => `t=${t},te=,li=`}),
  delivery('of live mode with an empty part', false, {live: true, header: (t, digest) => `t=${t},te=${digest},li=`}),
  delivery('without a part', false, {header: (t) => `t=${t}`}),
  delivery('with a cut signature', false, {header: (t, digest) => `t=${t},te=${digest.slice(0, 63)},li=`}),
  delivery('with a signature that is not ASCII', false, {header: (t) => `t=${t},te=${'ñ'.repeat(64)},li=`}),
  delivery('without a header', false, {header: () => ''}),
  delivery('with words for a header', false, {header: () => 'genuine'}),
  ...['', '-1', '+1', 'now', '1e9', '0x10', '9'.repeat(11), '9'.repeat(5000), '٣'].map((t) =>
    delivery(`signed at ${t.slice(0, 20)}`, false, {t}),
  ),
];

/** The verdicts of a program that reads all deliveries from stdin. */
function verdicts([command, ...args]: readonly string[], all: readonly Delivery[]): unknown {
  const input = JSON.stringify(all.map((each) => ({...each, body: each.body.toString('base64')})));
  const result = spawnSync(command!, args, {input, encoding: 'utf8'});
  const line = /^\[.*\]$/m.exec(result.stdout ?? '');
  if (!line) throw new Error(`${command} prints no verdicts: ${result.stderr}${String(result.error ?? '')}`);
  return JSON.parse(line[0]);
}

/** Go without a C compiler. */
const GO_ENVIRONMENT = {...process.env, CGO_ENABLED: '0'};

function goVerdicts(all: readonly Delivery[]): unknown {
  const folder = temporaryDirectory();
  for (const name of ['go.mod', 'verify.go']) cpSync(join(EXAMPLES, 'go', name), join(folder, name));
  cpSync(join(RUNNERS, 'run_test.go'), join(folder, 'run_test.go'));
  // `go test` gives its program no stdin.
  const program = join(folder, 'run.test');
  execFileSync('go', ['test', '-c', '-o', program], {cwd: folder, env: GO_ENVIRONMENT});
  return verdicts([program, '-test.v'], all);
}

function shellVerdicts(all: readonly Delivery[]): boolean[] {
  const file = join(temporaryDirectory(), 'body');
  return all.map(({body, header, secret, live}) => {
    writeFileSync(file, body);
    const argv = [join(EXAMPLES, 'shell/verify.sh'), file, header, live ? 'li' : 'te'];
    const {status, stderr} = spawnSync('sh', argv, {env: {PATH: process.env.PATH, PAYREX_WEBHOOK_SECRET: secret}});
    expect(stderr.toString()).toBe('');
    return status === 0;
  });
}

const runner =
  (command: string, file: string, ...flags: string[]) =>
  (all: readonly Delivery[]): unknown =>
    verdicts([command, ...flags, join(RUNNERS, file), EXAMPLES], all);

const LANGUAGES: readonly [string, command: string, (all: readonly Delivery[]) => unknown][] = [
  ['node', process.execPath, runner(process.execPath, 'run.mjs')],
  ['php', 'php', runner('php', 'run.php')],
  ['python', 'python3', runner('python3', 'run.py', '-B')],
  ['ruby', 'ruby', runner('ruby', 'run.rb')],
  ['go', 'go', goVerdicts],
  ['shell', 'openssl', shellVerdicts],
];

describe.each(LANGUAGES)('the verifier in %s', (name, command, run) => {
  const isThere = !spawnSync(command, [name === 'go' || name === 'shell' ? 'version' : '--version']).error;

  test('can run in CI', () => {
    if (process.env.CI === 'true') expect(isThere).toBe(true);
  });

  test.skipIf(!isThere)('accepts genuine deliveries alone', () => {
    const all = deliveries();
    const found = run(all) as boolean[];
    const shown = (verdictOf: (each: Delivery, at: number) => boolean) =>
      all.map((each, at) => `${each.title}: ${verdictOf(each, at)}`);
    expect(shown((_, at) => found[at]!)).toEqual(shown(({genuine}) => genuine));
  });
});

test('the example of the documents is signed as openssl prints it', () => {
  const page = readFileSync(join(ROOT, 'docs/handlers.md'), 'utf8');
  const [, command] = /^(printf .*\| openssl dgst .*)$/m.exec(page)!;
  const [, digest] = /te=([0-9a-f]{64}),li=/.exec(page)!;
  expect(execFileSync('sh', ['-c', command!], {encoding: 'utf8'})).toContain(digest);
});
