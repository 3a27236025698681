// The environment: which variables hold centavo's secrets, and the environment for other programs.

export type Environment = Readonly<Record<string, string | undefined>>;

/** The API key. It is never shown. */
export const KEY_VARIABLE = 'CENTAVO_SECRET_KEY';
export const WEBHOOK_SECRET_VARIABLE = 'CENTAVO_WEBHOOK_SECRET';

export const isSet = (variable: string | undefined): boolean => !['', '0', 'false'].includes(variable ?? '');

/** Any variable of ours that sounds like a secret counts as one. Some systems ignore the case of names. */
export const holdsSecret = (name: string): boolean => /^CENTAVO_(?:.*_)?(?:KEY|SECRET)(?:_|$)/i.test(name);

export const childEnvironment = (environment: Environment): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => !holdsSecret(name)));
