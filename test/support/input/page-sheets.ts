// The sheets of docs/sheets.md, as files of CSV.

import {stringify} from 'csv-stringify/sync';

export interface PageSheet {
  readonly name: string;
  /** The file that the command of the screen names. */
  readonly file: string;
  readonly csv: string;
  /** The command and what it prints. */
  readonly screen: string;
}

/** Each part of the page with a table and a screen. */
export function pageSheets(page: string): PageSheet[] {
  return page.split(/^##+ /m).flatMap((part) => {
    const [, screen] = /^```text\n(\$ centavo import .*?)\n```$/ms.exec(part) ?? [];
    if (screen === undefined) return [];
    const rows = [...part.matchAll(/^\| (.*) \|$/gm)].map(([, row]) => row!.split(/ ?\| ?/));
    return {
      name: part.split('\n')[0]!,
      file: / (\S+\.csv)/.exec(screen)![1]!,
      csv: stringify(rows.filter(([first]) => first !== '---')),
      screen,
    };
  });
}
