// `centavo completion install` and `print`: install or print the shell script for Tab completion.

import {existsSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {basename, dirname, join} from 'node:path';
import {BaseCommand} from '../cli/base.js';
import {confirmLocal, isDryRun} from '../cli/dry-run.js';
import {Args} from '../cli/oclif.js';
import {resultOfRecord} from '../cli/records.js';
import * as schema from '../cli/schema.js';
import type {Context} from '../context/context.js';
import {refusedError, usageError} from '../common/errors.js';
import {localError} from '../common/system-errors.js';
import {quote} from '../input/money.js';
import {shellQuote} from '../common/next-text.js';
import {isMachineFormat} from '../output/render.js';

const SHELLS = ['bash', 'fish', 'zsh'] as const;
const SHELL = schema.choice(...SHELLS);
const INSTALLED = schema.record({
  shell: SHELL,
  script: schema.text,
  startup_file: schema.nullable(schema.text),
  changed: schema.boolean,
});
const SCRIPT = schema.record({shell: SHELL, script: schema.text});

const description = 'bash, fish or zsh. Defaults to your login shell.';
const ARGS = {shell: Args.string({description, helpValue: `<${SHELLS.join('|')}>`})};

/** @param root the package's folder */
function scriptFor(root: string, {env}: Context, typed = basename(env.SHELL ?? '')) {
  const shell = SHELLS.find((each) => each === typed);
  if (shell) return {shell, script: readFileSync(join(root, 'completions', `centavo.${shell}`), 'utf8')};
  const what = typed === '' ? 'the shell is missing.' : `completion does not support ${quote(typed)}.`;
  throw usageError('invalid_argument', what, {hint: `Shells: ${SHELLS.join(', ')}`});
}

export class CompletionPrintCommand extends BaseCommand {
  static override summary = 'Print the completion script of a shell.';
  static override examples = ['<%= config.bin %> completion print zsh'];
  static override args = ARGS;
  static override usage = 'completion print [shell] [flags]';
  static risk = 'reads' as const;
  static agents = 'never' as const;
  static exits = [] as const;
  static output = () => SCRIPT;

  async run(): Promise<void> {
    const {args} = await this.read(CompletionPrintCommand);
    const made = scriptFor(this.config.root, this.context, args.shell);
    const isRecord = this.rendering.format !== undefined || isMachineFormat(this.rendering);
    return isRecord ? this.print(resultOfRecord(SCRIPT, made)) : this.context.io.out(made.script);
  }
}

export class CompletionInstallCommand extends BaseCommand {
  static override summary = 'Complete commands, flags and statement numbers with Tab.';
  static override description =
    'Writes a completion script. For bash and zsh, it also adds a line to .bashrc or .zshrc, after asking. fish finds the script without one.';
  static override examples = ['<%= config.bin %> completion install', '<%= config.bin %> completion install zsh --yes'];
  static override args = ARGS;
  static override usage = 'completion install [shell] [flags]';
  static risk = 'writes' as const;
  static exits = ['refused', 'config'] as const;
  static output = () => INSTALLED;

  async run(): Promise<void> {
    const {args, flags} = await this.read(CompletionInstallCommand);
    const {context} = this;
    const {shell, script: newScript} = scriptFor(this.config.root, context, args.shell);
    const {script, startup, line} = pathsFor(context, shell);
    const found = readText(script);
    const startupText = startup === undefined ? line : readText(startup);
    const isInstalled = startupText.includes(line);
    const edits = [
      ...(found === '' || found.includes('Completes centavo') ? [] : [`replace ${script}`]),
      ...(isInstalled ? [] : [`add a line to ${startup}`]),
    ];
    const what = edits.join(' and ') || `write ${script}`;
    if (isDryRun(context, flags, what)) return;
    if (edits.length > 0 && !flags.yes && !context.io.canAsk) {
      const refusal = `this would ${what}${context.agent() ? '' : ', and no terminal is available to confirm it'}.`;
      throw refusedError('cannot_confirm', refusal, {override: '--yes'});
    }
    if (edits.length > 0) await confirmLocal(context, flags, what);
    if (found !== newScript) write(script, newScript);
    // Append, so that the rest of the file stays unchanged in any encoding.
    if (!isInstalled)
      write(startup!, `${/[^\n]$/.test(startupText) ? '\n' : ''}${line}\n`, `Only ${script} was written.`);
    const changed = found !== newScript || !isInstalled;
    await this.printDone(resultOfRecord(INSTALLED, {shell, script, startup_file: startup ?? null, changed}));
    context.io.note(`Open a new terminal, or in this one, run: source ${shellQuote(script)}`);
    context.io.note(`To undo it: rm ${shellQuote(script)}`);
  }
}

/** Returns the paths and the startup line that loads the script. The line does nothing once the script is deleted. */
function pathsFor({env, host, dataDirectory, homeDirectory}: Context, shell: (typeof SHELLS)[number]) {
  const home = homeDirectory();
  if (shell === 'fish')
    return {script: join(env.XDG_CONFIG_HOME || join(home, '.config'), 'fish/completions/centavo.fish'), line: ''};
  const script = join(dataDirectory(), `completion.${shell}`);
  const line = `[ ! -r ${shellQuote(script)} ] || source ${shellQuote(script)} # Tab completes centavo`;
  if (shell === 'zsh') return {script, startup: join(env.ZDOTDIR || home, '.zshrc'), line};
  // macOS terminals start bash as a login shell.
  return {script, startup: join(home, host.platform === 'darwin' ? '.bash_profile' : '.bashrc'), line};
}

const readText = (path: string): string => (existsSync(path) ? readFileSync(path, 'utf8') : '');

/** Appends if `changed` is given. @param changed for an error: the files that were already written */
function write(path: string, contents: string, changed?: string): void {
  try {
    mkdirSync(dirname(path), {recursive: true, mode: 0o700});
    // A shell runs the file, so no other user may write to it.
    writeFileSync(path, contents, {flag: changed === undefined ? 'w' : 'a', mode: 0o600});
  } catch (error) {
    throw localError(`${path} cannot be written.`, error, {changed});
  }
}
