// `centavo config`: the settings of a profile, each with its source.

import {Args, Flags} from '@oclif/core';
import {BaseCommand, type GlobalFlags} from '../cli/base.js';
import {recordColumns, resultOfRecord, resultOfRecords} from '../cli/columns.js';
import {nearest} from '../cli/parse-errors.js';
import {ENVIRONMENT_PROFILE, type Profile, SANDBOX_PROFILE, type Setting, withProfile} from '../config/profiles.js';
import {resolveEndpoint, resolveProfile, resolveSetting} from '../config/resolve.js';
import {SETTING_NAMES, type SettingName, SETTINGS, type SettingValue} from '../config/settings.js';
import type {Context} from '../context.js';
import {usageError} from '../errors.js';
import {quote} from '../input/money.js';
import {shellQuote} from '../input/shell-words.js';
import {type Column, isMachine} from '../output/render.js';
import {formatPesos} from '../pesos.js';

/** The active profile is also listed as a setting. */
const PROFILE_SETTING = 'profile';
type AnySetting = SettingName | typeof PROFILE_SETTING;

const ALL_SETTINGS: readonly AnySetting[] = [PROFILE_SETTING, ...SETTING_NAMES];

/** @throws CentavoError kind `usage` */
function settingNamed(text: string | undefined): AnySetting {
  const name = text?.replaceAll('-', '_');
  if (name !== undefined && (ALL_SETTINGS as readonly string[]).includes(name)) return name as AnySetting;
  const guess = name === undefined ? undefined : nearest(name.toLowerCase(), ALL_SETTINGS);
  throw usageError(text === undefined ? 'the name of a setting is missing.' : `there is no setting ${quote(text)}.`, {
    code: text === undefined ? 'missing_argument' : 'unknown_setting',
    hint: `${guess === undefined ? '' : `Did you mean ${guess}? `}Settings: ${ALL_SETTINGS.join(', ')}`,
  });
}

/** One setting as it holds, and who said so. */
interface SettingRow {
  readonly name: AnySetting;
  readonly value: SettingValue | null;
  readonly source: string;
  readonly [other: string]: unknown;
}

/** @throws CentavoError kind `config` */
async function settingRow(context: Context, name: AnySetting): Promise<SettingRow> {
  const surroundings = await context.surroundings();
  const profile = resolveProfile(surroundings);
  const row = ({value, source}: Setting<SettingValue | undefined>): SettingRow => ({
    name,
    value: value ?? null,
    source,
  });
  if (name === PROFILE_SETTING) return row(profile);
  if (!SETTINGS[name].needsAccount) return row(resolveSetting(name, profile, surroundings));
  if (profile.value === SANDBOX_PROFILE) return row({value: undefined, source: 'the sandbox is embedded'});
  const {baseUrl, encoding} = resolveEndpoint(profile, surroundings);
  return row(name === 'base_url' ? baseUrl : encoding);
}

/** The value as a person reads it. */
const shownValue = ({name, value}: Pick<SettingRow, 'name' | 'value'>): string =>
  value === null
    ? ''
    : name === 'max_amount'
      ? formatPesos(Number(value))
      : name === 'timeout'
        ? `${String(value)}s`
        : String(value);

const NAME = Args.string({description: 'A setting; config list names them.'});
const SHOW_ORIGIN = {'show-origin': Flags.boolean({summary: 'Show who said so.'})};

const settingColumns = (origin: boolean): Column[] => recordColumns(['name', 'value', ...(origin ? ['source'] : [])]);

export class ConfigListCommand extends BaseCommand {
  static override summary = 'List every setting as it holds now.';
  static override description =
    'Flags override environment variables, which override the profile, which overrides the defaults. With --profile, the key, base_url and encoding of that profile override the variables. Limits come only from the profile.';
  static override examples = [
    '<%= config.bin %> config list --show-origin',
    '<%= config.bin %> config list --profile shop --json',
  ];
  static override flags = SHOW_ORIGIN;

  async run(): Promise<unknown> {
    const {flags} = await this.read(ConfigListCommand);
    const {context} = this;
    const data = await Promise.all(ALL_SETTINGS.map((name) => settingRow(context, name)));
    const machine = isMachine(this.rendering);
    const columns = settingColumns(machine || flags['show-origin']);
    const rows = machine ? data : data.map((row) => ({...row, value: shownValue(row)}));
    const document = {resource: 'list', has_more: false, data};
    await this.print(resultOfRecords(rows, columns, {document, all: settingColumns(true)}));
    if (flags['show-origin']) context.io.note(context.io.paint('dim', context.configuration.path, 'stderr'));
    return data;
  }
}

export class ConfigGetCommand extends BaseCommand {
  static override summary = 'Show one setting as it holds now.';
  static override examples = [
    '<%= config.bin %> config get base_url',
    '<%= config.bin %> config get max_amount --profile shop --show-origin',
  ];
  static override usage = 'config get <name> [flags]';
  static override args = {name: NAME};
  static override flags = SHOW_ORIGIN;

  async run(): Promise<unknown> {
    const {args, flags} = await this.read(ConfigGetCommand);
    const row = await settingRow(this.context, settingNamed(args.name));
    const {format, fields} = this.rendering;
    if (format !== undefined || fields || isMachine(this.rendering)) {
      const columns = settingColumns(true);
      // As config list has it.
      const rows = [isMachine(this.rendering) ? row : {...row, value: shownValue(row)}];
      await this.print({rows, document: row, columns, all: columns, shape: 'one'});
    } else await this.context.io.out(`${shownValue(row)}${flags['show-origin'] ? `\t${row.source}` : ''}\n`);
    return row;
  }
}

abstract class ChangeCommand extends BaseCommand {
  /** @param value undefined takes the setting away */
  protected async change(setting: AnySetting, value: string | undefined, flags: GlobalFlags): Promise<unknown> {
    const {context} = this;
    const name = ofProfile(setting, value);
    const {value: profile} = resolveProfile(await context.surroundings());
    if (profile === SANDBOX_PROFILE && SETTINGS[name].needsAccount) {
      throw usageError(`the sandbox is embedded and has no ${name}.`, {
        code: 'invalid_setting',
        hint: 'Name a profile: --profile <name>',
      });
    }
    const parsed = value === undefined ? undefined : SETTINGS[name].parse(value, name);
    // An address that no key may be sent to is refused.
    if (name === 'base_url' && parsed !== undefined)
      await context.clientOf({key: '', baseUrl: await urlOf(context, parsed), encoding: 'json'});
    const record = {profile, name, value: parsed ?? null};
    if (flags['dry-run']) {
      const shown = shownValue(record) || 'unset';
      return void context.io.note(`Nothing was changed: ${name} of ${profile} would be ${shown}.`);
    }
    const after = await context.configuration.update((configuration) =>
      withProfile(configuration, profile, (own) => {
        const {[name]: _, ...others} = own.settings;
        return {...own, settings: {...others, ...(parsed !== undefined && {[name]: parsed})}};
      }),
    );
    await this.printDone(resultOfRecord(this.rendering.format ? record : {...record, value: shownValue(record)}));
    const {variable} = SETTINGS[name];
    if (variable && context.env[variable]) context.io.note(`${variable} is set, and comes before it.`);
    if (name === 'base_url') await this.tellOfKeys(profile, after.profiles[profile]!, parsed);
    return record;
  }

  /** Keys stay with the address where they were checked. Without this note, every command would fail from now on without a visible reason. */
  private async tellOfKeys(profile: string, {keys}: Profile, address: SettingValue | undefined): Promise<void> {
    const {context} = this;
    const {origin} = new URL(await urlOf(context, address ?? SETTINGS.base_url.default!));
    const other = Object.values(keys).find((key) => key.origin !== origin);
    if (!other) return;
    context.io.note(
      `Keys that were stored for ${other.origin} are sent nowhere else. To store one for ${origin}: centavo login --profile ${profile}`,
    );
  }
}

export class ConfigSetCommand extends ChangeCommand {
  static override summary = 'Set something for a profile.';
  static override description = `${Object.entries(SETTINGS)
    .map(([name, {summary}]) => `${name}: ${summary}`)
    .join(
      '\n',
    )}\n\nOf the active profile, or the one that --profile names; sandbox and ${ENVIRONMENT_PROFILE} may have limits as well.`;
  static override examples = [
    '<%= config.bin %> config set max_amount 50,000 --profile shop',
    '<%= config.bin %> config set max_statements_per_run 20',
    '<%= config.bin %> config set read_only true',
  ];
  static override usage = 'config set <name> <value> [flags]';
  static override args = {name: NAME, value: Args.string({description: 'What it is to be; amounts are in pesos.'})};

  async run(): Promise<unknown> {
    const {args, flags} = await this.read(ConfigSetCommand);
    const name = settingNamed(args.name);
    if (args.value === undefined)
      throw usageError(`the value of ${name} is missing.`, {
        code: 'missing_argument',
        hint: `To take it away: centavo config unset ${name}`,
      });
    return this.change(name, args.value, flags);
  }
}

export class ConfigUnsetCommand extends ChangeCommand {
  static override summary = 'Take a setting of a profile away, so that the default holds.';
  static override examples = ['<%= config.bin %> config unset max_amount --profile shop'];
  static override usage = 'config unset <name> [flags]';
  static override args = {name: NAME};

  async run(): Promise<unknown> {
    const {args, flags} = await this.read(ConfigUnsetCommand);
    return this.change(settingNamed(args.name), undefined, flags);
  }
}

/** @throws CentavoError kind `usage` for the one setting that has a command of its own */
function ofProfile(name: AnySetting, value: string | undefined): SettingName {
  if (name !== PROFILE_SETTING) return name;
  throw usageError('which profile is active is not set here.', {
    code: 'invalid_setting',
    hint: `centavo profiles use ${value ? shellQuote(value) : '<name>'}`,
  });
}

async function urlOf(context: Context, address: SettingValue): Promise<string> {
  const {endpoints} = await context.surroundings();
  const name = String(address);
  return (Object.hasOwn(endpoints, name) ? endpoints[name]?.baseUrl : undefined) ?? name;
}
