// Reads webhook secrets from the environment or stdin. Never from arguments, which any process can read.

import type {Context} from '../../../context/context.js';
import {APP_SECRET_VARIABLE, WEBHOOK_SECRET_VARIABLE} from '../../../common/environment.js';
import {usageError} from '../../../common/errors.js';
import type {NamedSecret} from '../../../webhooks/signature/diagnosis.js';

/** Returns the secret, not trimmed, and the bytes of stdin after its line. @param listenerSecret used if none is given */
export async function readSecretLine(
  context: Context,
  {'secret-stdin': isOnStdin}: {readonly 'secret-stdin'?: boolean},
  listenerSecret?: string,
): Promise<{readonly secret: NamedSecret; readonly rest?: Buffer}> {
  if (!isOnStdin) {
    const {env} = context;
    const variable = [WEBHOOK_SECRET_VARIABLE, APP_SECRET_VARIABLE].find((name) => env[name] !== undefined);
    if (listenerSecret !== undefined && variable !== WEBHOOK_SECRET_VARIABLE)
      return {secret: {name: 'the secret of its listener', value: listenerSecret}};
    if (variable === undefined)
      throw usageError('missing_secret', `the webhook secret is missing: ${WEBHOOK_SECRET_VARIABLE} is not set.`, {
        hint: `Set it, or pass it with --secret-stdin. For this folder’s listener: export ${WEBHOOK_SECRET_VARIABLE}="$(centavo webhooks secret)"`,
      });
    context.io.addSecret(env[variable], 'webhook secret');
    return {secret: {name: `the secret in ${variable}`, value: env[variable]!}};
  }
  const input = await context.readInputBytes();
  const end = input.indexOf('\n');
  const value = (end < 0 ? input : input.subarray(0, end)).toString('utf8').replace(/\r$/, '');
  context.io.addSecret(value, 'webhook secret');
  if (value === '')
    throw usageError('missing_secret', 'the webhook secret is missing from the first line of stdin.', {
      hint: 'For example: --secret-stdin < secret.txt',
    });
  if (value.startsWith('{'))
    throw usageError('missing_secret', 'the first line of stdin must be the webhook secret, but looks like the body.', {
      hint: `Pass the body with --body FILE, or the secret in ${WEBHOOK_SECRET_VARIABLE}.`,
    });
  return {
    secret: {name: 'the secret from stdin', value},
    rest: end < 0 ? Buffer.alloc(0) : input.subarray(end + 1),
  };
}

/** Reads all of stdin as one secret, without a final line break. */
export async function readSecret(context: Context): Promise<string> {
  const text = (await context.readInput()).replace(/\r?\n$/, '');
  context.io.addSecret(text, 'webhook secret');
  const usable: boolean = (await context.webhooks()).isUsableSecret(text);
  if (usable) return text;
  if (text === '')
    throw usageError('no_secret', 'the webhook secret is missing from stdin.', {
      hint: 'For example: --secret-stdin < secret.txt',
    });
  throw usageError('no_secret', 'the text on stdin cannot be a webhook secret.', {
    why:
      text.trim() === text
        ? 'It is too short, or contains spaces or line breaks.'
        : 'There are spaces or line breaks around it.',
  });
}
