// Every operation of the contract is implemented, and nothing beyond it.

import {expect, test} from 'vitest';
import {EVENT_TYPES} from '../../src/api/events.js';
import {operations, shapes} from '../../src/api/registry.js';
import {actions} from '../../src/sandbox/requests/router.js';
import {LIFECYCLE} from '../../src/sandbox/lifecycle.js';

test('every operation has an action, and every action an operation', () => {
  const implemented = Object.entries(actions).flatMap(([topic, actionsOf]) =>
    Object.keys(actionsOf()).map((verb) => `${topic}:${verb}`),
  );
  expect(implemented.sort()).toEqual(operations.map(({id}) => id).sort());
  expect(operations).toHaveLength(46);
});

test('the lifecycle table names known resources and events', () => {
  const names = [...shapes.values()].map(({name}) => name);
  for (const [resource, rows] of Object.entries(LIFECYCLE)) {
    expect(names).toContain(resource);
    for (const {event} of Object.values(rows)) if (event) expect(EVENT_TYPES).toContain(event);
  }
});
