// Lays out the pages of help when the program is built: examples before flags, and the global flags in one line.

import type {Command, Interfaces} from '@oclif/core';
import {CommandHelp, Help} from '@oclif/core/help';
import type {Program} from '../program/program.js';
import {SHORT_NAMES, shortNameOf} from '../program/short-names.js';
import {isRequired} from './described.js';
import {FIRST_PAGE, type Pages} from './help.js';

/** Longer labels have a line of their own. */
const LABEL_WIDTH = 30;
const GLOBAL = 'GLOBAL';

type Section = {readonly header: string; readonly generate: (...args: never[]) => unknown};

export class CommandPage extends CommandHelp {
  protected override sections(): ReturnType<CommandHelp['sections']> {
    const sections = super.sections();
    const order = ['USAGE', 'DESCRIPTION', 'EXAMPLES', 'ARGUMENTS', 'FLAGS'];
    return order.flatMap((header) => sections.filter((section: Section) => section.header === header));
  }

  protected override usage(): string {
    const name = shortNameOf(this.command.id.replaceAll(' ', ':'));
    return name === undefined ? super.usage() : `${super.usage()}\n$ ${this.config.bin} ${name} [flags]`;
  }

  /** Without the summary, which is printed above. */
  protected override description(): string | undefined {
    const {description} = this.command;
    return description ? this.wrap(description) : undefined;
  }

  protected override flags(flags: Command.Flag.Any[]): [string, string | undefined][] | undefined {
    if (flags.length === 0) return undefined;
    if (flags.every(({helpGroup}) => helpGroup === GLOBAL)) {
      const names = flags.map(({name, char}) => (char ? `-${char}, --${name}` : `--${name}`));
      return [
        [this.wrapped(names.join('  '), 0), undefined],
        ['To see what they do: centavo help flags', undefined],
      ];
    }
    // Required flags first, otherwise in the order of the contract.
    const sorted = [...flags].sort((a, b) => Number(isRequired(b)) - Number(isRequired(a)));
    return [[sorted.map((flag) => this.flagLines(flag)).join('\n'), undefined]];
  }

  private flagLines(flag: Command.Flag.Any): string {
    const {name, char, summary = ''} = flag;
    const value =
      flag.type === 'option' ? ` ${flag.helpValue ?? (flag.options ? `<${flag.options.join('|')}>` : '<value>')}` : '';
    const label = `${char ? `-${char}, ` : ''}--${name}${value}`;
    const fallback = flag.type === 'option' && flag.default !== undefined ? ` [default: ${String(flag.default)}]` : '';
    const text = this.wrapped(`${summary}${fallback}`, LABEL_WIDTH + 2);
    const [first = '', ...rest] = text.split('\n');
    const margin = ' '.repeat(LABEL_WIDTH + 2);
    if (label.length > LABEL_WIDTH) return [label, ...[first, ...rest].map((line) => margin + line)].join('\n');
    return [label.padEnd(LABEL_WIDTH + 2) + first, ...rest.map((line) => margin + line)].join('\n');
  }

  private wrapped(text: string, indent: number): string {
    return this.wrap(text, indent + 4);
  }
}

const FIRST_STEPS: [string, string][] = [
  ['centavo bill', 'bill a customer'],
  ['centavo billing-statements import <file>', 'bill from a file'],
  ['centavo owed', 'who owes you'],
  ['centavo billing-statements link <number>', 'its payment link'],
  ['centavo billing-statements wait <number>', 'until it is paid'],
  ['centavo login', 'use your account'],
];

const MORE: [string, string][] = [
  ['centavo sandbox demo', 'see a bill made and paid'],
  ['centavo sandbox serve', 'the Payments API for your app'],
  ['centavo <topic> --help', 'the commands of a topic'],
  ['centavo help exit-codes', 'for scripts'],
];

class Page extends Help {
  protected override CommandHelpClass = CommandPage;
  private readonly lines: string[] = [];

  constructor(config: Interfaces.Config, width: number) {
    super(config, {maxWidth: width, stripAnsi: true, hideCommandSummaryInDescription: true});
  }

  /** oclif would show only topics that have topics below them. */
  protected override get sortedTopics(): Interfaces.Topic[] {
    return this.config.topics.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  override formatRoot(): string {
    const list = (rows: [string, string][]) => this.renderList(rows, {indentation: 2, stripAnsi: true});
    return [
      'centavo: collect one-time payments in Philippine pesos.',
      this.section('START HERE', list(FIRST_STEPS)),
      this.wrap('Until you log in, everything happens in a sandbox on this machine: no account, no network, no money.'),
      this.section('MORE', list(MORE)),
    ].join('\n\n');
  }

  protected override log(...lines: string[]): void {
    // A summary is one line that is not wrapped yet.
    this.lines.push(...lines.map((line) => (line.trimEnd().includes('\n') ? line : this.wrap(line))));
  }

  async text(name: string): Promise<string> {
    const command = this.config.findCommand(name);
    if (command) await this.showCommandHelp(command);
    else if (name === FIRST_PAGE) return `${this.formatRoot()}\n\nAll topics and commands: centavo help\n`;
    else if (name === '') await this.showRootHelp();
    else await this.showTopicHelp(this.config.findTopic(name)!);
    return `${this.lines.join('\n')}\n`;
  }
}

export async function layOutPages(program: Program, width: number): Promise<Pages> {
  const {topics} = program;
  const commandIDs = [...program.commandIDs, ...Object.keys(SHORT_NAMES)];
  const names = [FIRST_PAGE, '', ...new Set([...commandIDs, ...topics.map(({name}) => name)].sort())];
  const pages = names.map(async (name) => {
    const kind = commandIDs.includes(name) ? 'command' : 'topic';
    return [name.replaceAll(':', ' '), {kind, text: await new Page(program, width).text(name)}] as const;
  });
  return new Map(await Promise.all(pages));
}
