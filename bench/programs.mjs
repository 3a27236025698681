// The programs that are compared: their packages, and how each is asked for a list from a server on this machine.

const COUNT = 10;
/** Bytes of the answer to each request for a list. */
const SIZE = 4096;
const TIME = 1_790_000_000;

/** Ten objects in an envelope, as JSON of exactly SIZE bytes: the last object is padded. */
function answer(object, envelope) {
  const withText = (text) =>
    JSON.stringify(envelope(Array.from({length: COUNT}, (_, index) => object(index, index === COUNT - 1 ? text : ''))));
  return withText('x'.repeat(SIZE - withText('').length));
}

const SECRET_KEY = 'sk_test_0123456789abcdefghijklmn';

/** The version, the help, and the list of a program; the list is answered at the path. */
export const CENTAVO = {
  package: 'centavo',
  env: (url) => ({CENTAVO_BASE_URL: url, CENTAVO_SECRET_KEY: SECRET_KEY}),
  list: {
    args: () => ['customers', 'list', '--json'],
    path: '/customers',
    expected: '"cus_9"',
    answer: answer(
      (index, text) => ({
        id: `cus_${index}`,
        resource: 'customer',
        name: 'Juan Dela Cruz',
        email: `juan${index}@example.com`,
        currency: 'PHP',
        billing_statement_prefix: 'JUAN',
        next_billing_statement_sequence_number: '0001',
        livemode: false,
        metadata: {text},
        created_at: TIME,
        updated_at: TIME,
      }),
      (data) => ({resource: 'list', has_more: false, data}),
    ),
  },
};

/** Telemetry and update checks are turned off if the program has a variable for it. */
export const PEERS = [
  {
    package: '@stripe/cli',
    version: '1.52.0',
    env: () => ({STRIPE_API_KEY: SECRET_KEY, STRIPE_CLI_TELEMETRY_OPTOUT: '1', STRIPE_NO_AUTO_UPDATE: '1'}),
    list: {
      args: (url) => ['customers', 'list', '--api-base', url],
      path: '/v1/customers',
      expected: '"cus_9"',
      answer: answer(
        (index, name) => ({id: `cus_${index}`, object: 'customer', name: `Juan${name}`, created: TIME, metadata: {}}),
        (data) => ({object: 'list', url: '/v1/customers', has_more: false, data}),
      ),
    },
  },
  {
    package: 'hookdeck-cli',
    version: '2.6.0',
    env: () => ({HOOKDECK_CLI_TELEMETRY_DISABLED: '1'}),
    // The flag is not in the help.
    list: {
      args: (url) => ['gateway', 'event', 'list', '--output', 'json', '--api-base', url],
      path: '/2026-09-01/events',
      expected: '"evt_9"',
      answer: answer(
        (index, text) => ({
          id: `evt_${index}`,
          team_id: 'tm_1',
          source_id: 'src_1',
          destination_id: 'des_1',
          webhook_id: 'web_1',
          status: 'SUCCESSFUL',
          attempts: 1,
          error_code: text || null,
          created_at: '2026-11-01T00:00:00.000Z',
          updated_at: '2026-11-01T00:00:00.000Z',
        }),
        (models) => ({pagination: {order_by: 'created_at', dir: 'desc', limit: 100}, count: COUNT, models}),
      ),
    },
    files: {
      '.config/hookdeck/config.toml':
        'profile = "default"\n[default]\napi_key = "0123456789abcdef"\nproject_id = "tm_1"\nproject_mode = "inbound"\nproject_type = "Gateway"\n',
    },
  },
  {
    package: 'resend-cli',
    version: '2.21.0',
    env: (url) => ({
      RESEND_API_KEY: 're_0123456789',
      RESEND_BASE_URL: url,
      RESEND_TELEMETRY_DISABLED: '1',
      RESEND_NO_UPDATE_NOTIFIER: '1',
    }),
    list: {
      args: () => ['domains', 'list', '--json'],
      path: '/domains',
      expected: '"dom_9"',
      answer: answer(
        (index, name) => ({
          id: `dom_${index}`,
          name: `${name}example.com`,
          status: 'verified',
          region: 'us-east-1',
          created_at: '2026-11-01T00:00:00.000Z',
        }),
        (data) => ({object: 'list', has_more: false, data}),
      ),
    },
  },
  {
    package: 'paymongo-cli',
    version: '1.4.14',
    env: () => ({}),
    list: {
      args: () => ['payments', 'list', '--json'],
      path: '/v1/payments',
      expected: '"pay_9"',
      answer: answer(
        (index, description) => ({
          id: `pay_${index}`,
          type: 'payment',
          attributes: {amount: 125_050, currency: 'PHP', status: 'paid', description, created_at: TIME},
        }),
        (data) => ({has_more: false, data}),
      ),
    },
    // It reads settings from its working directory.
    files: {
      '.paymongo': JSON.stringify({
        version: '1.0.0',
        projectName: 'bench',
        environment: 'test',
        apiKeys: {test: {public: 'pk_test_0123456789', secret: SECRET_KEY}},
        webhooks: {url: 'http://localhost:3000/webhook', events: ['payment.paid']},
        dev: {port: 3000, autoRegisterWebhook: false, verifyWebhookSignatures: true},
      }),
    },
    // It has no setting for the address of the API.
    replace: {path: 'dist/utils/constants.js', text: 'https://api.paymongo.com'},
  },
  {
    package: 'heroku',
    version: '11.10.0',
    env: (url) => ({HEROKU_API_KEY: '0123456789abcdef', HEROKU_HOST: url, DISABLE_TELEMETRY: 'true'}),
    list: {
      args: () => ['regions', '--json'],
      path: '/regions',
      expected: '"reg_9"',
      answer: answer(
        (index, description) => ({
          id: `reg_${index}`,
          name: `region-${index}`,
          description,
          country: 'Ireland',
          locale: 'Dublin',
          private_capable: false,
          provider: {name: 'amazon-web-services', region: 'eu-west-1'},
          created_at: '2026-11-01T00:00:00Z',
          updated_at: '2026-11-01T00:00:00Z',
        }),
        (regions) => regions,
      ),
    },
  },
];
