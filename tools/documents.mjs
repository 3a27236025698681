// Generates parts of the documents from the program: the marked parts of docs/, and the command reference in docs/commands.
// With --check, prints the stale files.

import {existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {fileURLToPath} from 'node:url';
import {linkOf, referencePages} from './reference.mjs';

const path = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url));
const {EXIT_CODES} = await import('../dist/common/errors.js');
const {ERROR_CODES} = await import('../dist/common/error-codes.js');
const {EXIT_MEANINGS} = await import('../dist/commands/help.js');
const {EVENT_TYPES, deliveredEventFields} = await import('../dist/api/events.js');
const {operations} = await import('../dist/api/registry.js');
const {createSandbox} = await import('../dist/index.js');
const index = JSON.parse(readFileSync(path('bundle/commands.json'), 'utf8'));
const check = process.argv.includes('--check');

const cell = (text) => String(text).replaceAll('|', '\\|').replaceAll('\n', ' ').replaceAll('<', '&lt;');
const table = (header, rows) =>
  [
    `| ${header.join(' | ')} |`,
    `| ${header.map(() => '---').join(' | ')} |`,
    ...rows.map((row) => `| ${row.map(cell).join(' | ')} |`),
  ].join('\n');

/** The assumptions about fields and operations, each sentence once with all its places. */
function assumptions() {
  const places = new Map();
  const add = (sentence, place) => places.set(sentence, [...new Set([...(places.get(sentence) ?? []), place])]);
  const walk = (fields, prefix) => {
    for (const [name, field] of Object.entries(fields)) {
      if (field.assumed) add(field.assumed, `${prefix}${name}`);
      if (field.fields) walk(field.fields, `${prefix}${name}.`);
    }
  };
  for (const {operation, id} of operations) {
    if (operation.assumed) add(operation.assumed, id.replace(':', ' '));
    walk(operation.params, `${id.replace(':', ' ')}: `);
  }
  const shapes = new Map(operations.map(({operation}) => [operation.returns.shape.name, operation.returns.shape]));
  for (const [name, shape] of shapes) walk(shape.fields, `${name}.`);
  walk(deliveredEventFields, 'event.');
  return table(
    ['Assumption', 'Where'],
    [...places].map(([sentence, where]) => [sentence, where.join(', ')]),
  );
}

const exitCodes = () =>
  table(
    ['Code', 'Name', 'Meaning'],
    Object.entries(EXIT_MEANINGS).map(([name, meaning]) => [EXIT_CODES[name].exit, name, meaning]),
  );

/** The error codes, in the order of the alphabet. */
function errorCodes() {
  const rows = ERROR_CODES.map(({code, kinds, meaning, fix}) => [
    `\`${code}\``,
    kinds.map((kind) => EXIT_CODES[kind].exit).join(', '),
    meaning,
    fix,
  ]);
  return table(
    ['Code', 'Exit', 'Meaning', 'What to do'],
    rows.sort(([one], [other]) => (one < other ? -1 : 1)),
  );
}

/** The files that verify a delivery, each as a block of its language. */
function verifiers() {
  const files = {
    'Node.js': ['js', 'node/verify.js'],
    PHP: ['php', 'php/verify.php'],
    Python: ['python', 'python/verify.py'],
    Ruby: ['ruby', 'ruby/verify.rb'],
    Go: ['go', 'go/verify.go'],
    // Not `sh`, which marks commands to paste.
    'Shell, with openssl': ['bash', 'shell/verify.sh'],
  };
  return Object.entries(files)
    .map(([language, [mark, name]]) => {
      const text = readFileSync(path(`examples/${name}`), 'utf8').trim();
      return `## ${language}\n\n\`examples/${name}\`\n\n\`\`\`${mark}\n${text}\n\`\`\``;
    })
    .join('\n\n');
}

/** Every event as a sandbox delivers it. Each comes from a sandbox of its own, so that it does not change with others. */
async function eventBodies() {
  const parts = [];
  for (const type of EVENT_TYPES) {
    const sandbox = await createSandbox({at: '2031-01-15T09:00:00+08:00', random: 1});
    let body;
    await sandbox.deliverTo(async (request) => {
      const text = await request.text();
      if (JSON.parse(text).type === type) body = text;
      return new Response();
    });
    const text = await sandbox.trigger(type).then(
      () => `\`\`\`json\n${JSON.stringify(JSON.parse(body), null, 2)}\n\`\`\``,
      ({code, message}) => {
        if (code !== 'unknown_event') throw new Error(`${type}: ${code} ${message}`);
        return message.replace(/ Events you can trigger: .*/, '').replace(/^./, (first) => first.toUpperCase());
      },
    );
    parts.push(`## ${type}\n\n${text}`);
    await sandbox.close();
  }
  return parts.join('\n\n');
}

/** The first page of the reference. */
function referenceIndex() {
  const flags = Object.values(index.globalFlags).map(({name, char, type, helpValue = '<value>', summary}) => [
    `${char ? `-${char}, ` : ''}--${name}${type === 'option' ? ` ${helpValue}` : ''}`,
    summary,
  ]);
  return [
    '# Command reference',
    'For anyone who looks up a command. Each page has a topic, with the arguments, flags and examples of its commands; `--help` prints the same. The pages also say which request a command makes, whether it changes anything, and [how it can end](../scripts.md#exit-codes).',
    '## Flags of every command',
    table(
      ['Flag', ''],
      flags.map(([flag, summary]) => [`\`${flag}\``, summary]),
    ).replaceAll('&lt;', '<'),
    `Every command can end with one of these exit codes: ${index.globalExitCodes.join(', ')}.`,
    '## Commands',
    table(
      ['Command', ''],
      Object.entries(index.commands).map(([id, {summary}]) => [
        `[\`${id.replaceAll(':', ' ')}\`](${linkOf(id)})`,
        summary,
      ]),
    ),
  ].join('\n\n');
}

/** A document with a text between the marks of a part. */
function filled(name, part, text) {
  const document = readFileSync(path(name), 'utf8');
  const [open, close] = [`<!-- ${part} -->`, `<!-- /${part} -->`];
  const from = document.indexOf(open);
  const to = document.indexOf(close);
  if (from < 0 || to < 0) throw new Error(`${name} has no part ${part}`);
  return `${document.slice(0, from + open.length)}\n\n${text}\n\n${document.slice(to)}`;
}

const written = '<!-- Written by node tools/documents.mjs from the program itself. -->\n\n';
const wanted = new Map([
  ['docs/scripts.md', filled('docs/scripts.md', 'exit codes', exitCodes())],
  ['docs/assumptions.md', filled('docs/assumptions.md', 'assumed', assumptions())],
  ['docs/events.md', filled('docs/events.md', 'event bodies', await eventBodies())],
  ['docs/verifiers.md', filled('docs/verifiers.md', 'verifiers', verifiers())],
  ['docs/errors.md', filled('docs/errors.md', 'error codes', errorCodes())],
  ['docs/commands/README.md', written + referenceIndex()],
]);
for (const [name, text] of await referencePages(index)) wanted.set(`docs/commands/${name}`, written + text);

const stale = [...wanted]
  .map(([name, text]) => [name, `${text.trim()}\n`])
  .filter(([name, text]) => !existsSync(path(name)) || readFileSync(path(name), 'utf8') !== text);
const left = existsSync(path('docs/commands'))
  ? readdirSync(path('docs/commands'))
      .map((name) => `docs/commands/${name}`)
      .filter((name) => !wanted.has(name))
  : [];
if (check) {
  for (const name of [...stale.map(([each]) => each), ...left])
    console.error(`${name} is stale: node tools/documents.mjs`);
  process.exit(stale.length + left.length > 0 ? 1 : 0);
}
mkdirSync(path('docs/commands'), {recursive: true});
for (const [name, text] of stale) writeFileSync(path(name), text);
for (const name of left) rmSync(path(name));
