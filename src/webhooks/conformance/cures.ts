// How to fix a handler, in a sentence and in the code of four frameworks.

import {bodyText} from '../../http/body-text.js';
import type {WebhookAttempt} from '../../http/webhook-sender.js';

const FRAMEWORKS = ['Express', 'Laravel', 'Flask', 'Rails'] as const;
export type Framework = (typeof FRAMEWORKS)[number];

export interface Cure {
  readonly advice: string;
  readonly code?: Readonly<Record<Framework, string>>;
}

export const CURES = {
  rawBody: {
    advice: 'Verify the raw body, before anything parses it.',
    code: {
      Express: "express.raw({type: '*/*'}) on this route, before express.json()",
      Laravel: '$request->getContent()',
      Flask: 'request.get_data()',
      Rails: 'request.raw_post',
    },
  },
  secret: {
    advice:
      'Use the same secret here and in the environment of your app. The secret of this folder’s listener: centavo webhooks secret',
  },
  mode: {advice: 'Read te in test mode and li in live mode, and no other place.'},
  header: {
    advice: 'Sign <t>.<raw body> with HMAC-SHA256, t in unix seconds, and compare 64 lowercase hexadecimal digits.',
  },
  csrf: {
    advice: 'The service cannot send a CSRF token.',
    code: {
      Express: 'mount this route before the CSRF middleware',
      Laravel: "$middleware->validateCsrfTokens(except: ['webhooks/*'])",
      Flask: '@csrf.exempt',
      Rails: 'skip_before_action :verify_authenticity_token',
    },
  },
  rateLimit: {advice: 'Exclude this path from the rate limit: many events may come at once.'},
  verify: {
    advice: 'Verify the signature before your app acts, and answer a forged event with 400 or 401.',
    code: {
      Express: 'crypto.timingSafeEqual()',
      Laravel: 'hash_equals()',
      Flask: 'hmac.compare_digest()',
      Rails: 'ActiveSupport::SecurityUtils.secure_compare',
    },
  },
  onlySecret: {advice: 'Verify the raw body, with your secret only. Refuse to start without a secret.'},
  headerRequired: {advice: 'Refuse a delivery without a signature.'},
  refuse: {advice: 'Answer a forged event with 400 or 401.'},
  refuseOld: {advice: 'Refuse a signature whose t is more than 300 seconds from now.'},
  tolerance: {advice: 'Accept a t up to 300 seconds from now, in both directions: deliveries wait, and clocks differ.'},
  unknownType: {
    advice: 'Answer 200 to types that your app does not know, and do not act on them. New types will come.',
  },
  unknownFields: {advice: 'Ignore fields that your app does not know. New fields will come.'},
  wholeBody: {advice: 'Read the whole body before you verify it. It may come in pieces.'},
  bodyLimit: {
    advice: 'The parser, the web server or the proxy has a limit.',
    code: {
      Express: "express.raw({type: '*/*', limit: '1mb'})",
      Laravel: 'post_max_size in php.ini',
      Flask: "app.config['MAX_CONTENT_LENGTH']",
      Rails: 'client_max_body_size of nginx',
    },
  },
  once: {
    advice:
      'Insert the event’s id into a unique column first, and act only if it is new: ON CONFLICT DO NOTHING, insertOrIgnore in Laravel, insert with unique_by in Rails.',
  },
  acceptDuplicate: {advice: 'Answer a duplicate with 200. The service sends refused events again.'},
  order: {advice: 'Answer a late event with 200, and keep the newer state: compare created_at of the events.'},
  actTwice: {advice: 'Act once on a delivery, and before you answer.'},
  act: {
    advice:
      'Choose the event that your app acts on, and its fields. For a checkout: --event payment_intent.succeeded --set metadata[order]=1042',
  },
  actAgain: {
    advice:
      'Act once on each event’s id. All events have the fields of --set, so an app that acts once on an order skips this one.',
  },
} satisfies Record<string, Cure>;

/** Returns the cure as sentences, with the code of one framework if it is known. */
export function cureText({advice, code}: Cure, framework: Framework | undefined): string {
  const names = code === undefined ? [] : framework === undefined ? FRAMEWORKS : [framework];
  return names.length === 0 ? advice : `${advice} ${names.map((name) => `${name}: ${code![name]}`).join('; ')}.`;
}

export function frameworkOf({headers = {}}: WebhookAttempt): Framework | undefined {
  const {'x-powered-by': poweredBy = '', server = ''} = headers;
  if (poweredBy === 'Express') return 'Express';
  if (String(poweredBy).startsWith('PHP/')) return 'Laravel';
  if (/^(Werkzeug|gunicorn|BaseHTTP)\b/.test(String(server))) return 'Flask';
  return 'x-runtime' in headers ? 'Rails' : undefined;
}

/** Returns the cure that the response to a genuine event shows by itself. */
export function cureOfAnswer({status = 0, headers = {}, body = Buffer.alloc(0)}: WebhookAttempt): Cure | undefined {
  if (status < 400) return undefined;
  const {text} = bodyText(headers, body);
  if (status === 419 || /\bcsrf\b|authenticity.?token|change you wanted was rejected/i.test(text)) return CURES.csrf;
  // Node’s error if a parsed body is signed.
  if (text.includes('ERR_INVALID_ARG_TYPE')) return CURES.rawBody;
  if (status === 429) return CURES.rateLimit;
  return status === 413 ? CURES.bodyLimit : undefined;
}
