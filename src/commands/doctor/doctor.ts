// `centavo doctor`: what is wrong with the set-up, and what mends it.

import {BaseCommand} from '../../cli/base.js';
import {sameAccount} from '../../cli/next-command.js';
import {Flags} from '../../cli/oclif.js';
import {resultOfRecords} from '../../cli/records.js';
import {boolean, integer, list, record} from '../../cli/schema.js';
import {counted} from '../../ground/counts.js';
import {CentavoError} from '../../ground/errors.js';
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
    'Nothing is changed without --fix. It restricts files that others can use to you, and removes temporary files and webhooks of the sandbox that killed commands left. It never changes keys, limits or a real account.';
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
    const {io} = this.context;
    const labels = Math.max(...checks.map(({name}) => name.length).filter((length) => length <= LONGEST_LABEL));
    return [...new Set(checks.map(({group}) => group))]
      .map((group) => {
        const lines = checks.filter((check) => check.group === group).flatMap((check) => this.linesOf(check, labels));
        return `${io.paint('bold', group.charAt(0).toUpperCase() + group.slice(1))}\n${lines.join('\n')}\n`;
      })
      .join('\n');
  }

  private linesOf({name, status, message, source, cure}: Check, labels: number): string[] {
    const {io} = this.context;
    const from = source === null ? '' : ` (${source})`;
    const indent = labels + 4;
    const words = wrapped(clean(WORDS[status] + message + from), io.width, indent);
    const label = `  ${clean(name).padEnd(labels)}  `;
    const [first = '', ...rest] = words;
    const lines = label.length > indent ? [label, ...words] : [label + first.slice(indent), ...rest];
    const style = status === 'problem' ? 'bold' : status === 'note' || status === 'fixed' ? undefined : 'dim';
    return [
      ...lines.map((line) => (style ? io.paint(style, line.trimEnd()) : line.trimEnd())),
      ...(cure === null ? [] : folded(`${' '.repeat(indent)}${clean(cure)}`, io.width)),
    ];
  }
}

/** A longer one stands on a line of its own. */
const LONGEST_LABEL = 14;
