// `centavo doctor`: what is wrong with the set-up, and what mends it.

import {BaseCommand} from '../../cli/base.js';
import {sameAccount} from '../../cli/next-command.js';
import {Flags} from '../../cli/oclif.js';
import {resultOfRecords} from '../../cli/records.js';
import {boolean, integer, list, record} from '../../cli/schema.js';
import {counted} from '../../ground/counts.js';
import {capitalized, CentavoError} from '../../ground/errors.js';
import {clean, folded, wrapped} from '../../output/format.js';
import {isForPeople} from '../../output/render.js';
import {CHECK, examine, type Check} from './checks.js';

const EXAMINED = record({healthy: boolean, problems: integer, checks: list(CHECK)});

/** What stands before a message, so that nothing is told by colour alone. */
const WORDS: Readonly<Record<Check['status'], string>> = {
  ok: '',
  fixed: '',
  note: 'Note: ',
  problem: 'Problem: ',
  unchecked: 'Not checked: ',
};

export class DoctorCommand extends BaseCommand {
  static override summary = 'Find what is wrong with your set-up, and how to mend it.';
  static override description =
    'Checks Node, the configuration and where each value comes from, the keychain, the key, whether the API can be reached, the clock, a proxy, the files of centavo, and what webhooks need. Under each problem is the command that mends it. The exit code is 6 if there is a problem.\n\n' +
    'Nothing is changed without --fix. It makes files that others can use yours alone, and deletes what killed commands left: temporary files, and webhooks of the sandbox. It never changes keys, limits or a real account.';
  static override examples = [
    '<%= config.bin %> doctor',
    '<%= config.bin %> doctor --fix',
    '<%= config.bin %> doctor --profile shop --live',
    '<%= config.bin %> doctor --json',
  ];
  static override flags = {
    fix: Flags.boolean({summary: 'Mend what can be mended on this machine.'}),
  };
  static risk = 'writes' as const;
  static exits = ['condition_unmet'] as const;
  static output = () => EXAMINED;

  async run(): Promise<unknown> {
    const {flags} = await this.read(DoctorCommand);
    const {context, rendering} = this;
    const {io} = context;
    io.progress('Checking …');
    const checks = await examine(context, flags.fix && !flags['dry-run']);
    const problems = checks.filter(({status}) => status === 'problem').length;
    const document = {healthy: problems === 0, problems, checks};
    if (isForPeople(rendering, io) && !rendering.fields) await io.out(this.textOf(checks));
    else await this.print(resultOfRecords(CHECK, checks, {document, rowsIn: 'checks'}));
    if (problems === 0) return document;
    throw new CentavoError('condition_unmet', `${counted(problems, 'problem')} found.`, {
      code: 'problems_found',
      ...(checks.some(({fixable}) => fixable) && {
        hint: `To mend what can be mended here: centavo doctor --fix${sameAccount(context)}`,
      }),
    });
  }

  private textOf(checks: readonly Check[]): string {
    const groups = [...new Set(checks.map(({group}) => group))].map((group) => {
      const lines = checks.filter((check) => check.group === group).flatMap((check) => this.linesOf(check));
      return `${this.context.io.paint('bold', capitalized(group))}\n${lines.join('\n')}\n`;
    });
    return groups.join('\n');
  }

  private linesOf({name, status, message, source, cure}: Check): string[] {
    const {io} = this.context;
    const from = source === null ? '' : ` (${source})`;
    const [first = '', ...rest] = wrapped(clean(WORDS[status] + message + from), io.width, INDENT);
    const label = `  ${clean(name)}`.padEnd(INDENT);
    // A long name stands on a line of its own.
    const lines = label.length > INDENT ? [label, first, ...rest] : [label + first.slice(INDENT), ...rest];
    return [
      ...lines.map((line) => (status === 'ok' || status === 'unchecked' ? io.paint('dim', line) : line)),
      ...(cure === null ? [] : folded(' '.repeat(INDENT) + clean(cure), io.width)),
    ];
  }
}

/** Columns before the messages. */
const INDENT = 18;
