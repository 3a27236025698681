// `centavo webhooks deliveries list`: lists received deliveries, newest first.

import {ACCOUNT_EXITS, BaseCommand} from '../../../cli/base.js';
import {resultOfRecords} from '../../../cli/records.js';
import * as schema from '../../../cli/schema.js';
import {wholeId} from '../../../cli/references/local-ids.js';
import {suggestNextPage} from '../../../cli/lists/suggest-next-page.js';
import {Flags} from '../../../cli/oclif.js';
import {renderList, untilStopped} from '../../../output/render-list.js';
import type {CommandResult} from '../../../output/result.js';
import type {Delivery} from '../../../webhooks/receive/delivery.js';
import {DELIVERY, deliveryColumns, deliveryObject, deliveryQuery} from '../shared/deliveries.js';

export class DeliveriesListCommand extends BaseCommand {
  static override summary = 'List received deliveries, newest first.';
  static override description =
    'Lists what `webhooks listen` and `dev` received on this machine; the API lists no deliveries. Each delivery is listed with its webhook. Deliveries received with --secret-stdin have a fingerprint of the secret instead.\n\n' +
    'Deliveries are stored for 7 days, and longer if your app has not answered with 2xx. Older deliveries are removed when `webhooks listen` starts.';
  static override examples = [
    '<%= config.bin %> webhooks deliveries list',
    "<%= config.bin %> webhooks deliveries list --type 'billing_statement.*' --failed",
    '<%= config.bin %> webhooks deliveries list --since 1h --json',
  ];
  static override flags = {
    limit: Flags.string({summary: 'Maximum number to list.', helpValue: '<number>', default: '20'}),
    before: Flags.string({summary: 'Only deliveries received before this delivery.', helpValue: '<dlv_…>'}),
    type: Flags.string({summary: 'Only events of this type. * matches any characters.', helpValue: '<pattern>'}),
    failed: Flags.boolean({summary: 'Only deliveries that your app has not accepted.'}),
    since: Flags.string({summary: 'Only deliveries received since this time.', helpValue: '<date>'}),
  };
  static risk = 'reads' as const;
  static exits = ACCOUNT_EXITS;
  static output = () => schema.page(DELIVERY);

  async run(): Promise<void> {
    const {flags} = await this.read(DeliveriesListCommand);
    const store = await this.context.deliveries();
    const before = flags.before && (await wholeId(this.context, flags.before, [store]));
    const {limit, ...filters} = deliveryQuery({...flags, before}, this.context);
    const {sandbox: _, ...asked} = filters;
    const narrowed = Object.values(asked).some((value) => value !== undefined);
    const hasMore = store.list({...filters, skip: limit, limit: 1}).length > 0;
    const {deliveryOutcomeOf} = await this.context.webhooks();
    let last: Delivery | undefined;
    const resultOf = (deliveries: readonly Delivery[]): CommandResult => {
      last = deliveries.at(-1) ?? last;
      const data = deliveries.map((delivery) =>
        deliveryObject(delivery, deliveryOutcomeOf(store, delivery, this.context)),
      );
      return resultOfRecords(DELIVERY, data, {
        ...deliveryColumns,
        atTerminal: {
          received_at: {rank: 1, timed: true},
          event_type: 2,
          forwarded: 3,
          id: {rank: 3, shortens: true},
          object_id: {rank: 5, shortens: true},
        },
        shown: data.map((each) => (each.held_by === null ? each : {...each, forwarded: 'held'})),
        document: schema.listDocument(data, hasMore),
        empty: narrowed ? 'No deliveries found.' : 'No deliveries yet. To receive events: centavo webhooks listen',
      });
    };
    await renderList(store.pages({limit, ...filters}), resultOf, this.rendering, untilStopped(this.context));
    const {io} = this.context;
    if (last && !io.closed && hasMore)
      suggestNextPage({io}, ['webhooks', 'deliveries', 'list', ...this.argv], /before/, ['--before', last.id]);
  }
}
