// Draws the pictures of the documents, in docs/pictures, from runs of the built program in temporary sandboxes: terminals as SVG, pages as PNG.
// Clock and randomness are fixed, so that unchanged output is drawn the same: node tools/pictures.mjs [folder]

import {mkdirSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {createServer} from 'node:http';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import pty from '@lydell/node-pty';
import xterm from '@xterm/headless';
import {chromium} from 'playwright-core';

const path = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url));
const into = process.argv[2] ?? path('docs/pictures');
const work = mkdtempSync(join(tmpdir(), 'centavo-pictures-'));
const COLUMNS = 80;

/** Tuesday, 15 December 2026, 10:00 in Manila. */
const NOW = Date.parse('2026-12-15T10:00:00+08:00') / 1000;
const DAY = 86_400;
/** The terminal codes around a frame. */
const [FRAME_BEGINS, FRAME_ENDS] = ['\u001B[?2026h', '\u001B[?2026l'];
const ENTER = '\r';

let started = 0;
/** Starts the program at a terminal. @param daysAgo the start time */
function desk(world, args, {rows = 60, daysAgo = 0} = {}) {
  const terminal = new xterm.Terminal({cols: COLUMNS, rows, allowProposedApi: true});
  const env = {
    PATH: process.env.PATH,
    HOME: work,
    TERM: 'xterm-256color',
    CENTAVO_DATA_DIR: join(work, world),
    STANDING_AT: String(NOW - daysAgo * DAY),
    STANDING_SEED: String(500 + started++),
  };
  const words = ['--require', path('tools/standing.cjs'), path('bin/run.js'), ...args];
  const child = pty.spawn(process.execPath, words, {cols: COLUMNS, rows, cwd: work, env});
  let raw = '';
  let look = () => {};
  child.onData((text) => {
    raw += text;
    terminal.write(text, () => {
      if (raw.lastIndexOf(FRAME_BEGINS) <= raw.lastIndexOf(FRAME_ENDS)) look();
    });
  });
  terminal.onData((answer) => child.write(answer));
  const lines = () => {
    const {active} = terminal.buffer;
    return Array.from({length: active.length}, (_, row) => active.getLine(row));
  };
  const text = () =>
    lines()
      .map((line) => line.translateToString(true))
      .join('\n');
  return {
    text,
    type: (keys) => child.write(keys),
    kill: () => child.kill('SIGINT'),
    /** The lines on the screen, in pieces of one style. */
    shown: () => {
      const found = lines().map(piecesOf);
      while (found.at(-1)?.length === 0) found.pop();
      return found;
    },
    /** Waits until the screen shows this. @returns the match */
    until: (pattern) =>
      new Promise((resolve, reject) => {
        look = () => {
          const match = pattern.exec(text());
          if (match) resolve(match);
        };
        look();
        child.onExit(() =>
          terminal.write('', () => reject(new Error(`${args.join(' ')} ended without ${pattern}:\n${text()}`))),
        );
      }),
    ended: new Promise((resolve, reject) =>
      child.onExit(({exitCode}) =>
        terminal.write('', () =>
          exitCode === 0 || exitCode === 130
            ? resolve()
            : reject(new Error(`${args.join(' ')} ended with ${exitCode}:\n${text()}`)),
        ),
      ),
    ),
  };
}

/** Runs a command to its end. */
async function run(world, args, options) {
  const done = desk(world, args, options);
  await done.ended;
  return done;
}

/** Pieces of a line with one style and no gap, each with its column. */
function piecesOf(line) {
  const pieces = [];
  let last;
  for (let column = 0; column < COLUMNS; column++) {
    const cell = line.getCell(column);
    const text = cell.getChars();
    const blank = text === '' || text === ' ';
    const next = line.getCell(column + 1)?.getChars() ?? '';
    if (blank && (!last || next === '' || next === ' ')) {
      last = undefined;
      continue;
    }
    const look = [
      cell.isBold() !== 0 && 'b',
      cell.isDim() !== 0 && 'd',
      cell.isFgPalette() && cell.getFgColor() % 8 !== 7 && `c${cell.getFgColor() % 8}`,
    ];
    const style = look.filter(Boolean).join(' ');
    if (!last || (!blank && last.style !== style)) {
      if (blank) continue;
      last = {column, text: '', style};
      pieces.push(last);
    }
    last.text += blank ? ' ' : text;
  }
  return pieces.map((piece) => ({...piece, text: piece.text.trimEnd()}));
}

const WIDTH = 8.4;
const HEIGHT = 19;
const MARGIN = 20;
const BAR = 34;
/** The blocks that bars are made of, by their width. */
const EIGHTHS = [...'▏▎▍▌▋▊▉█'];
const STYLE = `
.w{fill:#fbfbfd;stroke:#d0d4db}text,.p{fill:#24292f}.c1{fill:#c0271d}.c2{fill:#187a3e}.c3{fill:#8a5a00}.c4{fill:#0b5cc4}.c5{fill:#8a3fb0}.c6{fill:#0b7285}.c0{fill:#6b7280}
@media(prefers-color-scheme:dark){.w{fill:#16181d;stroke:#3b3f4a}text,.p{fill:#e4e6eb}.c1{fill:#ff8a80}.c2{fill:#7ee2a8}.c3{fill:#ffd479}.c4{fill:#8ab8ff}.c5{fill:#d7a6f5}.c6{fill:#7fdbe6}.c0{fill:#9aa1ad}}
.b{font-weight:bold}.d{opacity:.7}
`;
const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Draws a terminal with a typed line and its output. */
function draw(name, label, typed, shown) {
  const prompt = [
    {column: 0, text: '$', style: 'c2'},
    {column: 2, text: `centavo ${typed}`, style: 'b'},
  ];
  const rows = [prompt, ...shown];
  const width = COLUMNS * WIDTH + 2 * MARGIN;
  const height = rows.length * HEIGHT + BAR + MARGIN;
  const texts = rows.flatMap((pieces, row) =>
    pieces.map(({column, text, style}) => {
      const x = (MARGIN + column * WIDTH).toFixed(1);
      // As text, a bar has gaps in many fonts.
      if ([...text].every((block) => EIGHTHS.includes(block))) {
        const eighths = [...text].reduce((sum, block) => sum + EIGHTHS.indexOf(block) + 1, 0);
        return `<rect class="p ${style}" x="${x}" y="${BAR + row * HEIGHT + 2}" width="${((eighths / 8) * WIDTH).toFixed(1)}" height="${HEIGHT - 5}"/>`;
      }
      // Aligns columns in any font.
      const length = ([...text].length * WIDTH).toFixed(1);
      const fitted = `textLength="${length}" lengthAdjust="spacingAndGlyphs"`;
      return `<text${style && ` class="${style}"`} x="${x}" y="${BAR + (row + 0.75) * HEIGHT}" ${fitted}>${escaped(text)}</text>`;
    }),
  );
  const dots = ['#ff5f57', '#febc2e', '#28c840'].map(
    (color, at) => `<circle cx="${MARGIN + 6 + at * 18}" cy="18" r="5.5" fill="${color}"/>`,
  );
  writeFileSync(
    join(into, `${name}.svg`),
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${label}">
<style>${STYLE}</style>
<rect class="w" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="9"/>
${dots.join('\n')}
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', 'Liberation Mono', monospace" font-size="14" xml:space="preserve">
${texts.join('\n')}
</g>
</svg>
`,
  );
}

/** The rows from one that shows the first pattern to before the next that shows the second. */
function between({text}, first, second) {
  const lines = text().split('\n');
  const from = lines.findIndex((line) => first.test(line));
  return [from, lines.findIndex((line, at) => at > from && second.test(line))];
}

/** Replaces texts that differ in each run. */
const withUsual = (shown, usual) =>
  shown.map((pieces) =>
    pieces.map((piece) => ({
      ...piece,
      text: usual.reduce((text, [from, to]) => text.replaceAll(from, to), piece.text),
    })),
  );

/** Billed statements: days ago, prefix of the number, item, days until it is due. */
const BILLED = [
  [62, 'JEEPNEY', 'Tap room menus x41 @ 4,500', 15],
  [40, 'REYES', 'Menu boards x3 @ 4,800', 7],
  [20, 'NINO', 'Photo session @ 15,950', 17],
  [5, 'REYES', 'Window stickers @ 6,200', 12],
  [4, 'MABUHAY', 'Yearbook layout x12 @ 3,715', 16],
];
const CUSTOMERS = [
  ['Jeepney Brewing Company', 'accounts@jeepney.example', 'JEEPNEY'],
  ['Reyes Bakery', 'orders@reyes.example', 'REYES'],
  ['Niño Ibañez', 'nino@example.com', 'NINO'],
  ['Mabuhay Learning Center', 'registrar@mabuhay.example', 'MABUHAY'],
];

async function merchant() {
  for (const [name, email, prefix] of CUSTOMERS)
    await run(
      'merchant',
      ['customers', 'create', '--name', name, '--email', email, '--billing-statement-prefix', prefix],
      {daysAgo: 70},
    );
  for (const [daysAgo, prefix, item, due] of BILLED) {
    const [, email] = CUSTOMERS.find((each) => each[2] === prefix);
    await run('merchant', ['bill', '--customer', email, '--item', item, '--due', `+${due}d`, '--send'], {daysAgo});
  }
  const owed = await run('merchant', ['owed']);
  draw(
    'owed',
    'centavo owed: who owes how much, for how many days, for which statements, and how old the debts are.',
    'owed',
    owed.shown(),
  );

  const bill = desk('merchant', ['bill']);
  for (const [shows, keys] of [
    [/4 customers/, 'nino'],
    [/❯ Niño/, ENTER],
    [/Item 1:/, `Web design x2 @ 15,000${ENTER}`],
    [/Item 2:/, `Hosting, one year @ 1,250.50${ENTER}`],
    [/Item 3:/, `done${ENTER}`],
    [/\? Due:/, `next friday${ENTER}`],
    [/What's next\?/, 's'],
  ]) {
    await bill.until(shows);
    bill.type(keys);
  }
  await bill.until(/gets an email now/);
  const review = bill.shown();
  bill.type(ENTER);
  await bill.ended;
  draw(
    'bill',
    'centavo bill: the preview of a statement with two items and a due date, what can be done next, and after Send what was sent to whom, with the payment link.',
    'bill',
    [...review, [], ...bill.shown().slice(...between(bill, /✓ Sent/, / Id /))],
  );
}

/** An app that fails on refunds. */
async function app() {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (text) => (body += text));
    request.on('end', () => {
      const isRefund = JSON.parse(body).type.startsWith('refund');
      response.writeHead(isRefund ? 500 : 200, {'content-type': 'application/json'});
      response.end(isRefund ? '{"error":"no order for this refund"}' : '{"ok":true}');
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {port: server.address().port, close: () => server.close()};
}

async function developer() {
  await run('developer', ['sandbox', 'seed']);
  const {port, close} = await app();
  const listener = desk('developer', ['webhooks', 'listen', '--forward-to', `${port}/webhooks`], {rows: 12});
  const [, receiver] = await listener.until(/test events at\s+(http:\S+)[^]*Waiting for events/);
  await run('developer', ['sandbox', 'pay', 'HS-2406', '--method', 'gcash']);
  await listener.until(/billing_statement\.paid .*→ 200/);
  const headers = {'content-type': 'application/json', 'payrex-signature': `t=${NOW},te=${'0'.repeat(64)},li=`};
  const forged = {
    id: 'evt_forged',
    resource: 'event',
    type: 'billing_statement.paid',
    livemode: false,
    data: {id: 'bstm_forged'},
  };
  await fetch(receiver, {method: 'POST', headers, body: JSON.stringify(forged)});
  await listener.until(/NOT GENUINE/);
  await run('developer', [
    'refunds',
    'create',
    '--statement',
    'HS-2406',
    '--amount',
    '450',
    '--reason',
    'requested_by_customer',
    '--yes',
  ]);
  await listener.until(/→ 500/);
  draw(
    'listen',
    'centavo webhooks listen: two genuine events that the app answered with 200, a forged one that was refused, and one that the app answered with 500, with the likely cause.',
    'webhooks listen --forward-to 3000/webhooks',
    withUsual(listener.shown(), [
      [String(port), '3000'],
      [new URL(receiver).port, '40123'],
    ]),
  );
  await pages();
  listener.kill();
  await listener.ended;
  close();
}

/** Draws pages in Chromium, and prints their text for a test. */
async function pages() {
  const textOf = async (args) => (await run('developer', [...args, '-q'])).text().replaceAll(/\s/g, '');
  const id = await textOf(['get', 'HS-2406', '--jq', '.id']);
  const link = new URL(await textOf(['link', 'HS-2415']));
  const serving = desk('developer', ['sandbox', 'serve', '--port', '0']);
  const [, studio] = await serving.until(/studio +(http:\S+)[^]*Press Ctrl-C/);
  const browser = await chromium.launch({executablePath: '/usr/bin/chromium', args: ['--no-sandbox']});
  const texts = {};
  for (const [name, url, width] of [
    ['payment', new URL(link.pathname, studio).href, 960],
    ['studio', studio, 840],
    ['timeline', studio + id, 840],
  ])
    for (const colorScheme of ['light', 'dark']) {
      const page = await browser.newPage({viewport: {width, height: 640}, colorScheme});
      await page.goto(url);
      await page.screenshot({path: join(into, `${name}-${colorScheme}.png`)});
      texts[name] = await page.evaluate('document.body.innerText');
      await page.close();
    }
  await browser.close();
  serving.kill();
  await serving.ended;
  console.log(JSON.stringify(texts));
}

mkdirSync(into, {recursive: true});
try {
  await merchant();
  await developer();
} finally {
  rmSync(work, {recursive: true, force: true});
}
