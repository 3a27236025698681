// Compares the keys and JSON types of two bodies at every depth, but not their values.

type Hash = Record<string, unknown>;

const isHash = (value: unknown): value is Hash => typeof value === 'object' && value !== null && !Array.isArray(value);

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'list';
  return Number.isSafeInteger(value) ? 'integer' : typeof value;
}

/** Paths of missing keys and different types. Compares lists up to the shorter length. */
export function differences(expected: unknown, actual: unknown, path = ''): string[] {
  if (isHash(expected) && isHash(actual)) {
    const at = (key: string): string => (path ? `${path}.${key}` : key);
    return [...new Set([...Object.keys(expected), ...Object.keys(actual)])].flatMap((key) => {
      if (!(key in actual)) return [`less: ${at(key)}`];
      if (!(key in expected)) return [`more: ${at(key)}`];
      return differences(expected[key], actual[key], at(key));
    });
  }
  if (kindOf(expected) !== kindOf(actual)) return [`${kindOf(actual)}, not ${kindOf(expected)}: ${path}`];
  if (!Array.isArray(expected) || !Array.isArray(actual)) return [];
  return expected.flatMap((element, index) =>
    index < actual.length ? differences(element, actual[index], `${path}[${index}]`) : [],
  );
}
