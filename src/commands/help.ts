// `centavo help agents`, `help exit-codes` and `help flags`.

import {BaseCommand} from '../cli/base.js';
import {globalFlags} from '../cli/global-flags.js';
import type {CommandCatalog} from '../cli/catalog/command-catalog.js';
import {Flags} from '../cli/oclif.js';
import {resultOfRecord, resultOfRecords} from '../cli/records.js';
import * as schema from '../cli/schema.js';
import {EXIT_CODES} from '../common/errors.js';
import {wrapText} from '../output/format.js';
import {isMachineFormat} from '../output/render.js';

const EXIT_CODE = schema.record({code: schema.integer, name: schema.text, meaning: schema.text});
const AGENTS = schema.record({markdown: schema.text});
const GLOBAL_FLAG = schema.record({flag: schema.text, meaning: schema.text});

/** docs/scripts.md is generated from it too. */
export const EXIT_MEANINGS: Readonly<Record<keyof typeof EXIT_CODES, string>> = {
  ok: 'success; also an empty list, a closed pipe, or a change that was already made',
  internal: 'a bug in centavo',
  usage: 'invalid command, flag, argument, value or input file; nothing was sent',
  not_found: 'the object does not exist',
  auth: 'no API key, or the API refused it',
  rejected: 'the API refused the request: an invalid value, or a status that does not allow it',
  condition_unmet:
    'a wait ended in another status; a delivery is not genuine; a sandbox payment or webhook test failed; doctor found a problem',
  rate_limited: 'too many requests (429) until the time limit; nothing was applied',
  unavailable: 'the API could not be reached, or returned a 5xx or an unexpected response; nothing was applied',
  timed_out: 'the time limit of a wait was reached',
  outcome_unknown:
    'a change may or may not have been applied, or a statement is open with another amount; the next step is printed',
  partial: 'some objects, or some steps of a statement, failed; centavo prints the failures',
  refused:
    'centavo refused: a live change without --live or by an agent, no confirmation, a repeated change, a limit, an unsafe URL, or a file that centavo did not write',
  keychain: 'the keychain is absent or locked, or does not answer',
  config: 'the configuration or a profile cannot be read or is invalid',
  local_io: 'a file or the output cannot be used: disk full, no permission, or damaged',
  interrupted: 'stopped by SIGINT (Ctrl-C)',
  terminated: 'stopped by SIGTERM',
};

export class ExitCodesCommand extends BaseCommand {
  static override summary = 'List the exit codes and what they mean.';
  static override examples = ['<%= config.bin %> help exit-codes', '<%= config.bin %> help exit-codes --json'];
  static risk = 'reads' as const;
  static exits = [] as const;
  static output = () => schema.page(EXIT_CODE);

  async run(): Promise<void> {
    await this.read(ExitCodesCommand);
    const rows = Object.entries(EXIT_MEANINGS).map(([name, meaning]) => ({
      ...{code: EXIT_CODES[name as keyof typeof EXIT_CODES].exit, name, meaning},
    }));
    await this.print(resultOfRecords(EXIT_CODE, rows));
  }
}

export class AgentsCommand extends BaseCommand {
  static override summary = 'Explain to an agent how to use centavo, and when to stop and ask.';
  static override examples = [
    '<%= config.bin %> help agents',
    '<%= config.bin %> help agents --markdown',
    '<%= config.bin %> help agents --skill',
  ];
  static override flags = {
    markdown: Flags.boolean({summary: 'Print long lines, for the AGENTS.md of a repository.', exclusive: ['skill']}),
    skill: Flags.boolean({summary: 'Print a skill file, which has a name and a description.'}),
  };
  static risk = 'reads' as const;
  static exits = [] as const;
  static output = () => AGENTS;

  async run(): Promise<void> {
    const {flags} = await this.read(AgentsCommand);
    const {agentsPage} = await import('../cli/help/agents-page.js');
    const markdown = agentsPage((this.config as CommandCatalog).index, EXIT_MEANINGS, flags.skill);
    if (isMachineFormat(this.rendering)) return this.print(resultOfRecord(AGENTS, {markdown}));
    const {io} = this.context;
    const wrap = (line: string) => wrapText(line, Math.min(io.width, 80), 0, line.startsWith('- ') ? 2 : 0).join('\n');
    return io.out(flags.markdown || flags.skill ? markdown : markdown.split('\n').map(wrap).join('\n'));
  }
}

export class FlagsCommand extends BaseCommand {
  static override summary = 'List the global flags.';
  static override examples = ['<%= config.bin %> help flags'];
  static risk = 'reads' as const;
  static exits = [] as const;
  static output = () => schema.page(GLOBAL_FLAG);

  async run(): Promise<void> {
    await this.read(FlagsCommand);
    const rows = Object.entries(globalFlags).map(([name, flag]) => ({
      flag: `${flag.char ? `-${flag.char}, ` : ''}--${name}${'helpValue' in flag && flag.helpValue ? ` ${String(flag.helpValue)}` : ''}`,
      meaning: flag.summary,
    }));
    await this.print(resultOfRecords(GLOBAL_FLAG, rows));
  }
}
