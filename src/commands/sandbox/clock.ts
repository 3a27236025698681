// `centavo sandbox clock`: shows the sandbox clock, or moves it forward.

import {ACCOUNT_EXITS, BaseCommand, requiredArgument} from '../../cli/base.js';
import {isDryRun} from '../../cli/dry-run.js';
import {resultOfRecord} from '../../cli/records.js';
import * as schema from '../../cli/schema.js';
import {Args} from '../../cli/oclif.js';
import {usageError} from '../../common/errors.js';
import {readDate} from '../../input/dates.js';
import {valueOrThrow} from '../../input/invalid-input.js';
import {quote} from '../../input/money.js';
import {readDuration} from '../../input/quantities.js';
import {isoTime} from '../../output/format.js';

const CLOCK = schema.record({
  now: schema.titled('unix seconds', schema.integer),
  time: schema.text,
  ahead_seconds: schema.titled('seconds ahead', schema.integer),
});

export class ClockCommand extends BaseCommand {
  static override summary = 'Show the sandbox clock, or move it forward.';
  static override description =
    'Everything due in between happens in order: statements become overdue, checkout sessions expire, holds are released. The clock only moves forward. To go back to the real time, use sandbox reset.';
  static override examples = [
    '<%= config.bin %> sandbox clock',
    '<%= config.bin %> sandbox clock advance 3d',
    '<%= config.bin %> sandbox clock set 2027-01-31T09:00:00+08:00',
  ];
  static override usage = 'sandbox clock [show | advance <time> | set <date>] [flags]';
  static override args = {
    action: Args.string({description: 'show, advance or set.', default: 'show', helpValue: '<show|advance|set>'}),
    value: Args.string({description: 'How far to move (3d, 2h), or the new time. A day (2027-01-31) means its end.'}),
  };
  static risk = 'writes' as const;
  static agents = 'runs' as const;
  static exits = [...ACCOUNT_EXITS, 'rejected'] as const;
  static output = () => CLOCK;

  async run(): Promise<void> {
    const {args, flags} = await this.read(ClockCommand);
    const {context} = this;
    const {action, value} = args;
    const sandbox = await context.sandbox();
    if (!['show', 'advance', 'set'].includes(action))
      throw usageError('invalid_argument', `${quote(action)} is not a clock action.`, {
        hint: 'Actions: show, advance 3d, set 2027-01-31',
      });
    let shown = sandbox.clock();
    if (action === 'advance') {
      const seconds = valueOrThrow(readDuration(givenTime(value, 'advance 3d')), 'the time');
      if (isDryRun(context, flags, `move the sandbox clock to ${isoTime(shown.now + seconds)}`)) return;
      shown = sandbox.advanceClock(seconds);
    } else if (action === 'set') {
      const at = valueOrThrow(readDate(givenTime(value, 'set 2027-01-31'), shown.now), 'the time');
      if (isDryRun(context, flags, `move the sandbox clock to ${isoTime(at)}`)) return;
      shown = sandbox.setClock(at);
    }
    const {now, ahead} = shown;
    const clock = {now, time: isoTime(now), ahead_seconds: ahead};
    await this.print(resultOfRecord(CLOCK, clock, {all: ['time', 'now', 'ahead_seconds']}));
  }
}

const givenTime = (text: string | undefined, example: string): string =>
  requiredArgument(text, 'the time', `centavo sandbox clock ${example}`);
