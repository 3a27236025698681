// Bundles the declarations of the library into one flat file: the exports of src/index.ts and their references.
// The compiler would write the contract and the types that derive objects and the client of it. Here they are written out.

import {readFileSync} from 'node:fs';
import {dirname, join, normalize} from 'node:path';

/**
 * @param entry path of the entry's declarations, as the compiler wrote them
 * @param printed texts that replace declarations of the compiler, by name
 * @returns the text of one file that needs no other
 * @throws Error for a declaration of another package, or two with the same name
 */
export function bundleDeclarations(entry, printed = new Map()) {
  const files = new Map();
  const included = new Map();
  /** Names that the entry exports under another name. */
  const renamed = new Map();

  /** The parts of a file: its declarations by name, and its imports by local name. */
  function parse(path) {
    if (files.has(path)) return files.get(path);
    const file = {path, declarations: new Map(), imports: new Map()};
    files.set(path, file);
    for (const statement of statementsOf(readFileSync(path, 'utf8'))) {
      const taken = /^(?:import|export)\s+(?:type\s+)?\{([\s\S]*?)\}\s+from\s+'([^']+)';/.exec(statement.code);
      if (taken) {
        const isOurs = taken[2].startsWith('.');
        const from = isOurs ? normalize(join(dirname(path), taken[2])).replace(/\.js$/, '.d.ts') : taken[2];
        for (const each of taken[1].split(',').filter((name) => name.trim())) {
          const [name, local = name] = each
            .trim()
            .replace(/^type\s+/, '')
            .split(/\s+as\s+/);
          file.imports.set(local, {from, name, isOurs});
        }
        continue;
      }
      if (statement.code.startsWith('export {};')) continue;
      const name = /^(?:export )?(?:declare )?(?:abstract )?(?:class|const|function|interface|type) (\w+)/.exec(
        statement.code,
      )?.[1];
      if (name === undefined) throw new Error(`${path}: ${statement.code.slice(0, 80)}`);
      const before = file.declarations.get(name);
      file.declarations.set(name, before ? `${before}\n${statement.text}` : statement.text);
    }
    return file;
  }

  function include(path, name) {
    const file = parse(path);
    const elsewhere = file.imports.get(name);
    if (elsewhere) {
      if (!elsewhere.isOurs) throw new Error(`${path} needs ${elsewhere.from}, which users may not have.`);
      if (elsewhere.name !== name && path !== entry) throw new Error(`${path} calls ${elsewhere.name} ${name}.`);
      if (elsewhere.name !== name) renamed.set(elsewhere.name, name);
      return include(elsewhere.from, elsewhere.name);
    }
    const declaration = file.declarations.has(name) ? (printed.get(name) ?? file.declarations.get(name)) : undefined;
    if (declaration === undefined || included.get(name)?.path === path) return;
    if (included.has(name)) throw new Error(`${name} is declared in ${path} and in ${included.get(name).path}.`);
    // A class with private fields is made by the library alone.
    const members = declaration.includes('#private;')
      ? declaration.replaceAll(/^ {4}(?:constructor\(|\/\*\* @internal \*\/\n)[^]*?;\n/gm, '')
      : declaration;
    // The compiler writes some references as `import("./other.js").Name`.
    const text = members.replace(/import\("([^"]+)"\)\.(\w+)/g, (_, from, other) => {
      if (!from.startsWith('.')) throw new Error(`${path} needs ${from}, which users may not have.`);
      file.imports.set(other, {
        from: normalize(join(dirname(path), from)).replace(/\.js$/, '.d.ts'),
        name: other,
        isOurs: true,
      });
      return other;
    });
    included.set(name, {path, text: text.replaceAll(/^export /gm, '')});
    // A type is referred to by its name, which has a capital; a value only by `typeof`.
    const code = text.replaceAll(/\/\*\*[\s\S]*?\*\//g, '');
    const words = code.match(/(?<=\btypeof )\w+|\b[A-Z]\w*/g);
    for (const word of new Set(words)) if (word !== name) include(path, word);
  }

  const exported = [...parse(entry).imports.keys()];
  for (const name of exported) include(entry, name);
  for (const name of renamed.values()) if (included.has(name)) throw new Error(`${name} has two meanings.`);
  const text = [...included.values()].map((each) => each.text).join('\n');
  const named = text.replaceAll(/\w+/g, (word) => renamed.get(word) ?? word);
  // `Symbol.asyncDispose` is in newer libraries alone. The same declaration of several files is one.
  const symbol =
    'declare global {\n  interface SymbolConstructor {\n    readonly asyncDispose: unique symbol;\n  }\n}\n';
  const short = named.replaceAll(/\{\n +([^\n{}]+;)\n +\}/g, '{ $1 }');
  const halved = short.replaceAll(/^(?: {4})+/gm, (spaces) => ' '.repeat(spaces.length / 2));
  return `${text.includes('Symbol.asyncDispose') ? symbol : ''}${halved}\nexport {\n${exported.map((name) => `  ${name},\n`).join('')}};\n`;
}

/** The statements of a file, each with its comment. The compiler begins top-level statements in the first column. */
function statementsOf(text) {
  const statements = [];
  let lines = [];
  const codeOf = (all) => all.join('\n').replace(/^(?:\/\*\*[\s\S]*?\*\/\s*|\/\/.*\n\s*)+/, '');
  for (const line of text.split('\n')) {
    const code = codeOf(lines);
    const begins = /^(?:export|import|declare|interface|type|class|\/\*\*|\/\/)/.test(line);
    if (begins && code.trim() !== '') {
      statements.push({text: lines.join('\n'), code});
      lines = [];
    }
    lines.push(line);
  }
  const code = codeOf(lines).trim();
  if (code !== '') statements.push({text: lines.join('\n').trimEnd(), code});
  return statements;
}

const union = (choices) => choices.map((choice) => `'${choice}'`).join(' | ');
const capitalized = (text) => text.charAt(0).toUpperCase() + text.slice(1);
const typeNameOf = (name) => name.split('_').map(capitalized).join('');
const comment = (text, indent) => `${indent}/** ${text} */\n`;

/** Types of the values of a field, by its kind. @param open makes values that centavo does not know possible */
function typeOf(field, indent, open) {
  switch (field.kind) {
    case 'boolean':
      return 'boolean';
    case 'centavos':
    case 'integer':
    case 'timestamp':
      return 'number';
    case 'email':
    case 'secret':
    case 'text':
    case 'url':
      return 'string';
    case 'choice':
    case 'currency':
      return open(union(field.choices));
    case 'hash':
      return paramsType(field.fields, indent);
    case 'id':
      return `Id<'${field.prefix}'>`;
    case 'items':
      return `readonly (${paramsType(field.fields, indent)})[]`;
    case 'list': {
      if (!field.choices && !field.events) return 'readonly string[]';
      if (field.areNumbers) return `readonly (${field.choices.join(' | ')})[]`;
      const isMethod = field.choices?.includes('bdo_installment');
      const item = open(field.events ? 'EventType' : isMethod ? 'PaymentMethodType' : union(field.choices));
      return item.includes("' | '") && !item.startsWith('Open<') ? `readonly (${item})[]` : `readonly ${item}[]`;
    }
    case 'metadata':
      return 'Readonly<Record<string, string>>';
    case 'related':
      return 'unknown';
    default:
      throw new Error(`a field of kind ${field.kind} has no type.`);
  }
}

const closed = (type) => type;
const hasUnit = ({kind}) => kind === 'centavos' || kind === 'timestamp';

function paramsType(fields, indent) {
  const inner = `${indent}  `;
  const lines = Object.entries(fields).map(([name, field]) => {
    const note = hasUnit(field) ? comment(field.description, inner) : '';
    const type = typeOf(field, inner, closed);
    return `${note}${inner}readonly ${name}${field.required ? `: ${type}` : `?: ${type} | null`};\n`;
  });
  return `{\n${lines.join('')}${indent}}`;
}

/** The interface of an object. @param known types of fields that the contract describes in words, by field */
function objectInterface({name, fields}, known) {
  const lines = Object.entries(fields).map(([key, field]) => {
    const type = key === 'resource' ? `'${name}'` : typeOf(field, '  ', (choices) => `Open<${choices}>`);
    const own = known.get(key) ?? `readonly ${key}: ${type}${field.nullable ? ' | null' : ''};`;
    return `${hasUnit(field) ? comment(field.description, '  ') : ''}  ${own}\n`;
  });
  const others = [...known].flatMap(([key, text]) => (Object.hasOwn(fields, key) ? [] : [`  ${text}\n`]));
  return `interface ${typeNameOf(name)} {\n${[...lines, ...others].join('')}}`;
}

/** The members of `Known` in src/api/types.ts, as the compiler wrote them, by resource and field. */
function knownFields(declarations) {
  const [, body] = /^interface Known \{\n([^]*?)^\}/m.exec(declarations);
  return new Map(
    [...body.matchAll(/^ {4}(\w+): \{\n([^]*?)^ {4}\};/gm)].map(([, name, members]) => [
      name,
      new Map(
        [...members.matchAll(/^ {8}(readonly (\w+)[^]*?;)\n(?! {9})(?! {8}\})/gm)].map(([, text, field]) => [
          field,
          text.replaceAll(/^ {4}/gm, ''),
        ]),
      ),
    ]),
  );
}

function methodText(verb, {operation, prefixes, camelCase}) {
  const letters = ['A', 'B'];
  const ids = prefixes.map((prefix, at) => `${at === 0 ? 'id' : 'second'}: IdText<'${prefix}', ${letters[at]}>`);
  const generics = prefixes.map((_, at) => `const ${letters[at]} extends string`).join(', ');
  const {params, returns} = operation;
  const needed = Object.values(params).some(({required}) => required);
  const given = Object.keys(params).length > 0 ? [`params${needed ? '' : '?'}: ${paramsType(params, '    ')}`] : [];
  const object = typeNameOf(returns.shape.name);
  const result = {
    deleted: 'Promise<Deleted>',
    list: `Pages<${object}>`,
    nothing: 'Promise<undefined>',
    one: `Promise<${object}>`,
  }[returns.kind];
  const list = [...ids, ...given, 'options?: CallOptions'].join(', ');
  return `${comment(`${operation.summary}.`, '    ')}    ${camelCase(verb)}${generics && `<${generics}>`}(${list}): ${result};\n`;
}

/**
 * The declarations that the contract gives: the objects, the client, and the names of operations.
 * @param contract the exports of the built modules of src/api: resources, shapes, camelCase, pathPrefixes …
 * @param declarations of src/api/types.ts and of the client, as the compiler wrote them
 * @returns texts by name, for {@link bundleDeclarations}
 */
export function contractDeclarations({resources, shapes, camelCase, pathPrefixes, PAYMENT_METHODS}, {types, client}) {
  const known = knownFields(types);
  const objects = [...shapes.values()].map((shape) => [
    typeNameOf(shape.name),
    objectInterface(shape, known.get(shape.name) ?? new Map()),
  ]);
  const methods = resources.map((resource) => {
    const texts = Object.entries(resource.operations).map(([verb, operation]) =>
      methodText(verb, {operation, prefixes: pathPrefixes(resource, operation), camelCase}),
    );
    return `  readonly ${camelCase(resource.topic)}: {\n${texts.join('')}  };\n`;
  });
  const names = resources.flatMap(({topic, operations}) =>
    Object.keys(operations).map((verb) => `\n  | '${camelCase(topic)}.${camelCase(verb)}'`),
  );
  const [, about, rest] = /(\/\*\* [^\n]+ \*\/\n)export interface TypedClient extends \w+ \{\n([^]*?^\})/m.exec(client);
  return new Map([
    ...objects,
    ['TypedClient', `${about}interface TypedClient {\n${methods.join('')}${rest}`],
    ['OperationName', `/** The client's method for each operation. */\ntype OperationName =${names.join('')};`],
    [
      'PaymentMethodType',
      `/** Payment methods that requests accept. */\ntype PaymentMethodType = ${union(PAYMENT_METHODS)};`,
    ],
    ['resources', '/** The contract of the API as data. */\ndeclare const resources: readonly Resource[];'],
  ]);
}
