// Pastes the blocks of README.md and docs line by line into a shell at a terminal, each page in a separate home.

import {mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {writeXlsx} from 'hucre/xlsx';
import {afterAll, describe, expect, onTestFailed, onTestFinished, test} from 'vitest';
import {RUN, temporaryDirectory} from './support/cli.js';
import {pageSheets} from './support/input/page-sheets.js';
import {CTRL_C, ENTER, loaded, readToItsEnd} from './support/terminal.js';
import {isTaken, takeUsualPorts} from './support/usual-ports.js';

const ROOT = join(import.meta.dirname, '..');
const pages = ['README.md', ...readdirSync(join(ROOT, 'docs')).map((name) => `docs/${name}`)];

/** Blocks that cannot be pasted everywhere, with the reason. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  'npm test': 'is what runs this test',
  'centavo login --profile shop': 'needs the key of a real account',
  'centavo login --profile shop --with-token < live.txt': 'needs a live key',
  'centavo customers list --live': 'needs a live key',
  'centavo approve ho_4Tq7Zs1xV0aB': 'needs a live change of an agent',
  'centavo approve --reject ho_4Tq7Zs1xV0aB': 'needs a live change of an agent',
  'centavo config set max_amount 5,000 --profile shop': 'needs the profile of a real account',
  'centavo config set agents allow --profile shop': 'needs the profile of a real account',
  'centavo config set agents ask --profile shop': 'needs the profile of a real account',
  'centavo config set read_only true --profile shop': 'needs the profile of a real account',
  'centavo config set max_amount 50,000 --profile shop': 'needs the profile of a real account',
  'centavo config set max_statements_per_run 20 --profile shop': 'needs the profile of a real account',
  'centavo doctor --profile shop --live --json': 'needs the profile of a real account',
  'loginctl enable-linger': 'needs systemd',
  'systemctl --user daemon-reload': 'needs systemd',
  'systemctl --user enable --now rent.timer': 'needs systemd',
  'systemctl --user list-timers rent.timer': 'needs systemd',
  'export CENTAVO_WEBHOOK_SECRET=whsk_…': 'needs an event that came somewhere else',
  "centavo webhooks verify --header 'Payrex-Signature: t=1790000123,te=5f0c…,li=' < body.json":
    'needs an event that came somewhere else',
  "centavo webhooks verify --secret-stdin --body body.json --header 't=…,te=…,li=' < secret.txt":
    'needs an event that came somewhere else',
  'centavo webhooks test localhost:3000/webhooks/payrex --state-command "sqlite3 app.db \'select count(*) from payments\'" --report junit --report-file handler.xml':
    'needs an app with a database',
  'npm pack ../centavo': 'needs a clone beside the folder of an app',
  'npm install --save-dev ./centavo-*.tgz': 'needs the tarball of the clone',
  'npm install --global ./centavo-*.tgz': 'needs the tarball of the clone',
  'node --test': 'needs the test on its page',
  'phpunit ShopTest.php': 'needs the example',
  pytest: 'needs the example',
  'ruby test_shop.rb': 'needs the example',
  'go test': 'needs the example',
};

/** Commands that run until Ctrl-C, with their output when ready. */
const LASTING: readonly (readonly [command: RegExp, ready: RegExp])[] = [
  [/npm run dev$/, /app is ready/],
  [/^(CENTAVO_SANDBOX_KEY=\S+( \S+)*\) )?centavo (dev|sandbox serve)\b/, /Press Ctrl-C to stop/],
  [/^centavo webhooks listen\b/, /Ready\./],
];

/** Questions with their answers, once for each command. A redrawn question is not asked again. */
const ANSWERS: readonly (readonly [question: RegExp, answer: string])[] = [
  [/\d+ customers\n/, 'angelica'],
  [/❯ Angelica/, ENTER],
  [/Item 1:/, `Web design @ 5,000${ENTER}`],
  [/Item 2:/, `done${ENTER}`],
  [/\? Due:/, `next friday${ENTER}`],
  [/What's next\?/, 's'],
  [/❯ s {2}Send/, ENTER],
  [/↑↓ move · Enter select · Ctrl-C quit/, ENTER],
  [/\(y\/N\)/, `y${ENTER}`],
  [/❯ All \d+ overdue/, ENTER],
];

/** Lines as pasted, without their comments. */
const commandsOf = (block: string): readonly string[] =>
  block
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .map((line) => line.replace(/(^|\s+)#.*$/, ''))
    .filter((line) => line !== '');
const blocksOf = (page: string): readonly (readonly string[])[] =>
  [...readFileSync(join(ROOT, page), 'utf8').matchAll(/^```(?:sh|console)\n(.*?)^```$/gms)].map(([, code]) =>
    commandsOf(code!),
  );
const written = pages.filter((page) => page.endsWith('.md')).map((page) => [page, blocksOf(page)] as const);

/** The reader's files: an app that receives events, and spreadsheets. */
async function folderOf(home: string): Promise<string> {
  const folder = join(home, 'app');
  mkdirSync(folder);
  const examples = join(ROOT, 'examples/express');
  writeFileSync(
    join(folder, 'app.mjs'),
    `import {existsSync} from 'node:fs';
import {createServer} from 'node:http';
import {createApp} from ${JSON.stringify(join(examples, 'handler.js'))};
import {Orders} from ${JSON.stringify(join(examples, 'orders.js'))};
if (existsSync('.env.local')) process.loadEnvFile('.env.local');
const app = createApp({secret: process.env.PAYREX_WEBHOOK_SECRET, orders: new Orders('orders')});
createServer((request, response) => app(Object.assign(request, {url: '/webhooks/payrex'}), response)).listen(3000, '127.0.0.1', () => console.log('The app is ready.'));
`,
  );
  writeFileSync(join(folder, 'package.json'), '{"scripts": {"dev": "node app.mjs"}}');
  const header = ['Invoice No', 'Email', 'Name', 'Item', 'Quantity', 'Unit Price', 'Due'];
  const june = [header, ['NOV-004', 'ben@example.com', 'Ben Cruz', 'Rent', 1, 12_500, '2031-12-15']];
  const items = [header.slice(3, 6), ['Rice', 2, 1_450]];
  const rent = june.map((row) => row.slice(0, 6));
  for (const [name, rows] of Object.entries({june, items, rent}))
    writeFileSync(join(folder, `${name}.xlsx`), await writeXlsx({sheets: [{name: 'Sheet 1', rows}]}));
  for (const {file, csv} of pageSheets(readFileSync(join(ROOT, 'docs/sheets.md'), 'utf8')))
    writeFileSync(join(folder, file), csv);
  return folder;
}

/** The shell prompt, with the status of the previous line. */
const PROMPT = /«(\d+)»/;
// oxlint-disable-next-line no-control-regex
const ESCAPES = /\u001B\[[0-?]*[ -/]*[@-~]|\u001B[@-Z\\-_]|\r/g;

/** A shell at a terminal of its own. */
function shellIn(cwd: string, home: string) {
  const env = {
    PATH: [join(home, 'npm/bin'), dirname(process.execPath), '/usr/bin', '/bin'].join(':'),
    HOME: home,
    LANG: 'C.UTF-8',
    SHELL: '/bin/bash',
    TERM: 'xterm-256color',
    npm_config_prefix: join(home, 'npm'),
    PS1: '«$?»',
  };
  const shell = loaded.pty!.spawn('bash', ['--noprofile', '--norc', '--noediting'], {cols: 100, rows: 40, cwd, env});
  readToItsEnd(shell);
  onTestFinished(() => shell.kill('SIGKILL'));
  let raw = '';
  let looked = 0;
  let look = (): void => {};
  shell.onData((text) => {
    raw += text;
    look();
  });
  const text = (): string => raw.replace(ESCAPES, '');
  /** The output up to one of these patterns, which is then consumed. */
  const until = (patterns: readonly RegExp[]): Promise<readonly [index: number, match: RegExpExecArray]> =>
    new Promise((resolve) => {
      look = () => {
        const rest = text().slice(looked);
        for (const [index, pattern] of patterns.entries()) {
          const match = pattern.exec(rest);
          if (!match) continue;
          look = () => {};
          looked += match.index + match[0].length;
          return resolve([index, match]);
        }
      };
      look();
    });
  const ended = async (): Promise<number> => {
    const left = [...ANSWERS];
    for (;;) {
      const [index, match] = await until([PROMPT, ...left.map(([question]) => question)]);
      if (index === 0) return Number(match[1]);
      shell.write(left.splice(index - 1, 1)[0]![1]);
    }
  };
  return {
    text,
    /** @returns its exit status */
    run: (line: string): Promise<number> => {
      shell.write(`${line}${ENTER}`);
      return ended();
    },
    /** @returns the end of the command, with its exit status */
    start: async (line: string, ready: RegExp): Promise<() => Promise<number>> => {
      shell.write(`${line}${ENTER}`);
      const [index, match] = await until([PROMPT, ready]);
      if (index === 0) throw new Error(`${line} ended with ${match[1]}:\n${text()}`);
      return () => {
        shell.write(CTRL_C);
        return ended();
      };
    },
    opened: until([PROMPT]),
  };
}

let ran = 0;
const all = written.flatMap(([, blocks]) => blocks.flat());
afterAll(() => console.log(`${ran} of the ${all.length} commands of the documents ran.`));

describe('pasted', () => {
  takeUsualPorts();

  test.for(written.filter(([, blocks]) => blocks.length > 0))('%s', async ([page, blocks], {skip}) => {
    const taken = (await Promise.all([3000, 4010].map(isTaken))).some(Boolean);
    const why = loaded.reason ?? (taken ? 'port 3000 or 4010 is taken' : undefined);
    if (why) skip(why);
    const home = temporaryDirectory();
    const app = await folderOf(home);
    mkdirSync(join(home, 'npm/bin'), {recursive: true});
    // The README describes the installation.
    if (page !== 'README.md') symlinkSync(RUN, join(home, 'npm/bin/centavo'));
    const shown: (() => string)[] = [];
    const open = async (cwd: string) => {
      const shell = shellIn(cwd, home);
      shown.push(shell.text);
      await shell.opened;
      return shell;
    };
    const said = (): string => shown.map((text) => text()).join('\n');
    onTestFailed(() => console.error(said()));
    const failed: string[] = [];
    for (const block of blocks) {
      const cwd = block.some((line) => /^npm (start|install)/.test(line)) ? ROOT : app;
      const shell = await open(cwd);
      let end = (): Promise<number> => Promise.resolve(130);
      for (const line of block.filter((each) => !(each in LEFT_OUT))) {
        const command = line.replaceAll(/\b(\w+_)…/g, (_, prefix: string) => {
          const last = said()
            .match(new RegExp(`\\b${prefix}\\w+`, 'g'))
            ?.at(-1);
          expect(last, `an id for ${line}`).toBeDefined();
          return last!;
        });
        const ready = LASTING.find(([pattern]) => pattern.test(command))?.[1];
        let status = 0;
        if (ready) {
          if ((await end()) !== 130) failed.push(`what ran before ${command}`);
          end = await (await open(cwd)).start(command, ready);
        } else status = await shell.run(command);
        ran++;
        if (status !== 0) failed.push(`${command}: ${status}`);
      }
      if ((await end()) !== 130) failed.push(`what ran last in ${block[0]}`);
    }
    expect(failed).toEqual([]);
  });
});

test('the README counts the commands from the clone to a paid billing statement', () => {
  const block = blocksOf('README.md').find((lines) => lines.includes('npm install -g .'))!;
  expect(block.at(-1)).toMatch(/^centavo sandbox pay /);
  expect(readFileSync(join(ROOT, 'README.md'), 'utf8')).toContain(
    `${['', 'One', 'Two', 'Three', 'Four', 'Five'][block.length]} commands lead from the clone to a paid billing statement`,
  );
});

test('what is left out stands there', () => {
  expect(Object.keys(LEFT_OUT).filter((line) => !all.includes(line))).toEqual([]);
});
