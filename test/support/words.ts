// Parses the POSIX command lines of the documentation: words, quotes, and operators between commands.

/** `a 'b c' && d` gives `[['a', 'b c'], ['d']]`. */
export function wordsOf(line: string): string[][] {
  const commands: string[][] = [[]];
  // A file on stdin is the shell's, and no word of the command.
  const token = /\s*(?:(&&|\|)|<\s*[\w./-]+|((?:"(?:\\.|[^"\\])*"|'[^']*'|[^\s'"|])+))/gy;
  for (let match = token.exec(line); match; match = token.exec(line)) {
    if (match[1]) commands.push([]);
    else if (match[2]) commands.at(-1)!.push(unquoted(match[2]));
  }
  return commands;
}

const unquoted = (word: string): string =>
  word.replace(/"((?:\\.|[^"\\])*)"|'([^']*)'/g, (_, double: string | undefined, single: string | undefined) =>
    double === undefined ? single! : double.replace(/\\(.)/g, '$1'),
  );
