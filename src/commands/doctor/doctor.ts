// `centavo doctor`: what is wrong with the set-up, and what mends it.

import {BaseCommand} from '../../cli/base.js';
import {sameAccount} from '../../cli/next-command.js';
import {Flags} from '../../cli/oclif.js';
import {resultOfRecords} from '../../cli/records.js';
import {booleanSchema, integerSchema, listSchema, recordSchema} from '../../cli/schema.js';
import {formatCount} from '../../common/counts.js';
import {capitalized, CentavoError} from '../../common/errors.js';
import {oneLineText, foldSentence} from '../../output/format.js';
import type {OutputStreams} from '../../output/streams.js';
import {isForPeople} from '../../output/render.js';
import {CHECK, runChecks, type Check} from './checks.js';

const EXAMINED = recordSchema({healthy: booleanSchema, problems: integerSchema, checks: listSchema(CHECK)});

/** Nothing is told by colour alone. */
const WORDS = {ok: '', fixed: '', note: 'Note: ', problem: 'Problem: ', unchecked: 'Not checked: '} as const;
/** Columns before the messages. */
const INDENT = 18;

export class DoctorCommand extends BaseCommand {
  static override summary = 'Find what is wrong with your set-up, and how to mend it.';
  static override description =
    'Checks Node, the files of centavo, the configuration and where each value comes from, the keychain, the key, a proxy, whether the API can be reached, the clock, and what webhooks need. Under each problem is the command that mends it. The exit code is 6 if there is a problem.\n\n' +
    'Nothing is changed without --fix. It makes files that others can use yours alone, and deletes what killed commands left: temporary files, and webhooks of the sandbox. It never changes keys, limits or a real account.';
  static override examples = ['<%= config.bin %> doctor', '<%= config.bin %> doctor --profile shop --live --json'];
  static override flags = {fix: Flags.boolean({summary: 'Mend what can be mended on this machine.'})};
  static risk = 'writes' as const;
  static exits = ['condition_unmet'] as const;
  static output = () => EXAMINED;

  async run(): Promise<void> {
    const {flags} = await this.read(DoctorCommand);
    const {context, rendering} = this;
    const {io} = context;
    io.progress('Checking …');
    const checks = await runChecks(context, flags.fix && !flags['dry-run']);
    const problems = checks.filter(({status}) => status === 'problem').length;
    const document = {healthy: problems === 0, problems, checks};
    if (isForPeople(rendering, io) && !rendering.fields) await io.out(textOf(checks, io));
    else await this.print(resultOfRecords(CHECK, checks, {document, rowsIn: 'checks'}));
    if (problems === 0) return;
    const hint = `To mend what can be mended here: centavo doctor --fix${sameAccount(context)}`;
    throw new CentavoError('condition_unmet', `${formatCount(problems, 'problem')} found.`, {
      code: 'problems_found',
      hint: checks.some(({fixable}) => fixable) ? hint : undefined,
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
      // A long name stands on a line of its own.
      const lines = label.length > INDENT ? [label, first, ...more] : [label + first.slice(INDENT), ...more];
      const text = lines.filter((line) => line.trim() !== '').join('\n');
      const heading = isFirst ? `${index > 0 ? '\n' : ''}${paint('bold', capitalized(group))}\n` : '';
      return `${heading}${status === 'ok' || status === 'unchecked' ? paint('dim', text) : text}\n`;
    })
    .join('');
