// Replaces ids in an error with statement numbers, or with the user's own text for an object.

import type {Context} from '../../context/context.js';
import type {CentavoError} from '../../common/errors.js';
import {isStatementNumber} from '../../input/names.js';
import {shellQuote} from '../../common/next-text.js';

/** An id that is not part of a path, an address or another id. */
const ID_IN_TEXT = /(?<![\w/])(?:bstm|cus)_[A-Za-z0-9]+(?![\w/])/g;

/** Names in the hint are quoted for a shell, because the hint may be a command. @param names names by id */
export function replaceIdsByNames(error: CentavoError, names: ReadonlyMap<string, string>): CentavoError {
  if (names.size === 0) return error;
  const nameOf = (id: string): string => {
    const name = names.get(id);
    return name === undefined || (id.startsWith('bstm_') && !isStatementNumber(name)) ? id : name;
  };
  const name = (text: string): string => text.replace(ID_IN_TEXT, nameOf);
  const {why, changed, hint, next, apiErrors} = error.details;
  const named = error.with({
    ...(why !== undefined && {why: name(why)}),
    ...(changed !== undefined && {changed: name(changed)}),
    ...(apiErrors && {apiErrors: apiErrors.map((each) => ({...each, detail: name(each.detail)}))}),
    ...(next && {next: next.map(({words, args}) => ({words: name(words), args: args.map(name)}))}),
    ...(hint !== undefined && {hint: hint.replace(ID_IN_TEXT, (id) => shellQuote(nameOf(id)))}),
  });
  return Object.assign(named, {message: name(error.message)});
}

/** Caches the numbers of statements, for suggested commands and completion. */
export async function rememberNames(context: Context): Promise<void> {
  const numbers = [...context.numbers].filter(([number]) => isStatementNumber(number));
  if (numbers.length === 0) return;
  const {rememberNumbers} = await import('../references/resolve-reference.js');
  await rememberNumbers(context, new Map(numbers));
}
