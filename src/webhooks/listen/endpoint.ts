// The parts of a listener that outlast a run: path, port, secret and webhook.

import {refusedError} from '../../common/errors.js';
import type {IsProcessAlive, ProcessIdentity} from '../../processes/process-identity.js';
import type {ListenEndpoint, EndpointKey, EndpointStore} from '../store/endpoints.js';
import type {ListenRecord} from './listen-record.js';

export interface EndpointOptions {
  readonly endpoint: EndpointKey & {
    /** True if the user chose the name. A temporary endpoint must then not replace a busy endpoint. */
    readonly isNamed: boolean;
    /** True if the webhook stays registered after the run. */
    readonly keep: boolean;
  };
  readonly envFile?: {readonly real: string; readonly path: string; readonly variable: string};
  readonly owner: ProcessIdentity;
  readonly isAlive: IsProcessAlive;
  readonly token: (length: number) => string;
  readonly report: (record: ListenRecord) => void;
}

export const TOKEN_LENGTH = 32;

export type OpenEndpoint = ReturnType<typeof openEndpoint>;

/** @param save missing for a temporary endpoint */
const handle = (known: ListenEndpoint, keep: boolean, save?: (endpoint: ListenEndpoint) => void) => ({
  keep,
  isSaved: save !== undefined,
  /** The port is 0 before the first run. */
  current: () => known,
  update: (changes: Partial<ListenEndpoint>): void => {
    known = {...known, ...changes};
    save?.(known);
  },
});

/** Claims an endpoint until {@link EndpointStore.release}. A folder's second listener gets a temporary endpoint. */
export function openEndpoint(endpoints: EndpointStore, options: EndpointOptions) {
  const {endpoint: key, envFile, owner, isAlive, token, report} = options;
  const {profile, mode, name, isNamed, keep} = key;
  const unsaved = {port: 0, token: token(TOKEN_LENGTH)};
  const writer = envFile && endpoints.claim(`env ${envFile.variable} ${envFile.real}`, owner, isAlive);
  if (writer !== undefined) {
    const {path, variable} = envFile!;
    throw refusedError('env_file_in_use', `another listener (process ${writer}) writes ${variable} to ${path}.`, {
      why: 'This listener would overwrite that secret.',
      hint: `End it, or use another variable or file: --write-env ${path}:${variable}_2`,
      applied: 'no',
    });
  }
  const holder = endpoints.claim(`endpoint ${profile} ${mode} ${name}`, owner, isAlive);
  if (holder === undefined) return handle(endpoints.find(key) ?? unsaved, keep, (now) => endpoints.save(key, now));
  if (isNamed || keep)
    throw refusedError(
      'already_listening',
      `${isNamed ? `the listener ${name}` : 'a listener of this folder'} is running.`,
      {
        why: `It is process ${holder}.`,
        hint: `End it, or give this listener another name: --name ${isNamed ? `${name}-2` : 'second'}`,
        applied: 'no',
      },
    );
  report({
    type: 'notice',
    message: `another listener of this folder is running (process ${holder}): this listener uses a temporary port, path and secret; use --name to keep them`,
  });
  return handle(unsaved, false);
}
