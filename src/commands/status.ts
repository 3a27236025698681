// `centavo status`: which account commands speak to, where that was said, and whether it answers.

import {destination} from '../config/resolve.js';
import {toCentavoError} from '../errors.js';
import {BaseCommand} from './base.js';

export class StatusCommand extends BaseCommand {
  static override summary = 'Show which account is used, where its key came from, and whether it answers.';
  static override examples = [
    '<%= config.bin %> status',
    '<%= config.bin %> status --json',
    '<%= config.bin %> status --profile sandbox',
  ];

  async run(): Promise<unknown> {
    await this.read(StatusCommand);
    const {context} = this;
    const connection = await context.connection();
    const {profile, mode, key, baseUrl, encoding} = connection;
    const reachable = await this.reach(connection.isPublic);
    const status = {
      profile: profile.value,
      profile_source: profile.source,
      mode,
      destination: destination(connection),
      key: key ? `${key.value.slice(0, 8)}…${key.value.slice(-4)}` : null,
      key_source: key?.source ?? null,
      base_url: baseUrl?.value ?? 'embedded sandbox',
      base_url_source: baseUrl?.source ?? null,
      encoding: encoding?.value ?? null,
      data_directory: context.dataDirectory(),
      reachable: reachable.answer,
      problem: reachable.problem,
      version: context.version,
    };
    const columns = Object.keys(status).map((path) => ({
      path,
      header: path.replaceAll('_', ' '),
      kind: 'text' as const,
    }));
    await this.print({rows: [status], document: status, columns, all: columns, shape: 'one'});
    if (reachable.error) throw reachable.error;
    return status;
  }

  /** A public key may read nothing that always exists, so with one nothing is asked. */
  private async reach(isPublic: boolean): Promise<{answer: boolean | null; problem: string | null; error?: Error}> {
    if (isPublic) return {answer: null, problem: 'not asked: a public key can only get a payment intent'};
    try {
      const client = await this.context.client();
      await client.customers.list({limit: 1}, {signal: this.context.signal});
      return {answer: true, problem: null};
    } catch (thrown) {
      const error = toCentavoError(thrown);
      return {answer: false, problem: error.message, error};
    }
  }
}
