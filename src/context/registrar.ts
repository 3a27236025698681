// Registers the listener's webhooks with the account that a command uses.

import {createHash} from 'node:crypto';
import {CentavoError} from '../common/errors.js';
import {localName} from '../config/resolve.js';
import type {OutputStreams} from '../output/streams.js';
import type {EmbeddedSandbox} from '../sandbox/embedded.js';
import type {WebhookRegistrar} from '../webhooks/listen/registration.js';
import type {Accounts} from './accounts.js';

/** Milliseconds between checks of a webhook. In the sandbox a check needs no request. */
const SANDBOX_INTERVAL = 1000;
const SERVICE_INTERVAL = 30_000;

interface RegistrarOptions extends Pick<Accounts, 'client' | 'connection' | 'key'> {
  readonly io: OutputStreams;
  readonly sandbox: () => Promise<EmbeddedSandbox>;
  readonly events: readonly string[];
}

export async function createRegistrar({events, io, ...account}: RegistrarOptions): Promise<WebhookRegistrar> {
  const connection = await account.connection();
  const {mode, profile, baseUrl} = connection;
  const key = await account.key();
  const sandbox = mode === 'sandbox' ? await account.sandbox() : undefined;
  const {webhooks} = await account.client();
  return {
    account: key ? accountName(profile.value, baseUrl!.value, key) : localName(connection),
    allowsSecret: sandbox !== undefined,
    interval: sandbox ? SANDBOX_INTERVAL : SERVICE_INTERVAL,
    statusOf: async (id) => {
      if (sandbox) return webhookState(sandbox.webhookStatus(id));
      const found = await existing(webhooks.get(id));
      return found ? webhookState(found.status ?? 'enabled') : 'gone';
    },
    queuedEvents: (id) => sandbox?.retryingEvents(id) ?? [],
    enable: async (id) => void (await webhooks.enable(id)),
    register: async (url, description, given) => {
      const fields = {url, description, events: [...events]};
      const made = sandbox && given !== undefined ? sandbox.addWebhook(fields, given) : await webhooks.create(fields);
      const {id, secret_key: secret} = made;
      io.addSecret(secret, 'webhook secret');
      return {id, secret};
    },
    resume: async (id, url) => {
      const found = await existing(webhooks.update(id, {url, events: [...events]}));
      if (found && found.status !== 'enabled') await webhooks.enable(id);
      sandbox?.retryNow(id);
      return found !== undefined;
    },
    disable: async (id) => void (await existing(webhooks.disable(id))),
    update: async (id, url) => void (await webhooks.update(id, {url})),
    remove: async (id) => void (await existing(webhooks.delete(id))),
    find: async (description) => {
      const found: string[] = [];
      for await (const webhook of webhooks.list({limit: 100}))
        if (webhook.description === description) found.push(webhook.id);
      return found;
    },
  };
}

const existing = <T>(answer: Promise<T>): Promise<T | undefined> =>
  answer.catch((error: unknown) => {
    if (error instanceof CentavoError && error.kind === 'not_found') return undefined;
    throw error;
  });

/** An unknown state counts as enabled: events may still be sent. */
const webhookState = (status: string | undefined): 'disabled' | 'enabled' | 'gone' =>
  status === undefined ? 'gone' : status === 'disabled' ? 'disabled' : 'enabled';

/** Identifies an account by its profile, and a hash of address and key. */
function accountName(profile: string, baseUrl: string, key: string): string {
  const hash = createHash('sha256').update(`${baseUrl} ${key}`).digest('hex');
  return `${profile} ${hash.slice(0, 16)}`;
}
