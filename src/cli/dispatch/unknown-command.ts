// Builds the error for an unknown command. Suggests a command by synonyms, partial names and typos.

import {type CentavoError, nextCommand, usageError} from '../../common/errors.js';
import {quote} from '../../input/money.js';
import {nearestWord} from '../../input/nearest.js';
import {pasteableWords, shellQuote} from '../../common/next-text.js';
import type {Config} from '../oclif.js';
import {SHORT_NAMES} from '../catalog/short-names.js';

/**
 * Synonyms by their meaning: a topic, a verb or a command. The place of a word decides between its meanings.
 * `payments.list` is a topic or command and a verb that it lacks. For suggestions only.
 */
const MEANINGS = `
  billing-statements: bill billing invoice invoicing statement
  billing-statement-line-items: item
  checkout-sessions: checkout
  customers: client payer
  payment-intents: intent
  webhooks: endpoint
  create: add make new
  delete: remove rm
  get: show view
  list: find ls search
  update: change edit
  billing-statements create: charge invoice statement
  billing-statements import: bulk spreadsheet
  billing-statements link: qr url
  billing-statements list --customer: customers.statements
  config list: configure settings
  customers ledger: account refunds.list
  duplicate: clone copy
  edit: change update
  history: log
  login: auth login.login signin
  logout: login.logout
  owed: balance debts overdue receivables unpaid
  paid: income payments.list received
  print: pdf receipt
  profiles use: switch
  refund: reimburse return
  reissue: correct fix
  billing-statements remind: chase
  sandbox demo: demo
  sandbox logs: logs logs.tail
  sandbox pay: pay
  sandbox seed: seed
  sandbox serve: sandbox.start
  send: email
  settle --paid-outside cash: cash
  status: account login.status sandbox.status whoami
  void: cancel
  webhooks replay: webhooks.resend
`;

/** The meanings of each word, in the order of the table. */
export const meanings = new Map<string, string[]>();
for (const [, meant, words] of MEANINGS.matchAll(/^ +(.+): (.+)$/gm))
  for (const word of words!.split(' ')) meanings.set(word, [...(meanings.get(word) ?? []), meant!]);

/** Returns the word itself, then its meanings. */
const meaningsOf = (word: string): readonly string[] => [word, ...(meanings.get(word) ?? [])];

interface KnownCommand {
  readonly commands: readonly string[];
  readonly topics: readonly string[];
}

const spaced = (id: string): string => id.replaceAll(':', ' ');
const knownIn = ({commandIDs, topics}: Pick<Config, 'commandIDs' | 'topics'>): KnownCommand => ({
  commands: [...commandIDs.map(spaced), ...Object.keys(SHORT_NAMES)],
  topics: topics.map(({name}) => spaced(name)),
});

/** @param words the typed words, which match no command @param before text before the suggestion: `help ` */
export function unknownCommandError(
  words: readonly string[],
  program: Pick<Config, 'commandIDs' | 'topics'>,
  before = '',
): CentavoError {
  const known = knownIn(program);
  const typed = words.join(' ');
  const guess = suggestion(words, known);
  if (known.topics.includes(typed))
    return usageError('unknown_command', `${typed} is a topic, not a command.`, {
      next: [nextCommand('To list its commands', typed)],
    });
  const [topic = '', verb = ''] = words.map((word) => word.toLowerCase());
  return usageError('unknown_command', `unknown command ${quote(typed)}.`, {
    ...(meantBy(topic, verb, known) && verb === 'list' && {why: `The API cannot list ${topic}.`}),
    hint: guess === undefined ? undefined : `Did you mean: centavo ${before}${guess}`,
    next: [nextCommand('To list the commands', 'help')],
  });
}

/** Returns the words of the command that a verb means: `refund`. */
export function commandFor(word: string, program: Pick<Config, 'commandIDs' | 'topics'>): string[] | undefined {
  const {commands} = knownIn(program);
  const names = meaningsOf(word).flatMap((each) => [each, `billing-statements ${each}`]);
  return names.find((name) => isKnown(name, commands))?.split(' ');
}

/** Returns the suggested command or topic, if any. @param typed the words before the first flag */
function suggestion(typed: readonly string[], known: KnownCommand): string | undefined {
  // oclif also accepts customers:list, which stands for two words.
  const words = typed.flatMap((word, at) => (at === 0 ? word.split(':') : [word]));
  const [first = '', second = ''] = words.map((word) => word.toLowerCase());
  const elsewhere = meantBy(first, second, known);
  if (elsewhere !== undefined)
    return words.length > 2 ? withArguments(elsewhere, words.slice(2)) : elsewhere.replace(/ --.*/, '');
  // Accept the verb first too, as in `new invoice`.
  const meant =
    words.length > 1 ? (topicAndVerb(first, second, known) ?? topicAndVerb(second, first, known)) : undefined;
  if (meant !== undefined) return withArguments(meant, words.slice(2));
  const single = commandForWord(first, known);
  if (single !== undefined) return withArguments(single, words.slice(1));
  if (known.topics.includes(first)) return first;
  const text = words.join(' ');
  const close = nearestWord(text, [...known.commands, ...known.topics]);
  const [topic, another] = topicsOf(first, known.topics);
  if (close !== undefined) return close;
  const short = nearestWord(first, Object.keys(SHORT_NAMES));
  if (short !== undefined) return withArguments(short, words.slice(1));
  return another === undefined ? topic : undefined;
}

/** Returns the command for a verb that the topic lacks: `payments list` is `paid`, and `customers remind` is `remind`. */
function meantBy(first: string, verb: string, {commands, topics}: KnownCommand): string | undefined {
  const [topic] = topicsOf(first, topics);
  if (isKnown(`${topic} ${verb}`, commands)) return undefined;
  const names = topic === undefined ? meaningsOf(first) : [topic];
  const [instead] = meaningsOf(verb).flatMap((each) => names.flatMap((name) => meanings.get(`${name}.${each}`) ?? []));
  if (instead !== undefined || topic === undefined || !Object.hasOwn(SHORT_NAMES, verb)) return instead;
  // Short names are about billing statements, and take no session or intent.
  return /^(?:checkout-sessions|payment-intents|setup-intents)$/.test(topic) ? 'get' : verb;
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

function commandForWord(word: string, {commands, topics}: KnownCommand): string | undefined {
  const meant = meaningsOf(word).find((each) => isKnown(each, commands));
  if (meant !== undefined) return meant;
  const [topic, another] = topicsOf(word, topics);
  // A plural or synonym such as `invoices` or `clients` means the list.
  if (topic !== undefined && topic !== word && another === undefined)
    return verbsOf(topic, commands).includes('list') ? `${topic} list` : topic;
  const withVerb = commands.filter((command) => command.endsWith(` ${word}`));
  const ofStatements = withVerb.find((command) => command.startsWith('billing-statements '));
  return ofStatements ?? (withVerb.length === 1 ? withVerb[0] : undefined);
}

const isKnown = (meant: string, commands: readonly string[]): boolean => commands.includes(meant.replace(/ --.*/, ''));

/** Returns the topic with this name or synonym; otherwise the topics that start with the word. */
function topicsOf(word: string, topics: readonly string[]): readonly string[] {
  const single = word.replace(/s$/, '');
  const named = [word, `${single}s`, ...meaningsOf(single)].find((name) => topics.includes(name));
  if (named !== undefined) return [named];
  return word.length < 3 ? [] : topics.filter((topic) => topic.startsWith(word));
}

const verbsOf = (topic: string, commands: readonly string[]): string[] =>
  commands.filter((command) => command.startsWith(`${topic} `)).map((command) => command.slice(topic.length + 1));

const verbOf = (word: string, verbs: readonly string[]): string | undefined =>
  meaningsOf(word).find((verb) => verbs.includes(verb)) ?? nearestWord(word, verbs);
