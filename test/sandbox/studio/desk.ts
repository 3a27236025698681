// Opens studio pages of a served sandbox, with or without the secret, and presses their buttons.

import {mkdtempSync, rmSync} from 'node:fs';
import type {OutgoingHttpHeaders} from 'node:http';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {onTestFinished} from 'vitest';
import {serveSandbox, type ServeOptions} from '../../../src/sandbox/serve/sandbox-server.js';
import {world} from '../../support/sandbox/world.js';
import {ask, type Seen} from '../pages/visitor.js';
import {controlOf} from '../../../src/sandbox/control/control.js';

export const FORM = {'content-type': 'application/x-www-form-urlencoded'};

export function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'centavo-studio-'));
  onTestFinished(() => rmSync(folder, {recursive: true, force: true}));
  return join(folder, 'sandbox.db');
}

/** @param path the sandbox's file; in memory by default */
export async function desk(options: Partial<ServeOptions> & {readonly path?: string} = {}) {
  const w = world({path: options.path});
  const server = await serveSandbox(controlOf(w.sandbox), {port: 0, ...options});
  onTestFinished(async () => {
    await server.close();
    w.sandbox.close();
  });
  const {port, url} = server;
  /** `/studio/~…/` */
  const home = server.studioUrl.slice(url.length);
  const see = (page = '', headers?: OutgoingHttpHeaders): Promise<Seen> => ask(port, home + page, 'GET', headers);
  const send = (path: string, form: Record<string, string>, headers: OutgoingHttpHeaders = {}): Promise<Seen> =>
    ask(port, path, 'POST', {...FORM, origin: url, ...headers}, new URLSearchParams(form).toString());
  return {
    ...w,
    server,
    home,
    see,
    look: (page = '', headers?: OutgoingHttpHeaders): Promise<Seen> =>
      ask(port, page === '' ? '/' : `/studio/${page}`, 'GET', headers),
    send,
    /** Presses a button by its label and a form value, and opens the resulting page. */
    press: async (page: string, label: string, chosen: Record<string, string> = {}): Promise<Seen & {at: string}> => {
      const {html} = await see(page);
      const form = [...html.matchAll(/<form method="post" action="([^"]*)">([\s\S]*?)<\/form>/g)].find(([, , inner]) =>
        inner!.includes(`>${label}</button>`),
      );
      if (!form) throw new Error(`There is no button ${label} at ${page}`);
      const fields = [...form[2]!.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)];
      const given = Object.fromEntries(fields.map(([, name, value]) => [name!, value!.replaceAll('&amp;', '&')]));
      const answer = await send(form[1]!, {...given, ...chosen});
      if (answer.status !== 303) throw new Error(`${answer.status}: ${answer.words}`);
      const at = answer.headers.location!;
      return {...(await ask(port, at)), at};
    },
  };
}

export const messageOf = ({html}: Seen): string | undefined =>
  /<p class="message[^"]*" role="status"[^>]*>([\s\S]*?)<\/p>/.exec(html)?.[1]!.replace(/<[^>]*>/g, '');
