// `centavo completion print`: the script, for who puts it in place by hand.

import {BaseCommand} from '../../cli/base.js';
import {resultOfRecord} from '../../cli/records.js';
import {record, text} from '../../cli/schema.js';
import {isMachine} from '../../output/render.js';
import {SHELL, scriptFor, shellArgument, shellNamed} from './shared/scripts.js';

const SCRIPT = record({shell: SHELL, script: text});

export class CompletionPrintCommand extends BaseCommand {
  static override summary = 'Print the completion script of a shell.';
  static override examples = ['<%= config.bin %> completion print zsh'];
  static override usage = 'completion print [shell] [flags]';
  static override args = {shell: shellArgument};
  static risk = 'reads' as const;
  static exits = [] as const;
  static output = () => SCRIPT;

  async run(): Promise<unknown> {
    const {args} = await this.read(CompletionPrintCommand);
    const shell = shellNamed(args.shell, this.context.env.SHELL);
    const script = scriptFor(shell, this.config.root);
    if (this.rendering.format || isMachine(this.rendering)) await this.print(resultOfRecord(SCRIPT, {shell, script}));
    else await this.context.io.out(script);
    return undefined;
  }
}
