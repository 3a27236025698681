// Lays out the help pages at build time: examples before flags, and global flags together.

import type {Command, Interfaces} from '@oclif/core';
import {CommandHelp, Help} from '@oclif/core/help';
import type {CommandCatalog} from '../catalog/command-catalog.js';
import {longId, SHORT_NAMES, shortNameOf} from '../catalog/short-names.js';
import {isRequired} from './described.js';
import {FIRST_PAGE, type HelpPages} from './help.js';

/** Columns for labels. Longer labels get their own line; a narrow page keeps more columns for the text. */
const labelWidthOf = (page: number): number => (page < 80 ? 20 : 30);
/** Columns. Longer choices move into the text. */
const MAX_CHOICES_WIDTH = 40;
const GLOBAL = 'GLOBAL';

type Section = {readonly header: string; readonly generate: (...args: never[]) => unknown};

export class CommandPage extends CommandHelp {
  protected override sections(): ReturnType<CommandHelp['sections']> {
    const sections = super.sections();
    const order = ['USAGE', 'DESCRIPTION', 'EXAMPLES', 'ARGUMENTS', 'FLAGS'];
    return order.flatMap((header) => sections.filter((section: Section) => section.header === header));
  }

  protected override usage(): string {
    const {id: typed, usage} = this.command;
    const id = typed.replaceAll(' ', ':');
    const other = longId(id) === id ? shortNameOf(id) : longId(id).replaceAll(':', ' ');
    return other === undefined
      ? super.usage()
      : `${super.usage()}\n$ ${this.config.bin} ${String(usage).replace(typed, other)}`;
  }

  /** Omits the summary, which is printed above. */
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
    const {helpValue, options} = flag.type === 'option' ? flag : {};
    const choices = helpValue ?? `<${options?.join('|') ?? 'value'}>`;
    const isTooLong = helpValue === undefined && choices.length > MAX_CHOICES_WIDTH;
    const value = flag.type === 'option' ? ` ${isTooLong ? '<word>' : choices}` : '';
    const label = `${char ? `-${char}, ` : ''}--${name}${value}`;
    const fallback = flag.type === 'option' && flag.default !== undefined ? ` [default: ${String(flag.default)}]` : '';
    const words = isTooLong ? ` One of ${options!.join(', ')}.` : '';
    const width = labelWidthOf(this.opts.maxWidth);
    const text = this.wrapped(`${summary}${words}${fallback}`, width + 2);
    const [first = '', ...rest] = text.split('\n');
    const margin = ' '.repeat(width + 2);
    if (label.length > width) return [label, ...[first, ...rest].map((line) => margin + line)].join('\n');
    return [label.padEnd(width + 2) + first, ...rest.map((line) => margin + line)].join('\n');
  }

  private wrapped(text: string, indent: number): string {
    return this.wrap(text, indent + 4);
  }
}

const EVERY_DAY: [string, string][] = [
  ['centavo bill [customer]', 'bill a customer, step by step'],
  ['centavo import <file>', 'bill from a spreadsheet'],
  ['centavo send <statement>', 'finalize and email a draft'],
  ['centavo link <customer>', 'get the payment link to share'],
  ['centavo owed', 'see who owes you'],
  ['centavo remind <customer>', 'email a reminder'],
  ['centavo paid', 'see who paid, and how'],
  ['centavo month', 'see the totals of a month'],
  ['centavo find <text>', 'search by name, number or amount'],
];

const FOR_PROGRAMS: [string, string][] = [
  ['centavo dev', 'run the Payments API beside your app'],
  ['centavo webhooks listen', 'forward events to your app'],
  ['centavo commands --json', 'list all commands as JSON'],
];

/** Indent of the lines in a section, in columns. */
const MARGIN = 2;

const HELP_HEADINGS = /(?:"[^"]*"|'[^']*'|\S)+/g;
/** Matches a flag together with its value, so that no line break separates them. */
const FLAGS_AND_WORDS = new RegExp(`(?:--?[\\w-]+ (?=[\\w"'+]))?${HELP_HEADINGS.source}`, 'g');

/** Breaks a line between words. A broken command continues with a backslash, as in a shell. */
function wrapLine(line: string, width: number): string {
  if ([...line].length <= width) return line;
  const isCommand = /^ +\$ /.test(line);
  const margin = /^ */.exec(line)![0];
  const [end, next] = isCommand ? [' \\', `${margin}    `] : ['', margin];
  const available = width - next.length - end.length;
  const parts = line.match(FLAGS_AND_WORDS) ?? [];
  const [first = '', ...words] = parts.flatMap((part) =>
    part.length <= available ? [part] : part.match(HELP_HEADINGS)!,
  );
  const lines = [margin + first];
  for (const word of words) {
    const longer = `${lines.at(-1)} ${word}`;
    if ([...longer].length + end.length <= width) lines[lines.length - 1] = longer;
    else lines.push(next + word);
  }
  return lines.join(`${end}\n`);
}

class PageTemplate extends Help {
  protected override CommandHelpClass = CommandPage;
  private readonly lines: string[] = [];

  constructor(
    config: Interfaces.Config,
    private readonly width: number,
  ) {
    super(config, {maxWidth: width, stripAnsi: true, hideCommandSummaryInDescription: true});
  }

  /** oclif would show only topics with subtopics. */
  protected override get sortedTopics(): Interfaces.Topic[] {
    return this.config.topics.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  override formatRoot(): string {
    const list = (rows: [string, string][]) => this.renderList(rows, {indentation: 2, stripAnsi: true});
    return [
      'centavo: collect one-time payments in Philippine pesos.',
      this.section('EVERY DAY', list(EVERY_DAY)),
      this.section('DEVELOPERS AND SCRIPTS', list(FOR_PROGRAMS)),
      this.wrap('Until you log in (centavo login), this is a sandbox: no network, no money.'),
    ].join('\n\n');
  }

  protected override log(...lines: string[]): void {
    this.lines.push(...lines);
  }

  /** oclif omits the section's margin if the texts are below their names. */
  override renderList(...[rows, options]: Parameters<Help['renderList']>): string {
    const list = super.renderList(rows, options);
    const isTooWide = list.split('\n').some((line) => line.length > this.width - MARGIN);
    return isTooWide ? super.renderList(rows, {...options, indentation: options.indentation + MARGIN}) : list;
  }

  async text(name: string): Promise<string> {
    const command = this.config.findCommand(name);
    if (command) await this.showCommandHelp(command);
    else if (name === FIRST_PAGE) return `${this.formatRoot()}\nAll topics and commands: centavo help\n`;
    else if (name === '') await this.showRootHelp();
    else await this.showTopicHelp(this.config.findTopic(name)!);
    const lines = this.lines.join('\n').split('\n');
    return `${lines.map((line) => wrapLine(line, this.width)).join('\n')}\n`;
  }
}

export async function layOutPages(program: CommandCatalog, width: number): Promise<HelpPages> {
  const {topics} = program;
  const commandIDs = [...program.commandIDs, ...Object.keys(SHORT_NAMES)];
  const names = [FIRST_PAGE, '', ...new Set([...commandIDs, ...topics.map(({name}) => name)].sort())];
  const pages = names.map(async (name) => {
    const kind = commandIDs.includes(name) ? 'command' : 'topic';
    return [name.replaceAll(':', ' '), {kind, text: await new PageTemplate(program, width).text(name)}] as const;
  });
  return new Map(await Promise.all(pages));
}
