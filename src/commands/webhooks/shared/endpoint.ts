// Finds the endpoint of a listener, by --name or by folder.

import {realpathSync} from 'node:fs';
import {isAbsolute} from 'node:path';
import {localName} from '../../../config/resolve.js';
import type {Context} from '../../../context/context.js';
import {InvalidInput, valueOrThrow} from '../../../input/invalid-input.js';
import {quote} from '../../../input/money.js';
import {shellQuote} from '../../../common/next-text.js';
import type {EndpointKey} from '../../../webhooks/store/endpoints.js';

/** Returns the --forward-to flag for a target. An unknown target is the one of all examples, so that it can be pasted. */
export const forwardFlag = (target = '3000/webhooks'): string =>
  `--forward-to ${shellQuote(target.replace(/^http:\/\/localhost:/, ''))}`;

/** Returns the command that starts a listener. An unnamed listener must start in its folder. */
export function listenCommand(listener: string, target: string | undefined): string {
  const words = `centavo webhooks listen ${forwardFlag(target)}`;
  if (!isAbsolute(listener)) return `${words} --name ${listener}`;
  return listener === folderName() ? words : `cd ${shellQuote(listener)} && ${words}`;
}

export const folderName = (): string => realpathSync('.');

/** Returns the app's address in the last run of a listener of this account, by default of this folder's. */
export async function targetReader(context: Context): Promise<(listener?: string | null) => string | undefined> {
  const {endpoints} = await context.deliveries();
  const {profile, mode, name} = await endpointOf(context, undefined);
  return (listener) => endpoints.find({profile, mode, name: listener ?? name})?.target;
}

export async function endpointOf(
  context: Context,
  name: string | undefined,
): Promise<EndpointKey & {isNamed: boolean}> {
  const connection = await context.connection();
  const {mode} = connection;
  const given = name === undefined ? undefined : valueOrThrow(readName(name), '--name');
  return {profile: localName(connection), mode, name: given ?? folderName(), isNamed: given !== undefined};
}

/** Reads the name of a listener, which is never the path of a folder. */
const readName = (text: string): InvalidInput | string =>
  /^[\p{L}\p{N}][\p{L}\p{N}._-]{0,63}$/u.test(text)
    ? text
    : new InvalidInput(`${quote(text)} cannot be the name of a listener.`, {
        code: 'invalid_name',
        hint: 'Use up to 64 letters, digits, dots, hyphens and underscores. For example: --name shop',
      });
