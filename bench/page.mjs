// Writes the figures of compare.mjs as the tables of docs/performance.md.

/** A quiet disk takes less than this for nine of ten fdatasyncs, in milliseconds. */
const QUIET = 0.5;
/** The changes of a row: a customer, a statement, its item and due date, finalizing, sending. */
const CHANGES = 6;

const table = (header, rows) =>
  [header, ['---', ...header.slice(1).map(() => '---:')], ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
const number = (value, places) => (value === undefined || Number.isNaN(value) ? '–' : value.toFixed(places));
const ratio = (value) => number(value, value < 10 ? 2 : 0);
const megabytes = (value) => number(value, value < 10 ? 1 : 0);

/** @param value milliseconds */
function time(value) {
  if (value === undefined || Number.isNaN(value)) return '–';
  if (value < 1) return `${number(value * 1000, value < 0.01 ? 1 : 0)} µs`;
  return value < 1000 ? `${number(value, value < 10 ? 1 : 0)} ms` : `${number(value / 1000, 1)} s`;
}

const COMMANDS = {
  version: '`--version`',
  help: '`--help`',
  'topic-help': '`customers --help`',
  'command-help': '`customers list --help`',
  status: '`status --json`',
  commands: '`commands --json`',
  completion: 'completion of flags',
  'list-in-process': '`customers list --json`, embedded sandbox',
  'list-in-process-jq': '`customers list --jq .data[0].id`, embedded sandbox',
  'list-in-process-table': '`customers list -o table`, embedded sandbox',
  list: '`customers list --json`, HTTP',
  'list-table': '`customers list -o table`, HTTP',
};

function limitsOf({nothing, request, sync, hmac, once, receiver}) {
  return table(
    ['Limit', 'time'],
    [
      ['bare Node: `node -e 0`', time(nothing.time)],
      ['bare request: Node gets the list with `node:http` and prints it', time(request.time)],
      ['fdatasync after an append of 4 KB', time(sync.median)],
      ['HMAC-SHA256 of an event of 2 KB', time(hmac)],
      ['bare server: `node:http` gets an event, checks its HMAC and answers', time(1000 / once?.bare.perSecond)],
      ['the same, 64 events at a time', time(1000 / receiver?.bare.perSecond)],
    ],
  );
}

function commandsOf({nothing, request, programs: [{ratios, times}]}) {
  const row = ([name, text]) => [
    ...[text, time(times[name]), ratio(ratios[name])],
    ['list', 'list-table'].includes(name) ? ratio(ratios[name] / request.ratio) : '',
  ];
  return table(
    ['centavo', 'time', `bare Node, ${time(nothing.time)}`, `bare request, ${time(request.time)}`],
    Object.entries(COMMANDS).map(row),
  );
}

function workOf({sync, hmac, check, client, once, rows, imported}) {
  const row = (text, ours, limit, least) => [text, time(ours), `${limit}, ${time(least)}`, ratio(ours / least)];
  const get = (name) => [client?.[name].client.time / 1000, client?.[name].bare.time / 1000];
  const gets = (name) => row(`the client: ${name}`, get(name)[0], 'bare undici pool', get(name)[1]);
  return table(
    ['centavo', 'time', 'limit', 'ratio'],
    [
      gets('GET one, in turn'),
      gets('GET one, 32 at a time'),
      row('check of a signature', check, 'HMAC', hmac),
      row(
        'an event received and stored, in turn',
        1000 / once?.stored.perSecond,
        'bare server and one fdatasync',
        1000 / once?.bare.perSecond + sync.median,
      ),
      row(
        `a row of an import of ${rows.toLocaleString('en')} with \`--send\`, in the sandbox`,
        imported / rows,
        `${CHANGES} fdatasyncs`,
        CHANGES * sync.median,
      ),
    ],
  );
}

function eventsOf({receiver}) {
  const row = (text, name) => [
    text,
    receiver?.[name].perSecond.toLocaleString('en') ?? '–',
    number(receiver?.[name].ratio, 2),
  ];
  return table(
    ['Events of 2 KB, 64 at a time', 'a second', 'of the bare server'],
    [
      row('bare server', 'bare'),
      row('bare server that also forwards, and stores nothing', 'relayed'),
      row('centavo: stored', 'stored'),
      row('centavo: stored and forwarded', 'forwarded'),
    ],
  );
}

function programsOf({nothing, request, programs}) {
  return table(
    ['Program', '`--version`', '`--help`', 'list', 'peak memory of the list, MB', 'installed, MB', 'packages'],
    [
      ['bare Node', '1', '1', '', megabytes(nothing.memory), '', ''],
      ['bare request', '', '', ratio(request.ratio), megabytes(request.memory), '', ''],
      ...programs.map(({package: name, version, ratios, memory, size}) => [
        `${name} ${version}`,
        ...['version', 'help', 'list'].map((measure) => ratio(ratios[measure])),
        ...[megabytes(memory), megabytes(size.total), size.packages],
      ]),
    ],
  );
}

/** The part of the page between its marks. */
export function page(figures) {
  const {node, platform, cpu, cores, rounds, sync, imported, programs, leftOut} = figures;
  const disk = sync.most < QUIET ? 'quiet' : 'busy';
  const [{size}] = programs;
  return [
    `Measured on ${new Date().toISOString().slice(0, 10)}: Node ${node.slice(1)}, ${platform}, ${cores} cores (${cpu}), ${rounds} rounds. The disk was ${disk}: of the fdatasyncs, half took at most ${time(sync.median)}, and nine of ten at most ${time(sync.most)}.`,
    '## Limits of the machine',
    limitsOf(figures),
    '## Commands',
    'Times of whole processes, and their ratios to the limits.',
    commandsOf(figures),
    '## Requests, events and imports',
    workOf(figures),
    `The whole import took ${time(imported)}.`,
    eventsOf(figures),
    '## Other programs',
    'Times are multiples of bare Node.',
    programsOf(figures),
    `Of what npm installs for centavo, ${megabytes(size.own)} MB are centavo itself, and the rest its native parts.`,
    ...leftOut.map(({package: name, reason}) => `Left out: ${name} (${reason.trim().split('\n').at(-1)}).`),
  ].join('\n\n');
}
