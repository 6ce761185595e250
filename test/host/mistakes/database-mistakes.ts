import { TypeOrmModule } from '@nestjs/typeorm';
import {
  type WebhookDatabaseAsyncOptions,
  type WebhookDatabaseOptions,
  WebhookModule,
  webhookDatabase,
} from '../../../src/index.js';
import type { Mistake } from './mistake.js';
import { start, valid } from './start.js';

const SERVER = 'mysql://app:hunter2@db.example/app';

const url = (given: unknown) => () => webhookDatabase(given as string);
const options = (given: string, more: object) => () => webhookDatabase(given, more as WebhookDatabaseOptions);

const late = (given: object) => () =>
  start(
    TypeOrmModule.forRootAsync(webhookDatabase(given as WebhookDatabaseAsyncOptions)),
    WebhookModule.forRoot(valid),
  );

/** Requires a pattern, and that the message does not show the password. */
const says = (pattern: RegExp) => new RegExp(`^(?!.*(hunter2|s3cret))(?=.*(?:${pattern.source}))`, 's');

const urls: [title: string, given: unknown, pattern: RegExp][] = [
  [
    'the variable of the URL that is not set',
    undefined,
    /is undefined; write sqlite:PATH or mysql:.*useFactory/,
  ],
  ['null as the URL', null, /is null; write sqlite:PATH or mysql:/],
  ['an empty URL', '', /is empty; write sqlite:PATH or mysql:/],
  ['a blank URL', ' \n', /is empty; write sqlite:PATH or mysql:/],
  [
    'postgres://',
    'postgres://app:hunter2@db/app',
    /must be sqlite:PATH.*mysql:.*mariadb:.*no other database is supported/,
  ],
  ['postgresql://', 'postgresql://app:hunter2@db/app', /no other database is supported/],
  ['mongodb+srv://', 'mongodb+srv://app:hunter2@db/app', /no other database is supported/],
  [
    'the name of a file',
    'data/app.sqlite',
    /must be sqlite:PATH, such as sqlite:\.\/data.*needs sqlite: before it/,
  ],
  ['the name of a file on Windows', 'C:\\app.sqlite', /must be sqlite:PATH/],
  [':memory:', ':memory:', /must be sqlite:PATH/],
  ['mysq://', 'mysq://app:hunter2@db/app', /did you mean mysql:/],
  ['MySLQ://', 'MySLQ://app:hunter2@db/app', /did you mean mysql:/],
  ['maria://', 'maria://app:hunter2@db/app', /did you mean mariadb:/],
  ['sqlit:', 'sqlit:app.sqlite', /did you mean sqlite:PATH\?/],
  ['sqlite3:', 'sqlite3:app.sqlite', /did you mean sqlite:PATH\?/],
  ['mysql: without slashes', 'mysql:app:hunter2@db/app', /did you mean mysql:\/\//],
  ['a URL without a scheme', 'app:hunter2@db/app', /must be sqlite:PATH.*or mysql:/],
  [
    'a URL without a database name',
    'mysql://app:hunter2@db.example',
    /has no database name; write it last, as in mysql:/,
  ],
  [
    'a URL that ends with a slash',
    'mariadb://app:hunter2@db.example/',
    /has no database name; write it last/,
  ],
  ['a URL without a host', 'mysql:///app', /must look like mysql:/],
  ['a password with /', 'mysql://app:s3cret/hunter2@db/app', /percent-encoded/],
  ['a password with #', 'mysql://app:hunter2#s3cret@db/app', /percent-encoded|must not contain #/],
  ['a password with %', 'mysql://app:hunter2%@db/app', /percent-encoded/],
  ['an unknown option in the URL', `${SERVER}?sslca=hunter2`, /unknown option after \?.*ssl_ca; there are/],
  ['a file of authorities that is not there', `${SERVER}?ssl_ca=/no/ca.pem`, /ca\.pem, which cannot be read/],
  ['options in the URL of SQLite', 'sqlite:a.sqlite?ssl=true', /SQLite takes none/],
  ['sqlite: without a file', 'sqlite:', /has no database file; write sqlite:PATH/],
  ['a folder', 'sqlite:./data/', /has no database file; write sqlite:PATH/],
  ['sqlite:// and a relative path', 'sqlite://data/app.sqlite', /without the two slashes/],
  ['a number', 3306, /must be a text, such as sqlite:PATH, and not a number/],
  ['a URL object', new URL(SERVER), /must be a text; pass its href/],
  ['a promise of the URL', Promise.resolve(SERVER), /must be a text, such as sqlite:PATH, and not a promise/],
];

const optionMistakes: [title: string, url: string, options: object, pattern: RegExp][] = [
  ['ssl for SQLite', 'sqlite:app.sqlite', { ssl: true }, /ssl: has no meaning for SQLite.*leave it out/],
  [
    'limits of connections for SQLite',
    'sqlite:app.sqlite',
    { connectionLimit: 5, waitingLimit: 5 },
    /connectionLimit: has no meaning for SQLite.*waitingLimit: has no meaning/,
  ],
  [
    'a connect timeout for SQLite',
    'sqlite::memory:',
    { connectTimeoutMs: 500 },
    /connectTimeoutMs: has no meaning for SQLite/,
  ],
  ['options of mysql2 for SQLite', 'sqlite::memory:', { extra: {} }, /extra: has no meaning for SQLite/],
  [
    'a connection limit of 0',
    SERVER,
    { connectionLimit: 0 },
    /connectionLimit: must be a whole number from 1 to 10000/,
  ],
  [
    'a timeout in the wrong unit',
    SERVER,
    { connectTimeoutMs: 3 },
    /connectTimeoutMs: must be a whole number from 100 to 600000/,
  ],
  [
    'the name of an SSL profile',
    SERVER,
    { ssl: 'Amazon RDS' },
    /ssl: must be true, or options such as \{ ca \}/,
  ],
  [
    'an option of TLS that the driver ignores',
    SERVER,
    { ssl: { pfx: 'x' } },
    /ssl\.pfx: is not an option; there are ca, cert, key/,
  ],
  [
    'a misspelt option of TLS',
    SERVER,
    { ssl: { rejectUnauthorised: false } },
    /did you mean ssl\.rejectUnauthorized\?/,
  ],
  [
    'an option twice, in the URL and in code,',
    `${SERVER}?ssl=true&connection_limit=3`,
    { ssl: false, connectionLimit: 3 },
    /ssl: is in the URL as well; set it in one of the two.*connectionLimit: is in the URL as well/,
  ],
  [
    'ssl and an IP address',
    'mysql://app:hunter2@127.0.0.1/app',
    { ssl: true },
    /write the host's name in the URL, or set ssl: \{ verifyIdentity: false \}/,
  ],
  [
    'ssl and an IPv6 address',
    'mysql://app:hunter2@[::1]/app',
    { ssl: { ca: '' } },
    /write the host's name in the URL/,
  ],
  ['a misspelt option', SERVER, { entites: [] }, /entites: is not an option; did you mean entities\?/],
  [
    'an option of TypeORM that does not exist here',
    SERVER,
    { synchronize: true },
    /synchronize: is not an option; there are name, tablePrefix/,
  ],
  ['one entity, and no array', SERVER, { entities: class Invoice {} }, /entities: must be an array/],
  ['a table prefix with a blank', SERVER, { tablePrefix: 'a b' }, /table prefix/],
];

const lateMistakes: [title: string, given: object, pattern: RegExp][] = [
  ['that returns nothing', { useFactory: () => {} }, /is undefined; write sqlite:PATH/],
  [
    'that rejects nothing and returns nothing',
    { useFactory: async () => undefined },
    /is undefined; write sqlite:PATH/,
  ],
  ['whose url is not set', { useFactory: () => ({ url: undefined }) }, /is undefined; write sqlite:PATH/],
  [
    'that returns postgres://',
    { useFactory: () => 'postgres://app:hunter2@db/app' },
    /no other database is supported/,
  ],
  [
    'that returns a number',
    { useFactory: () => 3306 },
    /must be a text, such as sqlite:PATH, and not a number/,
  ],
  [
    'that returns entities',
    { useFactory: () => ({ url: 'sqlite::memory:', entities: [] }) },
    /entities: has to be known at import; write it beside useFactory/,
  ],
  [
    'that returns a misspelt option',
    { useFactory: () => ({ url: SERVER, sll: true }) },
    /sll: is not an option; did you mean ssl\?/,
  ],
  [
    'that returns ssl for SQLite',
    { useFactory: () => ({ url: 'sqlite::memory:', ssl: true }) },
    /ssl: has no meaning for SQLite/,
  ],
  [
    'that returns SQLite although ssl stands beside it',
    { ssl: true, useFactory: () => 'sqlite::memory:' },
    /ssl: has no meaning for SQLite/,
  ],
  ['and url beside it', { url: SERVER, useFactory: () => SERVER }, /url: goes into what useFactory returns/],
];

/** Mistakes with `webhookDatabase`. */
export const databaseMistakes: Mistake[] = [
  ...urls.map(([title, given, pattern]) => ({
    title: `passes ${title} to webhookDatabase`,
    make: url(given),
    says: says(pattern),
  })),
  ...optionMistakes.map(([title, given, more, pattern]) => ({
    title: `passes ${title} to webhookDatabase`,
    make: options(given, more),
    says: says(pattern),
  })),
  ...lateMistakes.map(([title, given, pattern]) => ({
    title: `gives webhookDatabase a useFactory ${title}`,
    make: late(given),
    says: says(pattern),
  })),
  {
    title: 'passes an object without useFactory to webhookDatabase',
    make: () => webhookDatabase({ inject: [] } as unknown as WebhookDatabaseAsyncOptions),
    says: says(/useFactory: is required: a function that returns the URL/),
  },
  {
    title: 'passes an object with url to webhookDatabase',
    make: () => webhookDatabase({ url: SERVER, ssl: true } as unknown as WebhookDatabaseAsyncOptions),
    says: says(/without useFactory, write webhookDatabase\(url, \{ … \}\)/),
  },
];
