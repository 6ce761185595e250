import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ConfigError } from './config-error.js';
import { VARIABLES } from './environment.js';
import { loadConfig } from './load-config.js';

const KEY = Buffer.alloc(32, 7).toString('base64');
const NAMES = Object.keys(VARIABLES);
const API_KEY = `whk_${'a'.repeat(43)}`;

function problemsOf(env: NodeJS.ProcessEnv): string[] {
  try {
    loadConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

describe('loadConfig', () => {
  it('has a default for every variable', () => {
    expect(loadConfig({})).toEqual({
      environment: 'development',
      role: 'both',
      host: '127.0.0.1',
      port: 3000,
      logLevel: 'info',
      docs: true,
      console: true,
      metrics: true,
      trustedProxies: [],
      databaseUrl: 'sqlite:./data/webhook.sqlite',
      bootstrapApiKey: null,
      encryptionKeys: null,
      rateLimitPerMinute: 600,
      notificationRateLimitPerMinute: 0,
      unauthenticatedRateLimitPerMinute: 600,
      webhooksPerUser: 100,
      egress: { allowHttp: true, allowPrivateNetwork: true, allowedNetworks: [], proxy: null },
      delivery: {
        transport: 'undici',
        timeoutMs: 15_000,
        retryScheduleMs: [5000, 300_000, 1_800_000, 7_200_000, 18_000_000, 36_000_000, 36_000_000],
        concurrency: 256,
        webhookConcurrency: 10,
        failingDisableHours: 120,
        instanceTimeoutMs: 45_000,
        instanceName: null,
        gentle: false,
      },
      retention: { payloadDays: 30, days: 90 },
      intake: {
        url: null,
        queue: 'webhook.notifications',
        refusedQueue: null,
        declare: true,
        prefetch: 500,
        userId: null,
      },
    });
  });

  it('treats empty and blank values as unset and trims the others', () => {
    const blank = Object.fromEntries(NAMES.map((name, index) => [name, index % 2 ? '' : ' \t']));
    expect(loadConfig(blank)).toEqual(loadConfig({}));
    expect(loadConfig({ PORT: ' 8080 ' }).port).toBe(8080);
    expect(loadConfig({ INTAKE_USER_ID: ' 田中 é ' }).intake.userId).toBe('田中 é');
  });

  it('forbids private networks in production by default, and allows them elsewhere', () => {
    const production = { NODE_ENV: 'production', ENCRYPTION_KEYS: `k1:${KEY}` };
    expect(loadConfig(production).egress.allowPrivateNetwork).toBe(false);
    expect(loadConfig({ ...production, ALLOW_PRIVATE_NETWORK: 'true' }).egress.allowPrivateNetwork).toBe(
      true,
    );
    expect(loadConfig({ NODE_ENV: 'test' }).egress.allowPrivateNetwork).toBe(true);
  });

  it('says how to make an encryption key when production has none', () => {
    expect(problemsOf({ NODE_ENV: 'production' })).toEqual([
      expect.stringMatching(/^ENCRYPTION_KEYS: .*randomBytes\(32\)/),
    ]);
  });

  it('names every invalid variable at once, with its value unless that is secret', () => {
    const problems = problemsOf({
      NODE_ENV: 'production',
      PORT: '80800',
      LOG_LEVEL: 'verbose',
      DATABASE_URL: 'postgres://root:hunter2@localhost/db',
    });
    expect(problems).toEqual([
      'PORT="80800": must be a whole number from 0 to 65535; leave it unset for 3000',
      expect.stringMatching(
        /^LOG_LEVEL="verbose": must be one of fatal, error, warn, info, debug, trace, silent;/,
      ),
      expect.stringMatching(/^DATABASE_URL: must be sqlite:PATH/),
      expect.stringMatching(/^ENCRYPTION_KEYS: is required in production/),
    ]);
    expect(new ConfigError(problems).message.split('\n')).toHaveLength(5);
  });

  it.each([
    ['sqlite:./other.sqlite', 'sqlite:./other.sqlite'],
    ['sqlite:/var/lib/webhook.sqlite', 'sqlite:/var/lib/webhook.sqlite'],
    ['sqlite:///var/lib/webhook.sqlite', 'sqlite:/var/lib/webhook.sqlite'],
    ['mysql://root@127.0.0.1:3306/webhook', 'mysql://root@127.0.0.1:3306/webhook'],
    ['mysql://u:p%40ss@db/webhook', 'mysql://u:p%40ss@db/webhook'],
    ['mariadb://u:p@[::1]:3307/webhook', 'mariadb://u:p@[::1]:3307/webhook'],
    ['mysql://u:p@db/webhook?ssl=true', 'mysql://u:p@db/webhook?ssl=true'],
  ])('reads DATABASE_URL %s', (text, databaseUrl) => {
    expect(loadConfig({ DATABASE_URL: text }).databaseUrl).toBe(databaseUrl);
  });

  it('reads keys, networks and pauses', () => {
    const config = loadConfig({
      BOOTSTRAP_API_KEY: API_KEY,
      ENCRYPTION_KEYS: `new:${KEY}, old_1:${Buffer.alloc(32, 255).toString('base64')}`,
      ALLOWED_NETWORKS: '10.1.0.0/16, fd00::/8, 192.0.2.7, ::1',
      RETRY_SCHEDULE_SECONDS: '0.2, 0,604800',
      ALLOW_HTTP: 'FALSE',
      DELIVERY_TRANSPORT: 'axios',
      INSTANCE_TIMEOUT_SECONDS: '3',
    });
    expect(config.bootstrapApiKey).toBe(API_KEY);
    expect(config.encryptionKeys).toEqual([
      { id: 'new', key: Buffer.alloc(32, 7), source: 'ENCRYPTION_KEYS' },
      { id: 'old_1', key: Buffer.alloc(32, 255), source: 'ENCRYPTION_KEYS' },
    ]);
    expect(config.egress.allowedNetworks).toEqual(['10.1.0.0/16', 'fd00::/8', '192.0.2.7/32', '::1/128']);
    expect(config.egress.allowHttp).toBe(false);
    expect(config.delivery).toMatchObject({
      transport: 'axios',
      retryScheduleMs: [200, 0, 604_800_000],
      instanceTimeoutMs: 3000,
    });
  });

  it.each([
    ['NODE_ENV', ['prod', 'Production', 'staging']],
    ['HOST', ['http://localhost', 'localhost:3000', '[::1]', 'a b']],
    ['PORT', ['-1', '65536', '1e3', '0x10', '3000.5', 'http']],
    ['LOG_LEVEL', ['log', 'verbose', 'INFO']],
    [
      'DATABASE_URL',
      ['sqlite:', 'sqlite:./data/', 'sqlite://data/x.sqlite', 'data/x.sqlite', 'postgres://h/db'],
    ],
    [
      'DATABASE_URL',
      ['mysql://root@db', 'mysql://root@db/', 'mysql:///db', 'mysql://root@db:99999/x', 'mysql:db'],
    ],
    [
      'DATABASE_URL',
      ['mysql://u:p/w@db/x', 'mysql://u:100%@db/x', 'mysql://u@db/x?tls=true', 'mysql://u:a#b@db/x'],
    ],
    [
      'DATABASE_URL',
      ['mysql://u@db/x?ssl_ca=/no/such.pem', 'mysql://u@127.0.0.1/x?ssl=true', 'sqlite:a?ssl=true'],
    ],
    ['BOOTSTRAP_API_KEY', ['secret', 'whk_short', `${API_KEY}a`, `whk_${'+'.repeat(43)}`]],
    [
      'ENCRYPTION_KEYS',
      [KEY, `k1:${KEY},`, `k1:${KEY.slice(4)}`, `k1:${KEY},k1:${KEY}`, `k 1:${KEY}`, `:${KEY}`],
    ],
    ['RATE_LIMIT_PER_MINUTE', ['-1', 'off']],
    ['NOTIFICATION_RATE_LIMIT_PER_MINUTE', ['-1', '1.5']],
    ['WEBHOOKS_PER_USER', ['0', 'many']],
    ['ALLOW_HTTP', ['yep', '2']],
    ['ALLOW_PRIVATE_NETWORK', ['maybe']],
    [
      'ALLOWED_NETWORKS',
      ['10.0.0.0/33', '10.0.0/8', 'fd00::/129', '10.0.0.0/8/8', '10.0.0.0/', 'any', ',', 'fe80::1%eth0'],
    ],
    ['DELIVERY_TRANSPORT', ['fetch']],
    ['DELIVERY_TIMEOUT_MS', ['999', '30001']],
    [
      'RETRY_SCHEDULE_SECONDS',
      [',', '5,', '5,,300', '-1', '604801', '1e3', '5;300', Array(51).fill('1').join()],
    ],
    ['DELIVERY_CONCURRENCY', ['0', '10001']],
    ['WEBHOOK_CONCURRENCY', ['0', '1001']],
    ['INSTANCE_TIMEOUT_SECONDS', ['2', '601']],
    [
      'RETENTION_PAYLOAD_DAYS',
      ['-1', '36501', '1e1', 'never', '.5', '1.', '1e-', '1e-999', `0.${'0'.repeat(400)}1`],
    ],
    ['RETENTION_DAYS', ['-1', '36501', '90 days', '1,5']],
    ['INTAKE_URL', ['localhost', 'http://mq', 'amqp://u:p@h/v?x=1', 'amqp://u:p/w@h', 'amqp://h:0']],
    ['INTAKE_QUEUE', ['amq.mine', 'x'.repeat(256), 'x'.repeat(248)]],
    ['INTAKE_REFUSED_QUEUE', ['amq.mine', 'webhook.notifications']],
    ['INTAKE_DECLARE', ['never']],
    ['INTAKE_PREFETCH', ['0', '5001']],
    ['INTAKE_USER_ID', ['a\nb', 'x'.repeat(129)]],
  ])('refuses invalid values of %s', (name, values) => {
    for (const value of values) {
      const problems = problemsOf({ [name]: value });
      expect([value, problems]).toEqual([
        value,
        [expect.stringMatching(new RegExp(`^${name}\\b.*: .{12,}`))],
      ]);
    }
  });

  it.each([
    '0.00009259259259259259',
    '9.259259259259259e-05',
    '9.259259259259259E-5',
    '0.000092592592592592592592592592592592592',
  ])('takes a fraction as a program writes it: %s', (text) => {
    const { retention, delivery } = loadConfig({
      RETENTION_PAYLOAD_DAYS: text,
      RETENTION_DAYS: '1.5e-1',
      FAILING_DISABLE_HOURS: text,
      RETRY_SCHEDULE_SECONDS: `1,${text},0.33333333333333331`,
    });
    expect(retention).toEqual({ payloadDays: 8 / 86_400, days: 0.15 });
    expect(delivery).toMatchObject({ failingDisableHours: 8 / 86_400, retryScheduleMs: [1000, 0, 333] });
  });

  it('takes the longest name of a queue if the one for refused messages has its own', () => {
    expect(problemsOf({ INTAKE_QUEUE: 'x'.repeat(255), INTAKE_REFUSED_QUEUE: 'y' })).toEqual([]);
  });

  it('refuses random values with a ConfigError that holds no secret', () => {
    const marker = 'hunter2hunter2';
    const garbage = fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary' }),
      fc.constantFrom('k1:', 'mysql://', 'sqlite:', ','),
    );
    const environment = fc.record(Object.fromEntries(NAMES.map((name) => [name, garbage])));
    fc.assert(
      fc.property(environment, (env) => {
        for (const name of ['DATABASE_URL', 'BOOTSTRAP_API_KEY', 'ENCRYPTION_KEYS', 'INTAKE_URL'])
          env[name] += marker;
        const problems = problemsOf({ ...env, PORT: 'bad' });
        expect(problems.length).toBeGreaterThan(0);
        expect(problems.join('\n')).not.toContain(marker);
      }),
      { numRuns: 500 },
    );
  });
});
