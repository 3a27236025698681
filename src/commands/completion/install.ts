// `centavo completion install`: puts the script where a shell reads it.

import {appendFileSync, existsSync, mkdirSync, readFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {BaseCommand} from '../../cli/base.js';
import {confirmLocal, isDryRun} from '../../cli/dry-run.js';
import {resultOfRecord} from '../../cli/records.js';
import {boolean, nullable, record, text} from '../../cli/schema.js';
import type {Context} from '../../context.js';
import {refused} from '../../ground/errors.js';
import {shellQuote} from '../../input/shell-words.js';
import {SHELL, scriptFor, type Shell, shellArgument, shellNamed} from './shared/scripts.js';

const INSTALLED = record({shell: SHELL, script: text, startup_file: nullable(text), changed: boolean});

export class CompletionInstallCommand extends BaseCommand {
  static override summary = 'Complete commands, flags and statement numbers with Tab.';
  static override description =
    'Writes a script for the shell. For bash and zsh, it also adds the line that reads it to .bashrc or .zshrc, after asking; fish finds the script by itself.';
  static override examples = ['<%= config.bin %> completion install', '<%= config.bin %> completion install zsh --yes'];
  static override usage = 'completion install [shell] [flags]';
  static override args = {shell: shellArgument};
  static risk = 'writes' as const;
  static exits = ['refused', 'config'] as const;
  static output = () => INSTALLED;

  async run(): Promise<unknown> {
    const {args, flags} = await this.read(CompletionInstallCommand);
    const {context} = this;
    const shell = shellNamed(args.shell, context.env.SHELL);
    const {script, startup, line} = placesOf(context, shell);
    const [found, wanted] = [textOf(script), scriptFor(shell, this.config.root)];
    const begun = startup === undefined ? line : textOf(startup);
    const theirs = [
      ...(found === '' || found.includes('Completes centavo') ? [] : [`replace ${script}`]),
      ...(begun.includes(line) ? [] : [`add a line to ${startup}`]),
    ];
    const what = theirs.join(' and ') || `write ${script}`;
    if (isDryRun(context, flags, what)) return undefined;
    if (theirs.length > 0 && !flags.yes && !context.io.canAsk)
      throw refused('cannot_confirm', `this would ${what}, and there is no terminal to confirm it.`, {
        hint: 'To confirm, add --yes.',
        applied: 'no',
      });
    if (theirs.length > 0) await confirmLocal(context, flags, what);
    if (found !== wanted) {
      mkdirSync(dirname(script), {recursive: true, mode: 0o700});
      const elsewhere = {flag: `centavo completion print ${shell} > <file>`, edits: true};
      await (await context.fileToWrite(script, elsewhere)).write([wanted]);
    }
    // Added, so that the rest of the file stays as it is, whatever its encoding.
    if (!begun.includes(line)) appendFileSync(startup!, `${/[^\n]$/.test(begun) ? '\n' : ''}${line}\n`);
    const changed = found !== wanted || !begun.includes(line);
    await this.printDone(resultOfRecord(INSTALLED, {shell, script, startup_file: startup ?? null, changed}));
    context.io.note('Open a new terminal, or in this one, run:');
    // Not folded, so that it works when pasted.
    context.io.note(`  source ${shellQuote(script)}`, {whole: true});
    return undefined;
  }
}

interface Places {
  readonly script: string;
  /** None where the shell finds the script by itself. */
  readonly startup?: string;
  /** Reads the script. */
  readonly line: string;
}

function placesOf({env, host, dataDirectory, homeDirectory}: Context, shell: Shell): Places {
  const home = homeDirectory();
  if (shell === 'fish')
    return {script: join(env.XDG_CONFIG_HOME || join(home, '.config'), 'fish/completions/centavo.fish'), line: ''};
  const script = join(dataDirectory(), `completion.${shell}`);
  const quoted = shellQuote(script);
  // The terminals of macOS start bash as a login shell.
  const startup =
    shell === 'zsh'
      ? join(env.ZDOTDIR || home, '.zshrc')
      : join(home, host.platform === 'darwin' ? '.bash_profile' : '.bashrc');
  return {script, startup, line: `[ ! -r ${quoted} ] || source ${quoted} # Tab completes centavo`};
}

const textOf = (path: string): string => (existsSync(path) ? readFileSync(path, 'utf8') : '');
