// Draws docs/picture.svg, the picture of the README, from a run of the built program in a sandbox of its own.
// Ids and days are those of the run, so the picture is made again only when what it shows has changed: node tools/picture.mjs

import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import pty from '@lydell/node-pty';
import xterm from '@xterm/headless';

const PROGRAM = fileURLToPath(new URL('../bin/run.js', import.meta.url));
const PICTURE = fileURLToPath(new URL('../docs/picture.svg', import.meta.url));
const COLUMNS = 92;
const MOST_ROWS = 60;

/** What the sandbox holds before the first line of the picture. */
const BEFORE = [
  ['customers', 'create', '--name', 'Reyes Bakery', '--email', 'orders@reyes.example'],
  ['customers', 'create', '--name', 'Niño Ibañez', '--email', 'nino@example.com'],
  ['customers', 'create', '--name', 'Juan Dela Cruz', '--email', 'juan@example.com'],
  ['customers', 'update', 'orders@reyes.example', '--billing-statement-prefix', 'REYES'],
  ['customers', 'update', 'nino@example.com', '--billing-statement-prefix', 'NINO'],
  ['customers', 'update', 'juan@example.com', '--billing-statement-prefix', 'JUAN'],
  ['bill', '--customer', 'orders@reyes.example', '--item', 'Menu boards x3 @ 4,800', '--due', '+3d', '--send'],
  ['bill', '--customer', 'nino@example.com', '--item', 'Photo session @ 6,500', '--due', '+20d', '--send'],
  ['sandbox', 'clock', 'advance', '12d'],
];
/** The picture: the words as they are typed, and as the program gets them. */
const SHOWN = [
  [
    'bill --customer "Juan Dela Cruz" --item "Web design x2 @ 15,000" --due +30d --send',
    ['bill', '--customer', 'Juan Dela Cruz', '--item', 'Web design x2 @ 15,000', '--due', '+30d', '--send'],
  ],
  ['sandbox pay JUAN-0001 --method gcash --quiet', ['sandbox', 'pay', 'JUAN-0001', '--method', 'gcash', '--quiet']],
  ['owed', ['owed']],
];

const folder = mkdtempSync(join(tmpdir(), 'centavo-picture-'));
const env = {
  PATH: process.env.PATH,
  TERM: 'xterm-256color',
  CENTAVO_DATA_DIR: join(folder, 'data'),
  CENTAVO_CONFIG_DIR: join(folder, 'config'),
};

/** Runs the program at a terminal, and hands over what it writes. */
const run = (args, write) =>
  new Promise((resolve, reject) => {
    const child = pty.spawn(process.execPath, [PROGRAM, ...args], {cols: COLUMNS, rows: MOST_ROWS, env});
    let said = '';
    child.onData((text) => {
      said += text;
      write(text);
    });
    child.onExit(({exitCode}) =>
      exitCode === 0 ? resolve() : reject(new Error(`centavo ${args.join(' ')} ended with ${exitCode}:\n${said}`)),
    );
  });

const terminal = new xterm.Terminal({cols: COLUMNS, rows: MOST_ROWS, allowProposedApi: true});
const written = (text) => new Promise((resolve) => terminal.write(text, resolve));
try {
  for (const args of BEFORE) await run(args, () => {});
  for (const [index, [typed, args]] of SHOWN.entries()) {
    await written(`${index > 0 ? '\r\n' : ''}\u001B[32m$\u001B[0m \u001B[1mcentavo ${typed}\u001B[0m\r\n`);
    await run(args, (text) => terminal.write(text));
    await written('');
  }
} finally {
  rmSync(folder, {recursive: true, force: true});
}

const WIDTH = 8.4;
const HEIGHT = 19;
const MARGIN = 20;
const BAR = 34;
/** Colours of the terminal's palette, on the background that the picture brings along: it is the same on a light and a dark page. */
const BACKGROUND = '#16181d';
const PLAIN = '#e4e6eb';
const PALETTE = {1: '#ff8a80', 2: '#7ee2a8', 3: '#ffd479', 4: '#8ab8ff', 6: '#7fdbe6'};

/** The blocks that bars are made of, by their width. */
const EIGHTHS = [...'▏▎▍▌▋▊▉█'];

const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Pieces of a line that look the same and have no gap in them, each with its column. */
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
    const bold = cell.isBold() !== 0;
    const dim = cell.isDim() !== 0;
    const color = (cell.isFgPalette() && PALETTE[cell.getFgColor()]) || PLAIN;
    if (!last || (!blank && (last.bold !== bold || last.dim !== dim || last.color !== color))) {
      if (blank) continue;
      last = {column, text: '', bold, dim, color};
      pieces.push(last);
    }
    last.text += blank ? ' ' : text;
  }
  return pieces.map((piece) => ({...piece, text: piece.text.trimEnd()}));
}

const buffer = terminal.buffer.active;
const rows = [];
for (let row = 0; row < buffer.length; row++) rows.push(piecesOf(buffer.getLine(row)));
while (rows.at(-1).length === 0) rows.pop();
if (rows.length >= MOST_ROWS) throw new Error(`The run has more than ${MOST_ROWS} rows.`);

const width = Math.ceil(COLUMNS * WIDTH + 2 * MARGIN);
const height = rows.length * HEIGHT + BAR + MARGIN;
const texts = rows.flatMap((pieces, row) =>
  pieces.map(({column, text, bold, dim, color}) => {
    const x = (MARGIN + column * WIDTH).toFixed(1);
    const length = ([...text].length * WIDTH).toFixed(1);
    // As text, a bar has gaps in many fonts.
    if ([...text].every((block) => EIGHTHS.includes(block))) {
      const eighths = [...text].reduce((sum, block) => sum + EIGHTHS.indexOf(block) + 1, 0);
      const bar = ((eighths / 8) * WIDTH).toFixed(1);
      return `<rect x="${x}" y="${BAR + row * HEIGHT + 2}" width="${bar}" height="${HEIGHT - 5}" fill="${color}"/>`;
    }
    const place = `x="${x}" y="${BAR + (row + 0.75) * HEIGHT}"`;
    // Whatever the font of the reader, columns stand below each other.
    const fitted = `textLength="${length}" lengthAdjust="spacingAndGlyphs"`;
    const look = `${bold ? ' font-weight="bold"' : ''}${dim ? ' opacity="0.66"' : ''} fill="${color}"`;
    return `<text ${place} ${fitted}${look}>${escaped(text)}</text>`;
  }),
);
const dots = ['#ff5f57', '#febc2e', '#28c840'].map(
  (color, index) => `<circle cx="${MARGIN + 6 + index * 18}" cy="18" r="5.5" fill="${color}"/>`,
);
writeFileSync(
  PICTURE,
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="A statement is created, sent and paid in the sandbox; then centavo owed lists who owes what.">
<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="9" fill="${BACKGROUND}" stroke="#3b3f4a"/>
${dots.join('\n')}
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', 'Liberation Mono', monospace" font-size="14" xml:space="preserve">
${texts.join('\n')}
</g>
</svg>
`,
);
