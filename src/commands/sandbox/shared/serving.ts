// Starts the sandbox server for a command, and returns its URL and keys.

import {printError} from '../../../cli/dispatch/print-error.js';
import {accountFlagsOf} from '../../../cli/next-steps.js';
import * as schema from '../../../cli/schema.js';
import {DEFAULT_PROJECT} from '../../../config/profiles.js';
import type {Context} from '../../../context/context.js';
import type {Environment} from '../../../common/environment.js';
import {usageError} from '../../../common/errors.js';
import {toCentavoError} from '../../../common/system-errors.js';
import {isMachineFormat} from '../../../output/render.js';
import type {Rendering} from '../../../output/result.js';
import type {ServedOptions} from '../../../sandbox/embedded.js';

export const DEFAULT_SANDBOX_PORT = 4010;

export const servedFields = {url: schema.text, project: schema.text, secret_key: schema.text, public_key: schema.text};

/** Names the project behind an address, unless it is the default one. */
export const shownProject = (project: string): string => (project === DEFAULT_PROJECT ? '' : ` (project ${project})`);

/** Refuses --timeout, which limits API calls: a server makes none. */
export function refuseTimeout({flags}: Context, verb: string): void {
  if (flags.timeout !== undefined)
    throw usageError('invalid_flag', `--timeout cannot be used with ${verb}, which runs until Ctrl-C.`);
}

/** The secret key to serve with, if the environment names one. @throws usage error for one that others could guess */
function keyOf({CENTAVO_SANDBOX_KEY: key}: Environment): string | undefined {
  if (!key) return undefined;
  if (/^sk_test_[A-Za-z0-9]{20,200}$/.test(key)) return key;
  throw usageError('invalid_key', 'CENTAVO_SANDBOX_KEY is not a key that the sandbox can serve with.', {
    why: 'It must be sk_test_, followed by 20 to 200 letters and digits.',
    hint: 'To make one: export CENTAVO_SANDBOX_KEY=sk_test_$(openssl rand -hex 16)',
  });
}

export async function startServing(context: Context, rendering: Rendering, options: ServedOptions) {
  const secretKey = keyOf(context.env);
  const sandbox = await context.sandbox();
  const flags = accountFlagsOf(context);
  const aimed = (await sandbox.aimedFailures())?.summary(flags);
  if (aimed) context.io.note(aimed, {warns: true});
  const errorOptions = {json: isMachineFormat(rendering), verbose: context.flags.verbose === true};
  const server = await sandbox.serve({
    secretKey,
    flags,
    onFault: (thrown) => printError(toCentavoError(thrown), context.io, errorOptions),
    ...options,
  });
  const {fees = 'standard', eventShape = 'data'} = server.settings;
  const command = `For the default: centavo sandbox serve${flags}`;
  if (fees !== 'standard') context.io.note(`Fees: ${fees}. ${command} --fees standard`);
  if (eventShape !== 'data') context.io.note(`Event shape: ${eventShape}. ${command} --event-shape data`);
  const {secret: secret_key, public: public_key} = server.keys;
  return {server, served: {url: server.url, project: context.project(), secret_key, public_key}};
}
