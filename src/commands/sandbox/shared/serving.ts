// Starts the sandbox server for a command, and returns its URL and keys.

import {printError} from '../../../cli/dispatch/print-error.js';
import {textSchema} from '../../../cli/schema.js';
import type {Context} from '../../../context/context.js';
import {usageError} from '../../../common/errors.js';
import {toCentavoError} from '../../../common/system-errors.js';
import {isMachineFormat} from '../../../output/render.js';
import type {Rendering} from '../../../output/result.js';
import type {ServedOptions} from '../../../sandbox/embedded.js';

export const DEFAULT_SANDBOX_PORT = 4010;

export const servedFields = {url: textSchema, secret_key: textSchema, public_key: textSchema};

/** Refuses --timeout, which limits API calls: a server makes none. */
export function refuseTimeout({flags}: Context, verb: string): void {
  if (flags.timeout !== undefined)
    throw usageError('invalid_flag', `--timeout cannot be used with ${verb}, which runs until Ctrl-C.`);
}

export async function startServing(context: Context, rendering: Rendering, options: ServedOptions) {
  const sandbox = await context.sandbox();
  const errorOptions = {json: isMachineFormat(rendering), verbose: context.flags.verbose === true};
  const server = await sandbox.serve({
    onFault: (thrown) => printError(toCentavoError(thrown), context.io, errorOptions),
    ...options,
  });
  const {secret: secret_key, public: public_key} = sandbox.keys;
  return {server, served: {url: server.url, secret_key, public_key}};
}
