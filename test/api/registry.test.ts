// Invariants of the contract table, so that a mistake in the data fails here and not at a user's terminal.

import {readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {deliveredEventFields, EVENT_TYPES} from '../../src/api/events.js';
import type {Field, Fields} from '../../src/api/fields.js';
import {pathIds, type Operation} from '../../src/api/operation.js';
import {operations, pathPrefixes, resources, shapes} from '../../src/api/registry.js';
import {flagSpecs} from '../../src/cli/operations/flags.js';
import {globalFlags} from '../../src/cli/global-flags.js';
import {LIFECYCLE} from '../../src/sandbox/lifecycle.js';

const SPECIFIED = `
  POST /billing_statements
  GET /billing_statements/:id
  GET /billing_statements
  PUT /billing_statements/:id
  DELETE /billing_statements/:id
  POST /billing_statements/:id/finalize
  POST /billing_statements/:id/void
  POST /billing_statements/:id/mark_uncollectible
  POST /billing_statements/:id/send
  POST /billing_statement_line_items
  PUT /billing_statement_line_items/:id
  DELETE /billing_statement_line_items/:id
  POST /payment_intents
  GET /payment_intents/:id
  POST /payment_intents/:id/cancel
  POST /payment_intents/:id/capture
  POST /checkout_sessions
  GET /checkout_sessions/:id
  POST /checkout_sessions/:id/expire
  POST /customers
  GET /customers/:id
  GET /customers
  PUT /customers/:id
  DELETE /customers/:id
  GET /payments/:id
  PUT /payments/:id
  GET /payouts/:id/transactions
  POST /webhooks
  GET /webhooks
  GET /webhooks/:id
  PUT /webhooks/:id
  DELETE /webhooks/:id
  POST /webhooks/:id/disable
  POST /webhooks/:id/enable`;

/** Operations of public client libraries that the specification lacks. */
const BEYOND = `
  PUT /payment_intents/:id
  POST /payment_intents/:id/attach
  GET /checkout_sessions
  GET /customers/:id/payment_methods
  DELETE /customers/:id/payment_methods/:payment_method_id
  POST /refunds
  PUT /refunds/:id
  POST /customer_sessions
  GET /customer_sessions/:id
  POST /setup_intents
  GET /setup_intents/:id
  POST /setup_intents/:id/cancel`;

const linesOf = (text: string): string[] => text.trim().split(/\s*\n\s*/);
const routeOf = ({method, path}: Operation): string => `${method} ${path}`;

/** All fields, nested ones included, with a name for messages. */
function allFields(fields: Fields, path = ''): [string, Field][] {
  return Object.entries(fields).flatMap(([name, field]): [string, Field][] => [
    [`${path}${name}`, field],
    ...(field.fields ? allFields(field.fields, `${path}${name}.`) : []),
  ]);
}

const everyField: [string, Field][] = [
  ...operations.flatMap(({id, operation}) => allFields(operation.params, `${id} `)),
  ...[...shapes.values()].flatMap((shape) => allFields(shape.fields, `${shape.name} `)),
  ...allFields(deliveredEventFields, 'event '),
];
const lists = operations.filter(({operation}) => operation.returns.kind === 'list');

test('the operations are the 34 of the specification and the 12 beyond it', () => {
  expect(linesOf(SPECIFIED)).toHaveLength(34);
  expect(linesOf(BEYOND)).toHaveLength(12);
  expect(operations.map(({operation}) => routeOf(operation)).sort()).toEqual(
    [...linesOf(SPECIFIED), ...linesOf(BEYOND)].sort(),
  );
});

test('every operation beyond the specification names its source', () => {
  const silent = operations.filter(
    ({operation}) => linesOf(BEYOND).includes(routeOf(operation)) && operation.assumed === undefined,
  );
  expect(silent.map(({id}) => id)).toEqual([]);
});

describe('names', () => {
  const duplicates = (names: readonly string[]) => names.filter((name, index) => names.indexOf(name) !== index);

  test('ids, client methods, routes, topics, wire names and prefixes are each unique', () => {
    expect(duplicates(operations.map(({id}) => id))).toEqual([]);
    expect(duplicates(operations.map(({clientName: method}) => method))).toEqual([]);
    expect(duplicates(operations.map(({operation}) => routeOf(operation)))).toEqual([]);
    expect(duplicates(resources.map(({topic}) => topic))).toEqual([]);
    expect(duplicates([...shapes.values()].map(({name}) => name))).toEqual([]);
    expect(shapes.size).toBe(new Set([...resources.map(({shape}) => shape.name), ...lists.map(nameReturned)]).size);
  });

  const nameReturned = ({operation}: (typeof lists)[number]): string => operation.returns.shape.name;

  test('topics and verbs are kebab-case', () => {
    for (const {id} of operations) expect(id).toMatch(/^[a-z]+(-[a-z]+)*:[a-z]+(-[a-z]+)*$/);
  });

  test('the ids of a path are of known kinds, and a path begins with its topic', () => {
    for (const {id, resource, operation} of operations) {
      expect(pathPrefixes(resource, operation), id).toHaveLength(pathIds(operation.path).length);
      for (const prefix of pathPrefixes(resource, operation)) expect([...shapes.keys()], id).toContain(prefix);
      expect(operation.path.split('/')[1], id).toBe(resource.topic.replaceAll('-', '_'));
    }
  });

  test('id parameters are of kinds in the contract', () => {
    const unknown = operations.flatMap(({id, operation}) =>
      allFields(operation.params)
        .filter(([, field]) => field.kind === 'id' && !shapes.has(field.prefix!))
        .map(([name]) => `${id} ${name}`),
    );
    expect(unknown).toEqual([]);
  });
});

describe('flags', () => {
  const reserved = new Set([...Object.keys(globalFlags), 'all', 'data', 'help', 'version']);

  test.for(operations.map(({id, operation}) => ({id, operation})))(
    '$id: kebab-case, unique and not reserved',
    ({operation}) => {
      const specs = flagSpecs(operation.params);
      const names = specs.flatMap(({flag, field}) => (field.kind === 'centavos' ? [flag, `${flag}-centavos`] : [flag]));
      const list = operation.returns.kind === 'list';
      for (const name of names) {
        expect(name).toMatch(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/);
        expect([...reserved, ...(list ? ['status'] : [])]).not.toContain(name);
      }
      expect(new Set(names).size).toBe(names.length);
    },
  );

  test('every required parameter has a flag, except the currency', () => {
    for (const {id, operation} of operations) {
      const flagged = new Set(flagSpecs(operation.params).map(({path}) => path[0]));
      for (const [name, field] of Object.entries(operation.params))
        if (field.required && field.kind !== 'currency') expect(flagged, `${id} ${name}`).toContain(name);
    }
  });
});

describe('texts', () => {
  test('every description and assumption of a field ends with a full stop', () => {
    for (const [name, {description, assumed}] of everyField) {
      expect(description, name).toMatch(/^\S.*\.$/);
      if (assumed !== undefined) expect(assumed, name).toMatch(/^\S.*\.$/);
    }
  });

  test('every operation has a summary without a full stop; descriptions and assumptions have one', () => {
    for (const {id, operation} of operations) {
      expect(operation.summary, id).toMatch(/^[A-Z][^\n]*[^.\s]$/);
      for (const text of [operation.description, operation.assumed])
        if (text !== undefined) expect(text, id).toMatch(/^[A-Z{][^\n]*\.$/);
    }
  });

  test('every optional field of an operation is used by at least two operations', () => {
    const always = ['method', 'path', 'summary', 'params', 'returns', 'examples'];
    const uses = new Map<string, number>();
    for (const {operation} of operations)
      for (const name of Object.keys(operation)) if (!always.includes(name)) uses.set(name, (uses.get(name) ?? 0) + 1);
    expect([...uses].filter(([, count]) => count < 2)).toEqual([]);
  });

  test('the topics of help are the resources, the sandbox and help itself', () => {
    const {oclif} = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')) as {
      oclif: {topics: Record<string, {description: string}>};
    };
    const described = Object.entries(oclif.topics).map(([topic, {description}]) => [
      topic,
      description.replace(/\.$/, ''),
    ]);
    for (const {topic, summary} of resources) expect(described).toContainEqual([topic, summary]);
    expect(Object.keys(oclif.topics)).toEqual(expect.arrayContaining(['help', 'sandbox']));
    for (const [topic, description] of described) expect(description, topic).not.toBe('');
  });
});

describe('shapes and lists', () => {
  test.for(lists)('$id accepts limit, before and after, with cursors of its own kind', ({operation}) => {
    const {limit, before, after} = operation.params;
    expect(limit).toMatchObject({kind: 'integer', min: 1, max: 100, required: false});
    for (const cursor of [before, after])
      expect(cursor).toMatchObject({kind: 'id', prefix: operation.returns.shape.prefix, required: false});
  });

  test('every column and id field exists', () => {
    for (const {name, prefix, columns, fields} of shapes.values()) {
      for (const column of columns) expect(Object.keys(fields), name).toContain(column);
      expect(columns[0], name).toBe('id');
      expect(fields.id, name).toMatchObject({kind: 'id', prefix});
      expect(new Set(columns).size, name).toBe(columns.length);
    }
  });
});

describe('states', () => {
  /** States that the sandbox never enters or leaves, each for a reason. */
  const OUTSIDE: Readonly<Record<string, readonly string[]>> = {
    // Created in their final state.
    payment: ['paid', 'failed'],
    refund: ['pending', 'succeeded', 'failed'],
    // No source shows how to reach it.
    payout: ['failed'],
  };

  test.for([...shapes.values()].filter(({fields}) => fields.status))(
    '$name: the states of the contract are those of the lifecycle',
    ({name, fields}) => {
      const rows = Object.values(LIFECYCLE[name] ?? {});
      const moved = new Set(rows.flatMap(({from, to}) => [...from, ...(to ? [to] : [])]));
      expect([...moved, ...(OUTSIDE[name] ?? [])].sort()).toEqual([...fields.status!.choices!].sort());
    },
  );

  test('the lifecycle has no other rows', () => {
    const withStatus = [...shapes.values()].filter(({fields}) => fields.status).map(({name}) => name);
    expect(withStatus).toEqual(expect.arrayContaining(Object.keys(LIFECYCLE)));
  });

  test('the target status of an operation belongs to its result, which can be read again', () => {
    for (const {id, resource, operation} of operations) {
      if (operation.reaches === undefined) continue;
      expect(operation.returns.shape.fields.status?.choices, id).toContain(operation.reaches);
      expect(resource.operations, id).toHaveProperty('get');
    }
  });

  test('only operations that cannot be undone are marked as destructive', () => {
    const final = operations.filter(
      ({operation, verb}) => operation.method === 'DELETE' || verb === 'void' || verb === 'mark-uncollectible',
    );
    expect(operations.filter(({operation}) => operation.destroys).map(({id}) => id)).toEqual(final.map(({id}) => id));
  });

  test('every event that the sandbox emits has a known type', () => {
    const folder = join(import.meta.dirname, '../../src/sandbox');
    const sources = readdirSync(folder, {recursive: true, encoding: 'utf8'})
      .filter((name) => name.endsWith('.ts'))
      .map((name) => readFileSync(join(folder, name), 'utf8'));
    const kinds = new Set(resources.map(({shape}) => shape.name));
    const emitted = sources
      .flatMap((source) => [...source.matchAll(/'([a-z_]+)\.[a-z_]+'/g)])
      .filter(([, kind]) => kinds.has(kind as never))
      .map(([literal]) => literal.slice(1, -1));
    expect(emitted.length).toBeGreaterThan(10);
    expect(EVENT_TYPES).toEqual(expect.arrayContaining(emitted));
  });
});
