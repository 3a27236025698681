// Words that name no command, and the command that was meant: words of the trade, parts of names, words that are nearly right.

import type {Config} from './oclif.js';
import {usageError, type CentavoError} from '../errors.js';
import {quote} from '../input/money.js';
import {shellQuote} from '../input/shell-words.js';
import {nearest} from './parse-errors.js';

/** What people call a topic. */
const TOPICS: Readonly<Record<string, string>> = {
  bill: 'billing-statements',
  billing: 'billing-statements',
  checkout: 'checkout-sessions',
  client: 'customers',
  endpoint: 'webhooks',
  intent: 'payment-intents',
  invoice: 'billing-statements',
  invoicing: 'billing-statements',
  item: 'billing-statement-line-items',
  payer: 'customers',
  statement: 'billing-statements',
};

/** What people call a verb. */
const VERBS: Readonly<Record<string, string>> = {
  add: 'create',
  cancel: 'void',
  change: 'update',
  edit: 'update',
  email: 'send',
  find: 'list',
  ls: 'list',
  make: 'create',
  new: 'create',
  remove: 'delete',
  rm: 'delete',
  search: 'list',
  show: 'get',
  view: 'get',
};

/** What people type alone, and the commands that do it. */
const ALONE: Readonly<Record<string, string>> = {
  account: 'status',
  auth: 'login',
  balance: 'owed',
  charge: 'billing-statements create',
  chase: 'billing-statements remind',
  configure: 'config list',
  debts: 'owed',
  demo: 'sandbox demo',
  email: 'billing-statements send',
  import: 'billing-statements create --items',
  invoice: 'billing-statements create',
  log: 'history',
  logs: 'history',
  overdue: 'owed',
  paid: 'billing-statements list --status paid',
  pay: 'sandbox pay',
  qr: 'billing-statements link',
  receivables: 'owed',
  refund: 'refunds create',
  seed: 'sandbox seed',
  settings: 'config list',
  signin: 'login',
  statement: 'billing-statements create',
  switch: 'profiles use',
  unpaid: 'owed',
  url: 'billing-statements link',
  whoami: 'status',
};

/** What there is: `billing-statements create`, `customers`. */
interface Known {
  readonly commands: readonly string[];
  readonly topics: readonly string[];
}

/** @param typed the words that name no command @param before what stands before such words in the suggestion */
export function unknownCommandError(
  typed: string,
  {commandIDs, topics}: Pick<Config, 'commandIDs' | 'topics'>,
  before = '',
): CentavoError {
  const spaced = (id: string): string => id.replaceAll(':', ' ');
  const known = {commands: commandIDs.map(spaced), topics: topics.map(({name}) => spaced(name))};
  const guess = suggestion(typed, known);
  if (known.topics.includes(typed))
    return usageError(`${typed} is a topic, not a command.`, {
      code: 'unknown_command',
      hint: `Its commands are listed by: centavo ${typed}`,
    });
  return usageError(`there is no command ${quote(typed)}.`, {
    code: 'unknown_command',
    hint: guess ? `Did you mean: centavo ${before}${guess}` : 'The commands are listed by: centavo help',
  });
}

/**
 * The command or topic that was meant.
 * @param typed the words before the first flag
 * @returns undefined when nothing is close
 */
function suggestion(typed: string, known: Known): string | undefined {
  const words = typed.split(/[ :]/).filter(Boolean);
  const [first = '', second = ''] = words.map((word) => word.toLowerCase());
  const meant = words.length > 1 ? twoWords(first, second, known) : undefined;
  if (meant !== undefined) return withNamed(meant, words.slice(2));
  const lone = alone(first, known);
  if (lone !== undefined) return lone.endsWith(` ${first}`) ? withNamed(lone, words.slice(1)) : lone;
  const close = nearest(typed, [...known.commands, ...known.topics], typed.length < 4 ? 1 : undefined);
  const [topic, another] = topicsOf(first, known.topics);
  return close ?? (another === undefined ? topic : undefined);
}

/** What was named goes on being named; a list and a new object have no name. */
const withNamed = (command: string, named: readonly string[]): string =>
  / (?:create|list)$/.test(command) ? command : [command, ...named.map(shellQuote)].join(' ');

/** Of the topics that the first word may mean, the only one with the verb that the second one may mean. */
function twoWords(first: string, second: string, {commands, topics}: Known): string | undefined {
  const meant = topicsOf(first, topics).flatMap((topic) => {
    const verb = verbOf(second, verbsOf(topic, commands));
    return verb === undefined ? [] : [`${topic} ${verb}`];
  });
  return meant.length === 1 ? meant[0] : undefined;
}

function alone(word: string, known: Known): string | undefined {
  const meant = ALONE[word];
  if (meant !== undefined && isKnown(meant, known)) return meant;
  const [topic, another] = topicsOf(word, known.topics);
  // invoices, clients: the list.
  if (topic !== undefined && topic !== word && another === undefined)
    return verbsOf(topic, known.commands).includes('list') ? `${topic} list` : topic;
  const having = known.commands.filter((command) => command.endsWith(` ${word}`));
  const ofStatements = having.find((command) => command.startsWith('billing-statements '));
  return ofStatements ?? (having.length === 1 ? having[0] : undefined);
}

/** Some come with a flag. */
const isKnown = (meant: string, {commands}: Known): boolean =>
  commands.some((command) => meant === command || meant.startsWith(`${command} --`));

/** The topic with this name or another one for it; else those that begin so. */
function topicsOf(word: string, topics: readonly string[]): readonly string[] {
  const single = word.replace(/s$/, '');
  const named = [word, `${single}s`, TOPICS[single]].find((name) => name !== undefined && topics.includes(name));
  if (named !== undefined) return [named];
  return word.length < 3 ? [] : topics.filter((topic) => topic.startsWith(word));
}

const verbsOf = (topic: string, commands: readonly string[]): string[] =>
  commands.filter((command) => command.startsWith(`${topic} `)).map((command) => command.slice(topic.length + 1));

const verbOf = (word: string, verbs: readonly string[]): string | undefined =>
  [word, VERBS[word] ?? word].find((verb) => verbs.includes(verb)) ?? nearest(word, verbs);
