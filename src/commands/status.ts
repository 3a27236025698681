// `centavo status`: shows the account in use, the sources of its settings, and whether the API answers.

import {BaseCommand, CALL_EXITS} from '../cli/base.js';
import {accountFlagsOf} from '../cli/next-steps.js';
import {resultOfRecord} from '../cli/records.js';
import * as schema from '../cli/schema.js';
import {BUILT_IN} from '../config/profiles.js';
import {destination, type Connection} from '../config/resolve.js';
import type {CentavoError} from '../common/errors.js';
import {toCentavoError} from '../common/system-errors.js';

const STATUS = schema.record({
  ...schema.fieldsNamed('profile profile_source mode destination', schema.text),
  ...schema.fieldsNamed('project merchant_id merchant_name key key_source', schema.nullable(schema.text)),
  base_url: schema.text,
  read_only: schema.boolean,
  max_amount: schema.nullable(schema.centavos),
  max_statements_per_run: schema.nullable(schema.integer),
  agents: schema.choice('ask', 'allow'),
  /** The agent program that runs this command. */
  agent: schema.nullable(schema.record({variable: schema.text, pid: schema.integer})),
  configuration: schema.text,
  data_directory: schema.text,
  reachable: schema.nullable(schema.boolean),
  problem: schema.nullable(schema.text),
  failures: schema.list(schema.text),
  version: schema.text,
});

/** Explains how to leave the sandbox, which looks like a real account. */
const nextStepText = (profiles: readonly string[]): string => {
  const made = profiles.filter((name) => !BUILT_IN.includes(name));
  return `You are using the sandbox. No money moves. ${
    made.length > 0
      ? `To switch to ${made.join(' or ')}: centavo profiles use <name>`
      : 'To use your own account: centavo login'
  }`;
};

export class StatusCommand extends BaseCommand {
  static override summary = 'Show the account in use, and whether the API can be reached.';
  static override description =
    'If the account cannot be reached, everything else is still shown. Exit codes: 4 if the key is refused, 8 if the API cannot be reached, 13 if the keychain fails. A public key is not checked.';
  static override examples = [
    '<%= config.bin %> status',
    '<%= config.bin %> status --profile shop --live',
    '<%= config.bin %> status --json',
  ];
  static risk = 'reads' as const;
  static exits = CALL_EXITS;
  static output = () => STATUS;

  async run(): Promise<void> {
    await this.read(StatusCommand);
    const {context} = this;
    const connection = await context.connection();
    const {profile, project, mode, isPublic, key, baseUrl, limits} = connection;
    const {profiles} = context.configuration.read();
    const seen = await context.host.findAgent?.();
    // A key from the environment may belong to any account.
    const merchant = key?.stored ? profiles[profile.value]?.merchant : undefined;
    // A public key cannot read any object that always exists, so the API is not tried.
    const error = isPublic ? undefined : await this.failureToReach(mode);
    const aimed = mode === 'sandbox' && !error ? await (await context.sandbox()).aimedFailures() : undefined;
    const status = {
      profile: profile.value,
      profile_source: profile.source,
      mode,
      destination: destination(connection),
      project: project?.value ?? null,
      merchant_id: merchant?.id ?? null,
      merchant_name: merchant?.name ?? null,
      key: key?.masked ?? null,
      key_source: key?.source ?? null,
      base_url: baseUrl?.value ?? 'embedded sandbox',
      read_only: limits.readOnly.value,
      max_amount: limits.maxAmount.value ?? null,
      max_statements_per_run: limits.maxStatementsPerRun.value ?? null,
      agents: limits.agents.value ?? 'ask',
      agent: seen ? {variable: seen.variable, pid: seen.pid} : null,
      configuration: context.configuration.path,
      data_directory: context.dataDirectory(),
      reachable: isPublic ? null : error === undefined,
      problem: isPublic ? 'not checked: a public key can only get a payment intent' : (error?.message ?? null),
      failures: aimed?.describe() ?? [],
      version: context.version,
    };
    await this.print(
      resultOfRecord(STATUS, status, {shown: [{...status, failures: aimed?.summary(accountFlagsOf(context)) ?? null}]}),
    );
    if (error) throw error;
    if (mode === 'sandbox' && context.io.stdoutIsTerminal) context.io.note(nextStepText(Object.keys(profiles)));
  }

  private async failureToReach(mode: Connection['mode']): Promise<CentavoError | undefined> {
    const {context} = this;
    try {
      if (mode === 'sandbox') await context.sandbox();
      else await (await context.client()).customers.list({limit: 1}, {signal: context.signal});
      return undefined;
    } catch (thrown) {
      return toCentavoError(thrown);
    }
  }
}
