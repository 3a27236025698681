// One operation of the contract inside a work: the same checks and the same action as a request, without the request.

import {operations} from '../api/registry.js';
import {actions} from './actions/index.js';
import type {Stored} from './store.js';
import {validate} from './validation.js';
import type {Work} from './work.js';

/**
 * @param id `topic:verb`
 * @throws Problem as the request would be refused
 */
export function act(work: Work, id: string, params: Record<string, unknown> = {}, ...ids: string[]): Stored {
  const {resource, verb, operation} = operations.find((registered) => registered.id === id)!;
  return actions[resource.topic]![verb]!(work, {
    ids,
    params: validate(params, operation.params),
    fields: operation.params,
  }) as Stored;
}
