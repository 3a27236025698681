// A webhook's secret from stdin: never an argument, which every process on the machine could read.

import type {Context} from '../../context.js';
import {usageError} from '../../errors.js';

/** The first line of stdin. @throws CentavoError kind `usage` when there is none that can sign */
export async function readSecret(context: Context): Promise<string> {
  const [line = ''] = (await context.readInput()).split(/\r?\n/);
  const secret = line.trim();
  const {isUsableSecret} = await context.webhooks();
  if (isUsableSecret(secret)) return secret;
  if (secret)
    throw usageError('what is on stdin cannot be a webhook’s secret.', {
      code: 'no_secret',
      why: 'It is too short, or has spaces in it.',
    });
  throw usageError('there is no secret on stdin.', {
    code: 'no_secret',
    hint: 'For example: --secret-stdin < secret.txt',
  });
}
