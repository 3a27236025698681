// A client that sends nothing: it records the requests of a run, and answers like a service that accepts everything.
// A dry run is the same run with this client, so that it shows exactly what would be sent.

import type {OperationCall} from '../../api/operation.js';
import type {ApiRequest} from '../../api/wire.js';
import {clientOver, type Client} from '../../client/client.js';

/** Ids of objects that would be created; ids of the service are longer. */
const FUTURE_CUSTOMER = 'cus_new';
const FUTURE_STATEMENT = 'bstm_new';

type Answer = Readonly<Record<string, unknown>>;

/** @param client builds the requests; nothing is sent with it @param existing statements that were read, the newest first */
export function recordingClient(
  client: Client,
  existing: readonly Answer[] = [],
): {readonly client: Client; readonly requests: readonly ApiRequest[]} {
  const requests: ApiRequest[] = [];
  const known = new Map(existing.map((statement) => [statement.id, statement]));
  let created: Answer = {
    id: FUTURE_STATEMENT,
    resource: 'billing_statement',
    status: 'draft',
    line_items: [],
    due_at: null,
    // They are sent back with the due time; only the service knows their values.
    payment_settings: {payment_methods: ['…']},
  };
  /** Changes an existing statement, or else the new one. */
  function changeTo(change: Answer, id?: unknown): Answer {
    const before = known.get(id);
    if (before === undefined) return (created = {...created, ...change});
    const after = {...before, ...change};
    known.set(id, after);
    return after;
  }
  const addItem = (item: Answer): Answer => {
    const id = item.billing_statement_id;
    const items = (known.get(id) ?? created).line_items as Answer[];
    const added = {...item, id: `bstm_li_new${items.length + 1}`};
    changeTo({line_items: [...items, added]}, id);
    return added;
  };

  /** Changes an item of an existing statement, or takes it out. */
  function changeItem(id: unknown, change?: Answer): Answer {
    for (const {id: holder, line_items: items} of known.values()) {
      const found = (items as Answer[]).find((item) => item.id === id);
      if (!found) continue;
      const after = {...found, ...change};
      const left = (items as Answer[]).flatMap((item) => (item !== found ? [item] : change ? [after] : []));
      changeTo({line_items: left}, holder);
      return after;
    }
    return {id};
  }

  function answerTo({resource, verb, ids, params}: OperationCall): unknown {
    switch (`${resource.topic} ${verb}`) {
      case 'customers list':
        return {resource: 'list', has_more: false, data: [{...params, id: FUTURE_CUSTOMER}]};
      case 'customers create':
        return {...params, id: FUTURE_CUSTOMER};
      case 'billing-statements create':
        return changeTo(params);
      case 'billing-statements get':
        return changeTo({id: ids[0]}, ids[0]);
      case 'billing-statements list':
        return {resource: 'list', has_more: false, data: existing};
      case 'billing-statements update':
        return changeTo(params, ids[0]);
      case 'billing-statements finalize':
        return changeTo({status: 'open'}, ids[0]);
      case 'billing-statements void':
        return changeTo({status: 'void'}, ids[0]);
      case 'billing-statements delete':
        return {id: ids[0], deleted: true};
      case 'billing-statement-line-items create':
        return addItem(params);
      case 'billing-statement-line-items update':
        return changeItem(ids[0], params);
      case 'billing-statement-line-items delete':
        return changeItem(ids[0]);
      default:
        return undefined;
    }
  }

  return {
    requests,
    client: clientOver(client, async (call) => {
      requests.push(client.requestOf(call));
      return answerTo(call);
    }),
  };
}
