// A secret among the arguments: other processes have read it by now, so that nothing is done but to say so.

import {usageError} from '../errors.js';
import {coresOf} from '../output/redaction/encodings.js';

/** Public keys and client secrets are made to be passed around. */
const KINDS: readonly [RegExp, string][] = [
  [/sk_live_[A-Za-z0-9]{8,}/, 'a live secret key'],
  [/sk_test_[A-Za-z0-9]{8,}/, 'a test secret key'],
  [new RegExp(['sk_test_', 'sk_live_'].flatMap(coresOf).join('|')), 'a secret key in base64'],
  [/whsk_[A-Za-z0-9_-]{8,}/, 'the secret of a webhook'],
];

/** @throws CentavoError kind `usage`, which does not show it */
export function refuseSecrets(argv: readonly string[]): void {
  const found = KINDS.find(([pattern]) => argv.some((word) => pattern.test(word)));
  if (!found) return;
  throw usageError(`an argument holds ${found[1]}.`, {
    code: 'secret_in_argument',
    why: 'Other processes and the history of the shell can read it: replace it by a new one.',
    hint: 'Give a key to centavo login or in CENTAVO_SECRET_KEY, a webhook’s secret in CENTAVO_WEBHOOK_SECRET or on stdin.',
  });
}
