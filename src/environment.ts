// The environment: which variables hold centavo's own secrets, and what another program is started with.

export type Environment = Readonly<Record<string, string | undefined>>;

/** The API key. It is never shown. */
export const KEY_VARIABLE = 'CENTAVO_SECRET_KEY';
/** The secret of a webhook. */
export const WEBHOOK_SECRET_VARIABLE = 'CENTAVO_WEBHOOK_SECRET';

/** Whether a variable that switches something is on. */
export const isSet = (variable: string | undefined): boolean => !['', '0', 'false'].includes(variable ?? '');

/** Some systems ignore the case of names. Any variable of ours that sounds like a secret counts as one. */
const SECRET_NAME = /^CENTAVO_(?:.*_)?(?:KEY|SECRET)(?:_|$)/i;

/** True for a variable of ours that holds a secret. */
export const holdsSecret = (name: string): boolean => SECRET_NAME.test(name);

/**
 * The environment for another program: everything except centavo's secrets.
 * Every start of a program uses it, so that keys stay in this process.
 * @param others names of further variables that hold a secret
 */
export const withoutSecrets = (
  environment: Environment,
  others: readonly string[] = [],
): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => !holdsSecret(name) && !others.includes(name)));
