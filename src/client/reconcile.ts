// Settles a write in doubt by reading: the API has no idempotency key, so what can be read is looked at, never sent again.

import type {Operation, OperationCall} from '../api/operation.js';

/**
 * @param read performs a get
 * @returns the write's result when the API shows that it was applied; undefined when that cannot be told
 */
export async function settle(call: OperationCall, read: (call: OperationCall) => Promise<unknown>): Promise<unknown> {
  const {resource, operation, ids} = call;
  const get: Operation | undefined = resource.operations.get;
  const readable = operation.method === 'DELETE' || operation.method === 'PUT' || operation.reaches !== undefined;
  if (!get || ids.length !== 1 || !readable) return undefined;
  const current = (await read({resource, operation: get, verb: 'get', ids, params: {}}).catch((error: unknown) => {
    if ((error as {kind?: string}).kind === 'not_found' && operation.method === 'DELETE') return {deleted: true};
    throw error;
  })) as Record<string, unknown>;
  if (operation.method === 'DELETE')
    return current.deleted === true ? {id: ids[0], resource: resource.shape.name, deleted: true} : undefined;
  if (operation.reaches) return current.status === operation.reaches ? current : undefined;
  return holds(current, call.params) ? current : undefined;
}

/** True when the object has all that was asked for. */
function holds(current: unknown, wanted: unknown): boolean {
  if (wanted === undefined) return true;
  if (typeof wanted !== 'object' || wanted === null) return current === wanted;
  if (typeof current !== 'object' || current === null) return false;
  // A list is replaced as a whole: one that still has more than was asked for was not changed yet.
  if (Array.isArray(wanted) && wanted.length !== (current as unknown[]).length) return false;
  return Object.entries(wanted).every(([key, value]) => holds((current as Record<string, unknown>)[key], value));
}
