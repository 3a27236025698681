// Names the environment variables with secrets, and keeps them from other programs.

export type Environment = Readonly<Record<string, string | undefined>>;

export const KEY_VARIABLE = 'CENTAVO_SECRET_KEY';
export const WEBHOOK_SECRET_VARIABLE = 'CENTAVO_WEBHOOK_SECRET';
/** The app's own variable, which `dev` and `webhooks listen` set. */
export const APP_SECRET_VARIABLE = 'PAYREX_WEBHOOK_SECRET';

export const isSet = (variable: string | undefined): boolean => !['', '0', 'false'].includes(variable ?? '');

/** True if the name starts with CENTAVO_ and sounds like a secret. Some systems ignore the case of names. */
export const holdsSecret = (name: string): boolean => /^CENTAVO_(?:.*_)?(?:KEY|SECRET)(?:_|$)/i.test(name);

export const childEnvironment = (environment: Environment): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => !holdsSecret(name)));
