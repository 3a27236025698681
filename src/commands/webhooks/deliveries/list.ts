// `centavo webhooks deliveries list`: what was received, newest first.

import {Flags} from '../../../cli/oclif.js';
import {ACCOUNT_EXITS, BaseCommand} from '../../../cli/base.js';
import {
  ALL_DELIVERY_COLUMNS,
  DELIVERY_COLUMNS,
  deliveryObject,
  deliverySchema,
  deliveryQuery,
} from '../../../cli/webhooks/delivery-filters.js';
import {constant, list, record} from '../../../cli/json-schema.js';
import type {Result} from '../../../output/render.js';
import {renderList, untilStopped} from '../../../output/render-list.js';
import type {Delivery} from '../../../webhooks/receive/delivery.js';

export class DeliveriesListCommand extends BaseCommand {
  static override summary = 'List the deliveries that listening has received, newest first.';
  static override description =
    'Each delivery is shown with its webhook, or with a fingerprint of the secret when only the secret was given (--secret-stdin).\n\n' +
    'A delivery is kept for seven days, and longer if a target has not answered it with 2xx. Old deliveries are removed only when `webhooks listen` starts.';
  static override examples = [
    '<%= config.bin %> webhooks deliveries list',
    "<%= config.bin %> webhooks deliveries list --type 'billing_statement.*' --failed",
    '<%= config.bin %> webhooks deliveries list --since 2026-11-20T00:00:00+08:00 --json',
  ];
  static override flags = {
    limit: Flags.string({summary: 'How many to give.', helpValue: '<number>', default: '20'}),
    before: Flags.string({summary: 'Only those that came before this one.', helpValue: '<dlv_…>'}),
    type: Flags.string({summary: 'Only events of this kind; * stands for any characters.', helpValue: '<pattern>'}),
    failed: Flags.boolean({summary: 'Only those that an app has not taken.'}),
    since: Flags.string({summary: 'Only those received since.', helpValue: '<date>'}),
  };
  static risk = 'reads' as const;
  static exits = ACCOUNT_EXITS;
  static output = () => record({resource: constant('list'), data: list(deliverySchema)});

  async run(): Promise<void> {
    const {flags} = await this.read(DeliveriesListCommand);
    const store = await this.context.deliveries();
    const {limit, ...filters} = deliveryQuery(flags, this.context);
    const narrowed = Object.values(filters).some((value) => value !== undefined);
    const resultOf = (deliveries: readonly Delivery[]): Result => {
      const data = deliveries.map((delivery) => deliveryObject(delivery, store.forwards.attempts(delivery.id)));
      return {
        rows: data,
        document: {resource: 'list', data},
        columns: DELIVERY_COLUMNS,
        all: ALL_DELIVERY_COLUMNS,
        shape: 'many',
        empty: narrowed ? 'Nothing matches.' : 'Nothing was received yet: centavo webhooks listen',
      };
    };
    return renderList(store.pages({limit, ...filters}), resultOf, this.rendering, untilStopped(this.context));
  }
}
