// Every way of printing, for random secrets.

import type {AttemptReport} from '../../../src/client/call.js';
import {noteAttempt} from '../../../src/context/verbose.js';
import type {Context} from '../../../src/context/context.js';
import type {ApiRequest} from '../../../src/api/wire.js';
import {printRequests} from '../../../src/cli/dry-run.js';
import {detailLines} from '../../../src/commands/webhooks/shared/delivery-details.js';
import {itemLine, readyLines, recordJson, recordLine} from '../../../src/commands/webhooks/shared/delivery-lines.js';
import {CentavoError} from '../../../src/common/errors.js';
import {toCentavoError} from '../../../src/common/system-errors.js';
import {addItem, EMPTY_VIEW, loadLinePainter, renderView} from '../../../src/commands/webhooks/listen/event-list.js';
import type {OutputStreams} from '../../../src/output/streams.js';
import {render} from '../../../src/output/render.js';
import type {Rendering} from '../../../src/output/result.js';
import {printError} from '../../../src/cli/dispatch/print-error.js';
import type {Delivery, ForwardAttempt} from '../../../src/webhooks/receive/delivery.js';
import {explainReason} from '../../../src/webhooks/signature/signature.js';
import type {ListenRecord} from '../../../src/webhooks/listen/listen-record.js';
import {program} from '../../support/output/built-jq.js';
import {many, one} from '../../support/output/recorded-terminal.js';

/** Positions of a text inside another one. */
export const PLACES: readonly [string, (text: string) => string][] = [
  ['by itself', (text) => text],
  ['in a sentence', (text) => `The key ${text} is not valid.`],
  ['in quotes', (text) => `'${text}'`],
  ['in JSON', (text) => JSON.stringify({error: {detail: text}})],
  ['in JSON after a line break', (text) => JSON.stringify({detail: `a\n${text}\nb`})],
  ['in JSON in JSON', (text) => JSON.stringify(JSON.stringify({key: `\t${text}`}))],
  ['in a URL', (text) => `https://api.example/x?client_secret=${encodeURIComponent(text)}&a=b`],
  ['in a URL, encoded before it', (text) => `https://api.example/x?q=${encodeURIComponent(`="${text}"`)}`],
  ['after a letter', (text) => `key${text}`],
  ['after an underscore', (text) => `my_${text}`],
  ['as the user of a URL', (text) => `https://${encodeURIComponent(text)}:@api.example/`],
  ['in a shell assignment', (text) => `export CENTAVO_SECRET_KEY=${text}`],
  ['in a stack', (text) => `Error: ${text}\n    at f (file.js:1:1)`],
  ['in base64', (text) => `Authorization: Basic ${Buffer.from(`${text}:`).toString('base64')}`],
  ['in base64, behind something', (text) => `token ${Buffer.from(`me:${text}`).toString('base64url')}.`],
];

export type Print = (io: OutputStreams, secrets: readonly string[]) => Promise<void> | void;

/** Secrets in the API's fields and in unexpected ones. */
const rowOf = (secret: string, index: number) => ({
  id: `pi_${index}`,
  customer: {id: 'cus_1', name: `Juan ${secret}`},
  status: secret,
  amount: 125_050,
  client_secret: secret,
  secret_key: secret,
  clientSecret: secret,
  metadata: {note: secret, [secret]: 'a name', client_secret: secret},
  payment_intent: {id: 'pi_1', client_secret: secret, deeper: [{secret_key: [secret]}]},
  headers: [['Authorization', secret]],
  authorization: `Token ${secret}`,
  body_base64: Buffer.from(JSON.stringify({data: {client_secret: secret, description: `x ${secret}`}})).toString(
    'base64',
  ),
});

const COLUMNS = ['id', 'status', 'client_secret', 'metadata'].map((path) => ({
  path,
  header: path,
  kind: 'object' as const,
}));

const rendered =
  (rendering: Rendering, shape: 'many' | 'one' = 'many'): Print =>
  async (io, secrets) => {
    const rows = secrets.map(rowOf);
    if (shape === 'many') await render(many(rows, COLUMNS), rendering, io);
    else for (const row of rows.slice(0, 5)) await render(one(row, COLUMNS), rendering, io);
  };

const requestOf = (secret: string, body: string): ApiRequest => ({
  method: 'POST',
  path: '/payment_intents/pi_1',
  query: `client_secret=${encodeURIComponent(secret)}`,
  headers: {authorization: `Basic ${Buffer.from(`${secret}:`).toString('base64')}`, 'content-type': 'application/json'},
  body: Buffer.from(body),
});

const dryRun =
  ({json, output}: {json?: boolean; output?: string}): Print =>
  async (io, secrets) => {
    const context = {
      ...{io, connection: async () => ({mode: 'sandbox'})},
      sandbox: async () => ({baseUrl: () => 'http://127.0.0.1:4010'}),
    } as unknown as Context;
    const requests = secrets.flatMap((secret) => [
      requestOf(secret, JSON.stringify({client_secret: secret, description: `it's ${secret}`})),
      requestOf(secret, new URLSearchParams({client_secret: secret, description: secret}).toString()),
    ]);
    const form = {
      rendering: {
        format: json ? ('json' as const) : output === 'curl' ? undefined : (output as 'jsonl' | undefined),
      },
      curl: output === 'curl',
    };
    await printRequests(context, form, requests);
  };

/** The error thrown for the text; undefined if none. */
function thrownBy(work: () => unknown): unknown {
  try {
    return void work();
  } catch (error) {
    return error;
  }
}

const faults = (secret: string): unknown[] =>
  [
    new Error(`something with ${secret}`, {cause: new Error(secret)}),
    secret,
    thrownBy(() => new URL(`http://[${secret}`)),
    thrownBy(() => JSON.parse(`{"key": "${secret.replace(/[\\"\p{Cc}]/gu, '')}" x}`)),
    thrownBy(() => JSON.parse(secret)),
    thrownBy(() => decodeURIComponent(`%${secret}`)),
    new CentavoError('rejected', `the API refused ${secret}.`, {
      why: `It is ${secret}.`,
      hint: `Use another than ${JSON.stringify(secret)}`,
      request: {method: 'GET', path: `/customers/${secret}`},
      apiErrors: [{code: 'bad', detail: `No such key: ${secret}`, parameter: secret}],
    }),
  ].filter((fault) => fault !== undefined);

const errors =
  (json: boolean): Print =>
  (io, secrets) => {
    for (const secret of secrets)
      for (const fault of faults(secret)) printError(toCentavoError(fault), io, {json, verbose: true});
  };

const deliveryOf = (secret: string, body: string): Delivery => ({
  id: 'dlv_1',
  receivedAt: 1_790_000_000_000,
  profile: 'sandbox',
  path: `/?key=${encodeURIComponent(secret)}`,
  headers: [
    ['Authorization', secret],
    ['X-Note', secret],
    ['Authorization', `Basic ${Buffer.from(`${secret}:`).toString('base64')}`],
  ],
  body: Buffer.from(body),
  verdict: {genuine: false, reason: 'no_match'},
  event: {id: 'evt_1', type: `x.${secret}`, objectId: secret},
});

const bodies = (secret: string): string[] => [
  JSON.stringify({id: 'evt_1', data: {id: 'pi_1', client_secret: secret, description: secret, secret_key: secret}}),
  `not JSON, ${secret}\nand ${secret}`,
];

const attemptOf = (secret: string): ForwardAttempt => ({
  deliveryId: 'dlv_1',
  target: `http://127.0.0.1:3000/hook?key=${encodeURIComponent(secret)}`,
  attempt: 2,
  startedAt: 1_790_000_000_000,
  durationMs: 12,
  error: `refused ${secret}`,
  excerpt: `failed at ${secret}`,
  response: {headers: [['x-note', secret]], body: bodies(secret)[0]!, cut: true},
});

const exchangeOf = (secret: string, body: string): AttemptReport => {
  const headers = {
    'x-note': secret,
    'x-basic': `Basic ${Buffer.from(`${secret}:`).toString('base64')}`,
    cookie: secret,
  };
  const request = {
    method: 'POST',
    path: `/x/${secret}`,
    query: encodeURIComponent(secret),
    headers,
    body: Buffer.from(body),
  };
  const report = {
    method: 'POST',
    path: request.path,
    attempt: 1,
    milliseconds: 1,
    failure: `broke at ${secret}`,
  } as const;
  return {...report, request: {...request, method: 'POST'}, response: {status: 200, headers, body: Buffer.from(body)}};
};

const detailsOf = (io: OutputStreams, secret: string, body: string): string[] => {
  const previous = deliveryOf(
    secret,
    JSON.stringify({data: {id: 'pi_1', client_secret: `${secret}2`, description: 'y'}}),
  );
  return detailLines(
    deliveryOf(secret, body),
    {attempts: [attemptOf(secret)], waiting: undefined, previous},
    {
      explain: explainReason,
      now: 1_790_000_000,
      io,
    },
  );
};

const records = (secret: string): ListenRecord[] => [
  ...bodies(secret).map((body) => ({type: 'delivery' as const, delivery: deliveryOf(secret, body)})),
  {type: 'forward', attempt: attemptOf(secret), event: {type: secret}},
  {type: 'refused', reason: `because of ${secret}`, status: 401},
  {type: 'notice', message: `${secret} and so on`},
  {type: 'disconnected', reason: 'tunnel', message: `ngrok said: ${secret}`},
];

const ready = (secret: string): Extract<ListenRecord, {type: 'ready'}> => ({
  type: 'ready',
  url: 'http://127.0.0.1:1/x',
  public_url: `https://x.example/?key=${encodeURIComponent(secret)}`,
  webhook_id: 'wh_1',
  secret_source: 'registered',
  secret_command: null,
  mode: 'test',
  targets: [`http://127.0.0.1:3000/?key=${encodeURIComponent(secret)}`],
});

/** The drawn interactive screen, too narrow for some lines. */
const screen =
  (width: number): Print =>
  async (io, secrets) => {
    const pen = await loadLinePainter(io.paint, (line) => io.redact(line));
    for (const [index, secret] of secrets.entries()) {
      const delivery = deliveryOf(secret, bodies(secret)[0]!);
      const line = itemLine(delivery, {attempt: attemptOf(secret)});
      const list = addItem({...EMPTY_VIEW, notice: `said ${secret}`}, {id: String(index), line, searchText: line});
      const details = bodies(secret).flatMap((body) => detailsOf(io, secret, body));
      // Written as the screen writes it: without `out`.
      for (const state of [list, {...list, mode: 'details' as const, details}, {...list, filter: secret}])
        await io.out(`${renderView(state, readyLines(ready(secret)), width, 40, pen).join('\n')}\n`);
    }
  };

/** By name: everything that prints. */
export const PRINTS: Readonly<Record<string, Print>> = {
  ...Object.fromEntries(
    PLACES.flatMap(([name, place]) => [
      [
        `a note, ${name}`,
        (io: OutputStreams, secrets: readonly string[]) => secrets.forEach((each) => io.note(place(each))),
      ],
      [
        `stdout, ${name}`,
        async (io: OutputStreams, secrets: readonly string[]) => {
          for (const each of secrets) await io.out(`${place(each)}\n`);
        },
      ],
    ]),
  ),
  table: rendered({format: 'table'}),
  'one object': rendered({format: 'table'}, 'one'),
  tabs: rendered({}),
  json: rendered({format: 'json'}),
  jsonl: rendered({format: 'jsonl'}),
  csv: rendered({format: 'csv'}),
  'csv of chosen fields': rendered({
    format: 'csv',
    fields: ['client_secret', 'payment_intent.client_secret', 'secret_key'],
  }),
  'json of chosen fields': rendered({format: 'json', fields: ['metadata', 'client_secret']}, 'one'),
  jq: rendered({jq: await program('.data[] | .client_secret, .metadata, .secret_key')}),
  'jq that writes it another way': rendered({
    jq: await program('.data[] | tojson, (.client_secret | explode | implode)'),
  }),
  'dry-run': dryRun({}),
  'dry-run as JSON': dryRun({json: true}),
  'dry-run as JSON lines': dryRun({output: 'jsonl'}),
  'dry-run as curl': dryRun({output: 'curl'}),
  'requests and answers': (io, secrets) => {
    for (const secret of secrets) for (const body of bodies(secret)) noteAttempt(io, exchangeOf(secret, body));
  },
  'errors in words': errors(false),
  'errors as JSON': errors(true),
  'details of a delivery': async (io, secrets) => {
    for (const secret of secrets)
      for (const body of bodies(secret)) await io.out(`${detailsOf(io, secret, body).join('\n')}\n`);
  },
  'records in words': async (io, secrets) => {
    for (const secret of secrets) {
      for (const line of readyLines(ready(secret))) io.note(line);
      for (const record of records(secret))
        await io.out(`${recordLine(record, 1_790_000_000_000, explainReason)?.text ?? ''}\n`);
    }
  },
  'records as JSON': async (io, secrets) => {
    for (const secret of secrets)
      for (const record of [...records(secret), ready(secret)])
        await io.out(`${JSON.stringify(io.hide(recordJson(record, 1_790_000_000_000)))}\n`);
  },
  'a wide screen': screen(200),
  'a narrow screen': screen(30),
};
