// Writes what documents say from the program itself: REFERENCE.md, and the marked parts of README.md. With --check, says what is stale.

import {existsSync, readFileSync, writeFileSync} from 'node:fs';
import {fileURLToPath} from 'node:url';

const path = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url));
const {EXIT_CODES} = await import('../dist/errors.js');
const {eventFields} = await import('../dist/api/events.js');
const {operations} = await import('../dist/api/registry.js');
const {globalFlags, commands} = JSON.parse(readFileSync(path('bundle/commands.json'), 'utf8'));
const words = (id) => id.replaceAll(':', ' ');

const cell = (text) => String(text).replaceAll('|', '\\|').replaceAll('\n', ' ').replaceAll('<', '&lt;');
const table = (header, rows) =>
  [
    `| ${header.join(' | ')} |`,
    `| ${header.map(() => '---').join(' | ')} |`,
    ...rows.map((row) => `| ${row.map(cell).join(' | ')} |`),
  ].join('\n');
const code = (text) => `\`${text.replaceAll('|', '\\|')}\``;

/** Fields and operations that we chose for ourselves, each sentence once with all the places where it holds. */
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
  walk(eventFields, 'event.');
  return table(
    ['What', 'Where'],
    [...places].map(([sentence, where]) => [sentence, where.join(', ')]),
  );
}

const exitCodes = () =>
  table(
    ['Code', 'Name', 'Meaning'],
    Object.entries(EXIT_CODES).map(([name, {exit, meaning}]) => [exit, name, meaning]),
  );

const commandTable = () =>
  table(
    ['Command', ''],
    Object.entries(commands).map(([id, {summary}]) => [
      `[\`${words(id)}\`](REFERENCE.md#${id.replaceAll(':', '-')})`,
      summary,
    ]),
  );

function reference() {
  const flagRows = (flags) =>
    Object.values(flags).map((flag) => {
      const value =
        flag.type === 'option'
          ? ` ${flag.helpValue ?? (flag.options ? `<${flag.options.join('|')}>` : '<value>')}`
          : '';
      const summary = `${flag.summary}${flag.default === undefined ? '' : ` Default: ${flag.default}.`}`;
      return `| ${code(`${flag.char ? `-${flag.char}, ` : ''}--${flag.name}${value}`)} | ${cell(summary)} |`;
    });
  const sections = Object.entries(commands).map(([id, {summary, args, flags, examples, operation}]) =>
    [
      `## ${words(id)}`,
      summary,
      operation ? `\`${operation.method} ${operation.path}\` · \`client.${operation.client}\`` : '',
      `\`\`\`sh\n${examples.join('\n').replaceAll('<%= config.bin %>', 'centavo')}\n\`\`\``,
      Object.keys(args).length > 0
        ? `| Argument | |\n| --- | --- |\n${Object.values(args)
            .map((arg) => `| ${code(arg.name)} | ${cell(arg.description)} |`)
            .join('\n')}`
        : '',
      Object.keys(flags).length > 0 ? `| Flag | |\n| --- | --- |\n${flagRows(flags).join('\n')}` : '',
    ]
      .filter(Boolean)
      .join('\n\n'),
  );
  return [
    '# Reference',
    'Written by `node tools/documents.mjs` from the program itself. Every command also has `--help`.',
    '## Flags of every command',
    `| Flag | |\n| --- | --- |\n${flagRows(globalFlags).join('\n')}`,
    ...sections,
  ].join('\n\n');
}

/** Puts a text between the marks of a part. */
function fill(document, part, text) {
  const [open, close] = [`<!-- ${part} -->`, `<!-- /${part} -->`];
  const from = document.indexOf(open);
  const to = document.indexOf(close);
  if (from < 0 || to < 0) throw new Error(`README.md has no part ${part}`);
  return `${document.slice(0, from + open.length)}\n\n${text}\n\n${document.slice(to)}`;
}

let readme = readFileSync(path('README.md'), 'utf8');
for (const [part, text] of [
  ['commands', commandTable()],
  ['exit codes', exitCodes()],
  ['assumed', assumptions()],
])
  readme = fill(readme, part, text);

let stale = 0;
for (const [name, text] of [
  ['README.md', readme],
  ['REFERENCE.md', reference()],
]) {
  const wanted = `${text.trim()}
`;
  if (existsSync(path(name)) && readFileSync(path(name), 'utf8') === wanted) continue;
  stale++;
  if (process.argv.includes('--check')) console.error(`${name} is stale: node tools/documents.mjs`);
  else writeFileSync(path(name), wanted);
}
process.exit(process.argv.includes('--check') && stale > 0 ? 1 : 0);
