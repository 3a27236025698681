// `centavo sandbox events` and `sandbox events list`: list sandbox events.

import {ACCOUNT_EXITS, BaseCommand} from '../../../cli/base.js';
import {resultOfRecords} from '../../../cli/records.js';
import * as schema from '../../../cli/schema.js';
import {eventNameError} from '../../../cli/operations/event-names.js';
import {suggestNextPage} from '../../../cli/lists/suggest-next-page.js';
import {Flags} from '../../../cli/oclif.js';
import {valueOrThrow} from '../../../input/invalid-input.js';
import {readWholeNumber} from '../../../input/quantities.js';
import {EVENT, EVENTS_AT_TERMINAL, jointOutcome} from './shared/event.js';

export class EventsListCommand extends BaseCommand {
  static override summary = 'List sandbox events, newest first.';
  static override description =
    'The outcome says what each webhook answered. If a listener on this machine received the event, it says what your app answered. The cause is the request that led to the event (see sandbox logs), page, studio, command, or a timer. Only the sandbox can list events; the API cannot.';
  static override examples = [
    '<%= config.bin %> sandbox events list',
    '<%= config.bin %> sandbox events list --type billing_statement.paid --limit 5',
    '<%= config.bin %> sandbox events list -o csv',
  ];
  static override flags = {
    limit: Flags.string({summary: 'Maximum number to list.', helpValue: '<number>', default: '20'}),
    all: Flags.boolean({summary: 'List everything.', exclusive: ['limit']}),
    type: Flags.string({summary: 'Only events of this type.', helpValue: '<event>'}),
  };
  static risk = 'reads' as const;
  static exits = ACCOUNT_EXITS;
  static output = () => schema.page(schema.objectNamed('event'));

  async run(): Promise<void> {
    const {flags} = await this.read(EventsListCommand);
    const limit = flags.all
      ? Number.MAX_SAFE_INTEGER - 1
      : valueOrThrow(readWholeNumber(flags.limit, {from: 1}), '--limit');
    const type = flags.type?.trim();
    valueOrThrow(type === undefined ? type : eventNameError(type, () => ''), '--type');
    const page = await (await this.context.sandbox()).listEvents({limit, type});
    const words = {atTerminal: EVENTS_AT_TERMINAL, empty: 'No events found.'};
    const data = page.data.map((event) => ({...event, outcome: jointOutcome(event.outcomes, event)}));
    await this.print(resultOfRecords(EVENT, data, {document: {...page, data}, ...words}));
    const {rendering, context} = this;
    const typed = ['sandbox', 'events', 'list', ...this.argv];
    if (page.has_more) suggestNextPage({io: context.io, rendering}, typed, /limit/, ['--all']);
  }
}

/** `sandbox events` without a verb. */
export class EventsCommand extends EventsListCommand {
  static override summary = 'List, show and resend sandbox events.';
}
