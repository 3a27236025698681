// Finds places in source text that compare a status of the service with a word, such as `statement.status === 'open'`.

const WORDS =
  '(?:open|paid|void|uncollectible|draft|succeeded|processing|completed|expired|active|canceled|awaiting_\\w+)';
const QUOTED = `['"]${WORDS}['"]`;

const all = (text: string, pattern: string, flags = 'g'): RegExpMatchArray[] => [
  ...text.matchAll(new RegExp(pattern, flags)),
];

/** Names in a file that hold a status: `status`, and what destructuring or an assignment calls it. */
function statusNames(text: string): string[] {
  const renamed = [
    ...all(text, String.raw`(?:const|let|\()\s*\{[^{}]*\bstatus:\s*([A-Za-z]\w*)[^{}]*\}`),
    ...all(text, String.raw`(?:const|let)\s+(\w+)\s*(?::[^=;]*)?=\s*(?:String\()?[\w.?!]*\bstatus\b\)?;`),
  ].map(([, name]) => name!);
  return [...new Set(['status', ...renamed])];
}

/** The text from an opening brace to its closing brace. */
function blockAt(text: string, open: number): string {
  let depth = 0;
  for (let at = open; at < text.length; at++) {
    if (text[at] === '{') depth++;
    else if (text[at] === '}' && --depth === 0) return text.slice(open, at);
  }
  return text.slice(open);
}

/** @param text source without comments @returns each comparison, as a short excerpt */
export function statusComparisons(text: string): string[] {
  // `status`, `old.status`, `String(other?.status)`, `${STATUS_INDEX}`
  const name = String.raw`(?:String\()?(?:[\w$]+[?!]?\.|[\w$]+\[[^\]]*\][?!]?\.)*\b(?:${statusNames(text).join('|')})\b`;
  const found = [
    ...all(text, String.raw`${name}[!?)\]]*\s*[!=]==?\s*${QUOTED}`),
    ...all(text, String.raw`${QUOTED}\s*[!=]==?\s*${name}`),
    ...all(text, String.raw`\[[^\][]*${QUOTED}[^\][]*\](?:\s+as[\w\s[\]]+\))?\.(?:includes|some|indexOf)\(\s*${name}`),
    ...all(text, String.raw`new Set\(\[[^\][]*${QUOTED}[^\][]*\]\)\.has\(\s*${name}`),
    // SQL: a column, or the name of an expression.
    ...all(text, String.raw`(?:\bstatus|\bSTATUS\w*\})\s*(?:<>|IN \()\s*${QUOTED}`),
    ...all(text, String.raw`\bSTATUS\w*\}\s*=\s*${QUOTED}`),
    ...all(text, String.raw`\b(?:WHERE|AND|OR|WHEN)\b[^\n'"]*\bstatus\s*=\s*${QUOTED}`),
  ].map(([match]) => match);
  // Lists and tables of words with a name, looked up by a status.
  for (const [, list] of all(text, String.raw`const (\w+)[^=;]*=\s*(?:new Set\()?\[[^\]]*${QUOTED}[^\]]*\]`))
    found.push(...all(text, String.raw`\b${list}\.(?:includes|has)\(\s*${name}`).map(([match]) => match));
  for (const match of all(text, String.raw`const (\w+)[^=;]*=\s*\{`)) {
    const block = blockAt(text, match.index! + match[0].length - 1);
    if (all(block, String.raw`[{,\s]${WORDS}\s*:`).length > 1)
      found.push(...all(text, String.raw`\b${match[1]}\[\s*${name}`).map(([lookup]) => lookup));
  }
  for (const match of all(text, String.raw`switch\s*\(\s*${name}[^{]*\{`))
    found.push(
      ...all(blockAt(text, match.index! + match[0].length - 1), String.raw`case ${QUOTED}`).map(([each]) => each),
    );
  return found.map((each) => each.replaceAll(/\s+/g, ' '));
}
