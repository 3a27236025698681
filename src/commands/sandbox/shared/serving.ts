// Serves the sandbox for a verb, with what an app needs to reach it.

import {tellError} from '../../../cli/line/error-words.js';
import {text} from '../../../cli/schema.js';
import type {Context} from '../../../context.js';
import {usageError} from '../../../ground/errors.js';
import {toCentavoError} from '../../../ground/system-errors.js';
import {isMachine} from '../../../output/render.js';
import type {Rendering} from '../../../output/result.js';
import type {ServedOptions} from '../../../sandbox/embedded.js';

/** Where a server listens unless it is told otherwise. */
export const USUAL_PORT = 4010;

export const servedFields = {url: text, secret_key: text, public_key: text};

/** It limits calls of the API, and a server makes none. */
export function refuseTimeout({flags}: Context, verb: string): void {
  if (flags.timeout !== undefined)
    throw usageError('invalid_flag', `--timeout cannot be used with ${verb}, which runs until Ctrl-C.`);
}

export async function startServing(context: Context, rendering: Rendering, options: ServedOptions) {
  const sandbox = await context.sandbox();
  const told = {json: isMachine(rendering), verbose: context.flags.verbose === true};
  const server = await sandbox.serve({
    onFault: (thrown) => tellError(toCentavoError(thrown), context.io, told),
    ...options,
  });
  const {secret: secret_key, public: public_key} = sandbox.keys;
  return {server, served: {url: server.url, secret_key, public_key}};
}
