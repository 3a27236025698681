// Builds the error for an unknown command. Suggests a command by synonyms, partial names and typos.

import {type CentavoError, nextCommand, usageError} from '../../common/errors.js';
import {quote} from '../../input/money.js';
import {nearestWord} from '../../input/nearest.js';
import {pasteableWords, shellQuote} from '../../common/next-text.js';
import type {Config} from '../oclif.js';
import {SHORT_NAMES} from '../catalog/short-names.js';

/** Reads lines such as `delete: remove rm`. Returns the real name by typed word. */
const synonyms = (lines: string): ReadonlyMap<string, string> =>
  new Map(
    [...lines.matchAll(/^ +(.+): (.+)$/gm)].flatMap(([, meant, words]) =>
      words!.split(' ').map((word) => [word, meant!] as const),
    ),
  );

const TOPICS = synonyms(`
  billing-statements: bill billing invoice invoicing statement
  billing-statement-line-items: item
  checkout-sessions: checkout
  customers: client payer
  payment-intents: intent
  webhooks: endpoint
`);

const VERBS = synonyms(`
  create: add make new
  delete: remove rm
  get: show view
  list: find ls search
  send: email
  update: change edit
  void: cancel
`);

const SINGLE_WORDS = synonyms(`
  billing-statements create: charge invoice statement
  billing-statements import: bulk spreadsheet
  billing-statements link: qr url
  billing-statements list --status paid: paid
  billing-statements remind: chase
  billing-statements send: email
  config list: configure settings
  history: log logs
  login: auth signin
  owed: balance debts overdue receivables unpaid
  profiles use: switch
  refunds create: refund
  sandbox demo: demo
  sandbox pay: pay
  sandbox seed: seed
  status: account whoami
`);

const ELSEWHERE = new Map(
  Object.entries({
    'billing-statements refund': 'refunds create --statement',
    'customers owed': 'owed',
    'customers statements': 'billing-statements list --customer',
    'payments refund': 'refunds create --payment',
  }),
);

const NOT_LISTED = new Map(
  Object.entries({
    payments: nextCommand('Statements that were paid', 'billing-statements list --status paid'),
    refunds: nextCommand('Payments and refunds of a customer', 'customers ledger --help'),
  }),
);

interface KnownCommand {
  readonly commands: readonly string[];
  readonly topics: readonly string[];
}

/** @param words the typed words, which match no command @param before text before the suggestion: `help ` */
export function unknownCommandError(
  words: readonly string[],
  {commandIDs, topics}: Pick<Config, 'commandIDs' | 'topics'>,
  before = '',
): CentavoError {
  const spaced = (id: string): string => id.replaceAll(':', ' ');
  const known = {
    commands: [...commandIDs.map(spaced), ...Object.keys(SHORT_NAMES)],
    topics: topics.map(({name}) => spaced(name)),
  };
  const typed = words.join(' ');
  const guess = suggestion(words, known);
  if (known.topics.includes(typed))
    return usageError('unknown_command', `${typed} is a topic, not a command.`, {
      next: [nextCommand('To list its commands', typed)],
    });
  const [topic = '', verb = ''] = words.map((word) => word.toLowerCase());
  const instead = verbOf(verb, ['list']) === undefined ? undefined : NOT_LISTED.get(topic);
  return usageError('unknown_command', `unknown command ${quote(typed)}.`, {
    ...(instead && {why: `The API cannot list ${topic}.`}),
    hint: instead === undefined && guess !== undefined ? `Did you mean: centavo ${before}${guess}` : undefined,
    next: [instead ?? nextCommand('To list the commands', 'help')],
  });
}

/** Returns the suggested command or topic, if any. @param typed the words before the first flag */
function suggestion(typed: readonly string[], known: KnownCommand): string | undefined {
  // oclif also accepts customers:list, which stands for two words.
  const words = typed.flatMap((word, at) => (at === 0 ? word.split(':') : [word]));
  const [first = '', second = ''] = words.map((word) => word.toLowerCase());
  const [ofTopic = ''] = topicsOf(first, known.topics);
  const elsewhere = ELSEWHERE.get(`${ofTopic} ${second}`);
  if (elsewhere !== undefined) {
    const named = words.slice(2);
    return named.length > 0 ? withArguments(elsewhere, named) : elsewhere.replace(/ --.*/, '');
  }
  // Accept the verb first too, as in `new invoice`.
  const meant =
    words.length > 1 ? (topicAndVerb(first, second, known) ?? topicAndVerb(second, first, known)) : undefined;
  if (meant !== undefined) return withArguments(meant, words.slice(2));
  const single = commandForWord(first, known);
  if (single !== undefined) return single.endsWith(` ${first}`) ? withArguments(single, words.slice(1)) : single;
  if (known.topics.includes(first)) return first;
  const text = words.join(' ');
  const close = nearestWord(text, [...known.commands, ...known.topics]);
  const [topic, another] = topicsOf(first, known.topics);
  if (close !== undefined) return close;
  const short = nearestWord(first, Object.keys(SHORT_NAMES));
  if (short !== undefined) return withArguments(short, words.slice(1));
  return another === undefined ? topic : undefined;
}

/** Appends the typed arguments, except to a list or create command. */
const withArguments = (command: string, named: readonly string[]): string =>
  / (?:create|list)$/.test(command)
    ? command
    : pasteableWords([...command.split(' '), ...named])
        .map(shellQuote)
        .join(' ');

/** Returns the command whose topic and verb match the words; undefined if several match. */
function topicAndVerb(first: string, second: string, {commands, topics}: KnownCommand): string | undefined {
  const meant = topicsOf(first, topics).flatMap((topic) => {
    const verb = verbOf(second, verbsOf(topic, commands));
    return verb === undefined ? [] : [`${topic} ${verb}`];
  });
  return meant.length === 1 ? meant[0] : undefined;
}

function commandForWord(word: string, known: KnownCommand): string | undefined {
  const meant = SINGLE_WORDS.get(word);
  if (meant !== undefined && isKnown(meant, known)) return meant;
  const [topic, another] = topicsOf(word, known.topics);
  // A plural or synonym such as `invoices` or `clients` means the list.
  if (topic !== undefined && topic !== word && another === undefined)
    return verbsOf(topic, known.commands).includes('list') ? `${topic} list` : topic;
  const withVerb = known.commands.filter((command) => command.endsWith(` ${word}`));
  const ofStatements = withVerb.find((command) => command.startsWith('billing-statements '));
  return ofStatements ?? (withVerb.length === 1 ? withVerb[0] : undefined);
}

const isKnown = (meant: string, {commands}: KnownCommand): boolean =>
  commands.some((command) => meant === command || meant.startsWith(`${command} --`));

/** Returns the topic with this name or synonym; otherwise the topics that start with the word. */
function topicsOf(word: string, topics: readonly string[]): readonly string[] {
  const single = word.replace(/s$/, '');
  const named = [word, `${single}s`, TOPICS.get(single)].find((name) => name !== undefined && topics.includes(name));
  if (named !== undefined) return [named];
  return word.length < 3 ? [] : topics.filter((topic) => topic.startsWith(word));
}

const verbsOf = (topic: string, commands: readonly string[]): string[] =>
  commands.filter((command) => command.startsWith(`${topic} `)).map((command) => command.slice(topic.length + 1));

const verbOf = (word: string, verbs: readonly string[]): string | undefined =>
  [word, VERBS.get(word) ?? word].find((verb) => verbs.includes(verb)) ?? nearestWord(word, verbs);
