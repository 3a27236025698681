// Which variables of the environment hold centavo's own secrets, and the environment that another program is started with.

export type Environment = Readonly<Record<string, string | undefined>>;

/** The API key. It is never shown. */
export const KEY_VARIABLE = 'CENTAVO_SECRET_KEY';
/** The secret of a webhook. */
export const WEBHOOK_SECRET_VARIABLE = 'CENTAVO_WEBHOOK_SECRET';

/** Systems differ in whether the case of a name counts; whatever of ours sounds like a secret is one. */
const SECRET_NAME = /^CENTAVO_(?:.*_)?(?:KEY|SECRET)(?:_|$)/i;

/** True for a variable of ours that holds a secret. */
export const holdsSecret = (name: string): boolean => SECRET_NAME.test(name);

/**
 * What a program that is started may know of the environment: all but centavo's secrets.
 * Whatever starts one goes through here, so that a key is in the memory of this process and of no other.
 * @param others names of further variables that hold a secret
 */
export const withoutSecrets = (
  environment: Environment,
  others: readonly string[] = [],
): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => !holdsSecret(name) && !others.includes(name)));
