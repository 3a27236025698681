// Requests as routes: every operation, and nothing else, is found by its method and path.

import {expect, test} from 'vitest';
import {getterOf, operationAt, operations, pathPrefixes, type RegisteredOperation} from '../../src/api/registry.js';

function pathOf({resource, operation}: RegisteredOperation): {path: string; ids: string[]} {
  const ids = pathPrefixes(resource, operation).map((prefix, index) => `${prefix}Made${index}`);
  let count = 0;
  return {path: operation.path.replace(/:[a-z_]+/g, () => ids[count++]!), ids};
}

test.for(operations.map((each) => [each.id, each] as const))('%s', ([, registered]) => {
  const {path, ids} = pathOf(registered);
  const {method} = registered.operation;
  for (const written of [path, `${path}/`, path.replaceAll('/', '//'), path.replaceAll('_', '%5F')])
    expect(operationAt(method, written), written).toEqual({registered, ids});
});

test.for([
  ['POST', '/coupons'],
  ['DELETE', '/customers'],
  ['GET', '/customers/cus_1/payment_methods/pm_1'],
  ['POST', '/payment_intents/pi_1/capture/now'],
  ['POST', '/payment_intents.json'],
  ['POST', '/'],
  ['POST', '/%E0%A4%A'],
] as const)('%s %s is none', ([method, path]) => {
  expect(operationAt(method, path)).toBeUndefined();
});

test('the get operation is found by the prefix of an id', () => {
  expect(getterOf('bstm_')?.id).toBe('billing-statements:get');
  expect(getterOf('bstm_li_')).toBeUndefined();
});
