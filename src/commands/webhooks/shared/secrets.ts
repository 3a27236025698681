// Reads webhook secrets from the environment or stdin. Never from arguments, which any process can read.

import type {Context} from '../../../context/context.js';
import {APP_SECRET_VARIABLE, WEBHOOK_SECRET_VARIABLE} from '../../../common/environment.js';
import {usageError} from '../../../common/errors.js';
import type {NamedSecret} from '../../../webhooks/signature/diagnosis.js';

export interface SecretSources {
  readonly 'secret-stdin'?: boolean;
  readonly 'secret-env'?: readonly string[];
}

export interface Secrets {
  /** In the order tried: stdin, then variables. Not trimmed. */
  readonly secrets: readonly NamedSecret[];
  /** Bytes of stdin after the secret's line; undefined if stdin was not read. */
  readonly rest?: Buffer;
}

/** @param listenerSecret used if no source is given */
export async function readSecrets(context: Context, sources: SecretSources, listenerSecret?: string): Promise<Secrets> {
  const named = sources['secret-env'] ?? [];
  const isGiven = named.length > 0 || sources['secret-stdin'] || context.env[WEBHOOK_SECRET_VARIABLE] !== undefined;
  if (listenerSecret !== undefined && !isGiven)
    return {secrets: [{name: 'the secret of its listener', value: listenerSecret}]};
  const variables = named.length === 0 && !sources['secret-stdin'] ? [variableIn(context)] : named;
  const fromEnvironment = variables.map((name): NamedSecret => {
    const value = context.env[name];
    context.io.addSecret(value, 'webhook secret');
    if (value !== undefined) return {name: `the secret in ${name}`, value};
    throw usageError('missing_secret', `the webhook secret is missing: ${name} is not set.`, {
      hint:
        name === WEBHOOK_SECRET_VARIABLE
          ? `Set it, or pass it with --secret-stdin. For this folder’s listener: export ${name}="$(centavo webhooks secret)"`
          : `Set ${name} to the webhook secret, or pass it in the first line of stdin with --secret-stdin.`,
    });
  });
  if (!sources['secret-stdin']) return {secrets: fromEnvironment};
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
    secrets: [{name: 'the secret from stdin', value}, ...fromEnvironment],
    rest: end < 0 ? Buffer.alloc(0) : input.subarray(end + 1),
  };
}

const variableIn = ({env}: Context): string =>
  env[WEBHOOK_SECRET_VARIABLE] === undefined && env[APP_SECRET_VARIABLE] !== undefined
    ? APP_SECRET_VARIABLE
    : WEBHOOK_SECRET_VARIABLE;

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
