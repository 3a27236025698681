// YAML with the same values as the JSON in every parser: text that looks like another type is quoted.

import type {ScalarTag} from 'yaml';
import {LongNumber} from '../ground/json.js';
import {escapeControls} from './format.js';

/** The library would write a number as JavaScript holds it. */
const LONG_NUMBER: ScalarTag = {
  tag: 'tag:yaml.org,2002:float',
  identify: (value) => value instanceof LongNumber,
  resolve: (text) => text,
  stringify: ({value}) => String(value),
  default: true,
};

/** A YAML document that ends with a line break. Control characters are escaped. */
export async function toYaml(value: unknown): Promise<string> {
  const {Document, Scalar, visit} = await import('yaml');
  const keepLong = (_: unknown, each: unknown) => (each instanceof LongNumber ? new Scalar(each) : each);
  const document = new Document(value, keepLong, {
    // Many programs still read YAML 1.1, which has more words for true and false, and dates and times.
    compat: 'yaml-1.1',
    customTags: (tags) => [LONG_NUMBER, ...tags],
    aliasDuplicateObjects: false,
  });
  visit(document, {
    Scalar: (_, scalar) => {
      // Only text in double quotes has escapes.
      if (typeof scalar.value === 'string' && escapeControls(scalar.value, () => '') !== scalar.value)
        scalar.type = Scalar.QUOTE_DOUBLE;
    },
  });
  return escapeControls(document.toString({lineWidth: 0}), (character) =>
    character === '\n' ? character : escaped(character.codePointAt(0)!),
  );
}

const escaped = (code: number): string =>
  code > 0xffff ? `\\U${code.toString(16).padStart(8, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
