// `centavo doctor`: finds problems with the set-up, and says how to fix them.

import {BaseCommand} from '../../cli/base.js';
import {accountArgs} from '../../cli/next-steps.js';
import {Flags} from '../../cli/oclif.js';
import {resultOfRecords} from '../../cli/records.js';
import * as schema from '../../cli/schema.js';
import {formatCount} from '../../common/counts.js';
import {capitalized, CentavoError, nextCommand} from '../../common/errors.js';
import {oneLineText, foldSentence} from '../../output/format.js';
import type {OutputStreams} from '../../output/streams.js';
import {isForPeople} from '../../output/render.js';
import {CHECK, runChecks, type Check} from './checks.js';

const EXAMINED = schema.record({healthy: schema.boolean, problems: schema.integer, checks: schema.list(CHECK)});

/** Labels, so that no status is shown by colour alone. */
const WORDS = {ok: '', fixed: '', note: 'Note: ', problem: 'Problem: ', unchecked: 'Not checked: '} as const;
const INDENT = 18;

export class DoctorCommand extends BaseCommand {
  static override summary = 'Find problems with your set-up, and how to fix them.';
  static override description =
    'Checks Node, the files of centavo, the configuration and its sources, the keychain and the key. Also checks a proxy, the connection to the API, the clock, and the needs of webhooks. Each problem comes with the command that fixes it. If there is a problem, the exit code is 6.\n\n' +
    'Nothing is changed without --fix. With it, centavo restricts files that other users can access, and deletes temporary files and sandbox webhooks of killed commands. It never changes keys, limits or a real account.';
  static override examples = ['<%= config.bin %> doctor', '<%= config.bin %> doctor --profile shop --live --json'];
  static override flags = {fix: Flags.boolean({summary: 'Fix the problems that centavo can fix on this machine.'})};
  static risk = 'writes' as const;
  static exits = ['condition_unmet'] as const;
  static output = () => EXAMINED;

  async run(): Promise<void> {
    const {flags} = await this.read(DoctorCommand);
    const {context, rendering} = this;
    const {io} = context;
    io.progress('Checking …');
    const checks = await runChecks(context, flags.fix && !flags['dry-run']);
    const count = (wanted: Check['status']): number => checks.filter(({status}) => status === wanted).length;
    const [problems, fixed] = [count('problem'), count('fixed')];
    const document = {healthy: problems === 0, problems, checks};
    if (isForPeople(rendering, io) && !rendering.fields) await io.out(textOf(checks, io));
    else await this.print(resultOfRecords(CHECK, checks, {document, rowsIn: 'checks'}));
    if (flags.fix && !flags['dry-run'])
      io.note(fixed > 0 ? `Fixed ${formatCount(fixed, 'problem')}.` : '--fix changed nothing.');
    if (problems === 0) return io.note('centavo works.');
    const next = checks.some(({fixable}) => fixable)
      ? nextCommand('To fix the problems that centavo can fix', 'doctor --fix', accountArgs(context))
      : nextCommand('Run the fix shown for each, then check again', 'doctor', accountArgs(context));
    throw new CentavoError('condition_unmet', `${formatCount(problems, 'problem')} found.`, {
      code: 'problems_found',
      next: [next],
    });
  }
}

const textOf = (checks: readonly Check[], {paint, width}: OutputStreams): string =>
  checks
    .map(({group, name, status, message, source, cure}, index) => {
      const isFirst = group !== checks[index - 1]?.group;
      const said = WORDS[status] + message + (source === null ? '' : ` (${source})`);
      const [first = '', ...more] = [said, cure ?? ''].flatMap((each) =>
        foldSentence(' '.repeat(INDENT) + oneLineText(each), width),
      );
      const label = `  ${oneLineText(name)}`.padEnd(INDENT);
      // A long name gets its own line.
      const lines = label.length > INDENT ? [label, first, ...more] : [label + first.slice(INDENT), ...more];
      const text = lines.filter((line) => line.trim() !== '').join('\n');
      const heading = isFirst ? `${index > 0 ? '\n' : ''}${paint('bold', capitalized(group))}\n` : '';
      return `${heading}${status === 'ok' || status === 'unchecked' ? paint('dim', text) : text}\n`;
    })
    .join('');
