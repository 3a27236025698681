// `centavo login`: reads a key without showing it, checks it with the API, and stores it.

import {BaseCommand, CALL_EXITS} from '../../cli/base.js';
import {resultOfRecord} from '../../cli/records.js';
import * as schema from '../../cli/schema.js';
import type {Client} from '../../client/client.js';
import {keychainHints, type StoreChoice} from '../../config/keys/key-store.js';
import {checkKey, problemOfKey, fingerprint, kindOfKey, maskedWhole} from '../../config/keys/keys.js';
import type {Configuration, Profile} from '../../config/profiles.js';
import {SETTINGS} from '../../config/settings.js';
import type {Environment} from '../../common/environment.js';
import {capitalized, CentavoError, refusedError, usageError, messageAndReason} from '../../common/errors.js';
import {shellQuote} from '../../common/next-text.js';
import {oneLineText} from '../../output/format.js';
import {loginFlags, loginTarget, type LoginFlags, type LoginTarget} from './target.js';

const LOGIN = schema.record({
  ...schema.fieldsNamed('profile mode key slot', schema.text),
  merchant_id: schema.nullable(schema.text),
  merchant_name: schema.nullable(schema.text),
  base_url: schema.text,
  store: schema.text,
  checked: schema.boolean,
  active: schema.boolean,
});

interface CheckedKey extends LoginTarget {
  readonly key: string;
  readonly masked: string;
  readonly merchant: Profile['merchant'];
  readonly checkedAt: number | null;
}

export class LoginCommand extends BaseCommand {
  static override summary = 'Log in to an account with an API key.';
  static override description =
    'centavo asks for the key without showing it, or reads it from stdin. It checks the key with the API, unless you add --offline, and stores it in the keychain. The key is only ever sent to the address you logged in to. A profile can hold a test key, a live key and public keys. To use the live key, add --live to a command.\n\n' +
    'Without a keychain, use --credential-command to get the key from another program, or --insecure-storage to keep it in a file. If you set CENTAVO_SECRET_KEY, you do not need to log in.';
  static override examples = [
    '<%= config.bin %> login',
    '<%= config.bin %> login --profile shop --with-token < key.txt',
    '<%= config.bin %> login --profile shop --credential-command "pass show payrex/shop"',
    '<%= config.bin %> login --profile local --base-url sandbox --insecure-storage=test',
  ];
  static override flags = loginFlags;
  static risk = 'writes' as const;
  static exits = CALL_EXITS;
  static output = () => LOGIN;

  async run(): Promise<void> {
    const {flags} = await this.read(LoginCommand);
    const {context} = this;
    const target = await loginTarget(context, flags);
    const {profile, store, endpoint} = target;
    const keys = await context.profileKeys();
    if (typeof store === 'string' && !flags['dry-run']) await explainKeychain(keys.probe(store), target, flags);
    const key = await this.readKey(target, flags);
    context.io.addSecret(key);
    checkMode(key, target, flags);

    const client = await context.clientOf({key, ...endpoint});
    const candidate: CheckedKey = {
      ...target,
      key,
      masked: maskedWhole(key),
      merchant: flags.offline
        ? undefined
        : await explainCheck(checkWithApi(client, key, context.signal), key, target, flags),
      checkedAt: flags.offline ? null : context.now(),
    };
    const before = context.configuration.read();
    this.show(candidate, before.profiles[profile]);
    await this.confirm(candidate, before.profiles[profile], flags);
    if (flags['dry-run']) return context.io.note('Nothing was stored: --dry-run.');
    const keeping = keys.save({
      ...candidate,
      origin: new URL(endpoint.baseUrl).origin,
      baseUrl: endpoint.name,
      isFromEnvironment: key === context.env.CENTAVO_SECRET_KEY?.trim(),
      token: context.token(10),
    });
    const {configuration: after, remainsIn} = await explainKeychain(keeping, target, flags);
    if (remainsIn) context.io.note(`The previous key could not be removed from the ${remainsIn}. It is still there.`);
    await this.report(candidate, after);
  }

  private async readKey({store}: LoginTarget, flags: LoginFlags): Promise<string> {
    const {context} = this;
    if (typeof store !== 'string') {
      const [program] = store.command;
      return checkKey(await (await context.profileKeys()).run(store.command), `The output of ${program}`);
    }
    if (flags['with-token']) {
      if (!context.host.stdin.isTTY) return checkKey(await context.readInput(), 'stdin');
      throw usageError(
        'invalid_flag',
        '--with-token reads the key from stdin, but stdin is the terminal, which would show the key.',
        {hint: 'Remove --with-token. centavo then asks for the key without showing it.'},
      );
    }
    if (!context.io.canAsk) {
      throw usageError('missing_key', `no key given${context.agent() ? '' : ', and no terminal to ask on'}.`, {
        hint: `Pass it on stdin: ${loginLine(flags)} --with-token < key.txt`,
      });
    }
    return this.askKey();
  }

  /** Asks until the input is a key. Each prompt starts empty, because hidden text cannot be corrected. */
  private async askKey(): Promise<string> {
    const {io, prompt} = this.context;
    for (;;) {
      const text = await prompt.password('API key (hidden):');
      const fault = problemOfKey(text);
      // --quiet would hide the reason, so fail instead of asking again.
      if (fault === undefined || io.settings.quiet) return checkKey(text, 'The answer');
      io.note(`This is not an API key. ${fault}`);
    }
  }

  /** Prints the account, mode and storage of a key before it is stored. */
  private show({key, masked, profile, store, endpoint, merchant, checkedAt}: CheckedKey, before?: Profile): void {
    const {io} = this.context;
    const {mode, slot} = kindOfKey(key);
    const old = before?.keys[slot];
    const same = old && 'fingerprint' in old && old.fingerprint === fingerprint(key);
    const lines: [title: string, text: string, style?: 'red'][] = [
      ['profile', before ? profile : `${profile} (new)`],
      ['account', keyAccountText(key, merchant, checkedAt)],
      mode === 'live' ? ['mode', 'LIVE', 'red'] : ['mode', mode],
      ['key', same ? `${masked}, the same as before` : old ? `${masked}, replacing …${old.last4}` : masked],
      ['address', endpoint.baseUrl],
      ['storage', storeText(store)],
    ];
    for (const [title, text, style] of lines)
      io.note([
        {text: title.padEnd(9), style: 'dim'},
        {text, style},
      ]);
  }

  /** Asks to confirm the key. Without a terminal, refuses a key of another account. */
  private async confirm(candidate: CheckedKey, before: Profile | undefined, flags: LoginFlags): Promise<void> {
    const {io, prompt} = this.context;
    const {merchant, profile} = candidate;
    const other = merchant && before?.merchant && before.merchant.id !== merchant.id ? before.merchant : undefined;
    if (flags.yes || flags['dry-run']) return;
    if (io.canAsk) {
      const question = other
        ? `${profile} is logged in to another account, ${other.name ?? other.id}. Store this key anyway?`
        : 'Store this key?';
      // --quiet printed nothing above, so the question contains the facts.
      const facts = io.settings.quiet ? `${keyFactsText(candidate)}. ` : '';
      if (await prompt.confirm(`${facts}${question}`, !other)) return;
      throw refusedError('not_confirmed', 'the key was not stored.');
    }
    if (!other) return;
    throw refusedError(
      'refused',
      `the key belongs to ${merchant!.name ?? merchant!.id}, but ${profile} belongs to ${other.name ?? other.id}.`,
      {hint: 'Use another profile with --profile.', override: '--yes'},
    );
  }

  private async report(candidate: CheckedKey, after: Configuration): Promise<void> {
    const {profile, key, masked, store, endpoint, merchant, checkedAt} = candidate;
    const {io, env} = this.context;
    const {mode, slot} = kindOfKey(key);
    const active = after.profile === profile;
    const login = {
      profile,
      mode,
      key: masked,
      slot,
      merchant_id: merchant?.id ?? null,
      merchant_name: merchant?.name ?? null,
      base_url: endpoint.baseUrl,
      store: typeof store === 'string' ? store : 'command',
      checked: checkedAt !== null,
      active,
    };
    // A user at a terminal has already seen these facts.
    if (!io.stdoutIsTerminal || this.rendering.format !== undefined) await this.printDone(resultOfRecord(LOGIN, login));
    io.note(`Key stored${mode === 'live' ? '. To use it, add --live' : ''}.`, {style: 'green'});
    io.note(activeProfileText(profile, after.profile, env));
  }
}

/** `sk_live_…cdef, LIVE, account Aling Nena Store · merc_…` */
const keyFactsText = ({key, masked, merchant, checkedAt}: CheckedKey): string =>
  `${masked}, ${kindOfKey(key).mode.replace('live', 'LIVE')}, account ${keyAccountText(key, merchant, checkedAt)}`;

function checkMode(key: string, {store}: LoginTarget, flags: LoginFlags): void {
  const {mode} = kindOfKey(key);
  if (flags.live && mode !== 'live')
    throw refusedError('refused', '--live was given, but this is a test key.', {
      hint: 'Give the live key of the account. Nothing was stored.',
    });
  if (store === 'file' && mode === 'live' && flags['insecure-storage'] !== 'live') {
    throw refusedError('refused', 'a live key is not stored in a file by default.', {
      why: 'Anyone who can read the file can use your account.',
      override: '--insecure-storage=live',
    });
  }
}

/** A payment intent that does not exist. A public key can read only payment intents. */
const NO_INTENT = 'pi_0';

/**
 * Returns the account of a key, as a statement names it; undefined if the account has no statement.
 * @throws CentavoError kind `auth` for a refused key, `unavailable` if the check fails, `refused` for another mode
 */
async function checkWithApi(client: Client, key: string, signal: AbortSignal): Promise<Profile['merchant']> {
  const {mode, isPublic} = kindOfKey(key);
  if (isPublic) return void (await checkPublicKey(client, signal));
  const {data} = await client.billingStatements.list({limit: 1}, {signal});
  const [statement] = data;
  if (!statement) return undefined;
  if (typeof statement.livemode === 'boolean' && statement.livemode !== (mode === 'live')) {
    throw refusedError(
      'mode_mismatch',
      `the API answered in ${mode === 'live' ? 'test' : 'live'} mode to a ${mode} key.`,
      {
        why: 'The mode does not match the key.',
        hint: 'Check the address: --base-url',
      },
    );
  }
  const {merchant_id: id, billing_statement_merchant_name: name} = statement;
  if (typeof id !== 'string' || id === '') return undefined;
  return {id, name: typeof name === 'string' && name !== '' ? name : null};
}

/** Checks a public key: the API answers a valid key with “not found”, and refuses any other key. */
async function checkPublicKey(client: Client, signal: AbortSignal): Promise<void> {
  try {
    await client.paymentIntents.get(NO_INTENT, {client_secret: `${NO_INTENT}_secret_0`}, {signal});
  } catch (error) {
    if (!(error instanceof CentavoError) || !['not_found', 'rejected'].includes(error.kind)) throw error;
    const {apiErrors = [], request, status} = error.details;
    if (apiErrors.length > 0 && error.code !== 'route_not_found') return;
    throw new CentavoError('unavailable', 'the API returned an unexpected response.', {
      code: 'unusable_answer',
      why: `It returned HTTP ${status}, but not like the Payments API.`,
      status,
      request,
    });
  }
}

/** Returns the login command for hints, with its account and store. */
function loginLine(flags: LoginFlags): string {
  const said = (['profile', 'base-url'] as const).flatMap((name) =>
    flags[name] === undefined ? [] : [`--${name} ${shellQuote(flags[name])}`],
  );
  const storage = flags['insecure-storage'];
  return [
    'centavo login',
    ...said,
    ...(storage === undefined ? [] : [`--insecure-storage=${storage}`]),
    ...(flags['credential-command'] === undefined
      ? []
      : [`--credential-command ${shellQuote(flags['credential-command'])}`]),
    ...(flags.offline ? ['--offline'] : []),
  ].join(' ');
}

/** Adds hints about other key stores to errors of the keychain. */
const explainKeychain = <T>(work: Promise<T>, {store, endpoint: {name}}: LoginTarget, flags: LoginFlags): Promise<T> =>
  work.catch((error: unknown) => {
    if (!(error instanceof CentavoError) || error.kind !== 'keychain' || store !== 'keychain') throw error;
    const login = loginLine(flags);
    const variables = `CENTAVO_SECRET_KEY${name === SETTINGS.base_url.default ? '' : ` and CENTAVO_BASE_URL=${shellQuote(name)}`}`;
    throw error.with({
      hint: keychainHints({login, variables}),
      override: `--insecure-storage${flags.live ? '=live' : ''}`,
    });
  });

/** Explains why a key was not stored: it was refused, or could not be checked. */
const explainCheck = <T>(
  checking: Promise<T>,
  key: string,
  {profile, store, endpoint}: LoginTarget,
  flags: LoginFlags,
): Promise<T> =>
  checking.catch((error: unknown) => {
    if (!(error instanceof CentavoError)) throw error;
    const {details} = error;
    if (error.kind === 'auth') {
      const message = `the API refused the key ${maskedWhole(key)} (HTTP ${details.status}), so it was not stored.`;
      const why = [`The key was checked at ${endpoint.baseUrl}.`, details.why].filter(Boolean).join(' ');
      const hint =
        typeof store === 'string'
          ? `Copy the key again: ${loginLine({...flags, profile})}`
          : `Check what ${store.command[0]} prints, then try again.`;
      throw new CentavoError(error.kind, message, {...details, why, hint, applied: 'no'});
    }
    if (error.kind !== 'unavailable') throw error;
    throw new CentavoError(error.kind, 'the key could not be checked, so it was not stored.', {
      ...details,
      why: capitalized(messageAndReason(error)),
      hint: `To store it without checking: ${loginLine({...flags, profile, offline: true})}${flags['with-token'] ? ' --with-token < key.txt' : ''}`,
    });
  });

function keyAccountText(key: string, merchant: Profile['merchant'], checkedAt: number | null): string {
  if (checkedAt === null) return 'not checked (--offline)';
  if (merchant) return oneLineText([merchant.name, merchant.id].filter(Boolean).join(' · '));
  return kindOfKey(key).isPublic
    ? 'accepted by the API, which does not name the account for a public key'
    : 'accepted by the API, which names the account once it has a billing statement';
}

const storeText = (store: StoreChoice): string =>
  store === 'keychain'
    ? 'the keychain'
    : store === 'file'
      ? 'a file that only you can read'
      : `the output of ${store.command[0]}`;

/** Says which account commands use now. @param active profile in the configuration, without variables */
function activeProfileText(profile: string, active: string | undefined, env: Environment): string {
  if (env.CENTAVO_SECRET_KEY?.trim())
    return `CENTAVO_SECRET_KEY is set and overrides this key. To use this key: --profile ${profile}`;
  const named = env.CENTAVO_PROFILE || undefined;
  if (named !== undefined && named !== profile)
    return `CENTAVO_PROFILE is ${named}, and overrides it. To use this profile for one command: --profile ${profile}`;
  if (active === profile) return `Commands now use ${profile}. To use the sandbox: --profile sandbox`;
  const change = `centavo profiles use ${profile}`;
  return named === undefined
    ? `Commands still use ${active}. To switch: ${change}`
    : `Commands use ${profile} where CENTAVO_PROFILE is set to it, and ${active} elsewhere. To switch: ${change}`;
}
