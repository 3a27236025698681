// Two machines can each begin a replacement: all later runs continue the same one.

import {expect, test} from 'vitest';
import {reissues} from '../../support/billing/reissues.js';

test('finalizes the older of two replacement drafts', async () => {
  // The first run creates and completes its draft, and is killed before the void.
  const tale = await reissues(
    [{changes: new Map([[4, 'kill-before']])}],
    {},
    {},
    {
      between: async ({world, old}) => {
        const [draft, ...before] = (await world.statements()) as any;
        if (before.length > 1) return;
        const {id} = await world.call('POST', '/billing_statements', {
          customer_id: draft.customer_id,
          currency: 'PHP',
          metadata: {...draft.metadata, centavo_replaces: old},
        });
        for (const {description, quantity, unit_price} of draft.line_items)
          await world.call('POST', '/billing_statement_line_items', {
            ...{billing_statement_id: id, description, quantity, unit_price},
          });
      },
    },
  );
  expect(tale).toMatchObject({endings: ['killed', 'done'], wrong: [], payable: 1});
  expect((await tale.world.statements()).map(({status}) => status)).toEqual(['draft', 'open', 'void']);
});
