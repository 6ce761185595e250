import { TypeOrmModule } from '@nestjs/typeorm';
import { type WebhookDatabaseAsyncOptions, webhookDatabase } from '../../../src/index.js';
import { start, webhookModule } from '../application.js';
import type { Mistake } from './mistake.js';

const SERVER = 'mysql://app:hunter2@db.example/app';
const MEMORY = 'sqlite::memory:';

/** Requires a pattern, and that the message does not show the password. */
const says = (pattern: RegExp) => new RegExp(`^(?!.*(hunter2|s3cret))(?=.*(?:${pattern.source}))`, 's');

/** `src/platform/config/database-url-options.spec.ts` has more that is wrong in a URL. */
const URLS: [what: string, given: unknown, pattern: RegExp][] = [
  ['an unset variable as the URL', undefined, /is undefined; write sqlite:PATH or mysql:.*useFactory/],
  ['null as the URL', null, /is null; write sqlite:PATH or mysql:/],
  ['a blank URL', ' \n', /is empty; write sqlite:PATH or mysql:/],
  ['postgres://', 'postgres://app:hunter2@db/app', /sqlite:PATH.*mysql:.*mariadb:.*no other database is/],
  ['the name of a file', 'data/app.sqlite', /such as sqlite:\.\/data.*needs sqlite: before it/],
  ['the name of a file on Windows', 'C:\\app.sqlite', /must be sqlite:PATH/],
  [':memory:', ':memory:', /must be sqlite:PATH/],
  ['MySLQ://', 'MySLQ://app:hunter2@db/app', /did you mean mysql:/],
  ['maria://', 'maria://app:hunter2@db/app', /did you mean mariadb:/],
  ['sqlite3:', 'sqlite3:app.sqlite', /did you mean sqlite:PATH\?/],
  ['mysql: without slashes', 'mysql:app:hunter2@db/app', /did you mean mysql:\/\//],
  ['a URL without a scheme', 'app:hunter2@db/app', /must be sqlite:PATH.*or mysql:/],
  ['no database name', 'mysql://app:hunter2@db.example', /no database name; write it last, as in mysql:/],
  ['a URL without a host', 'mysql:///app', /must look like mysql:/],
  ['a password with /', 'mysql://app:s3cret/hunter2@db/app', /percent-encoded/],
  ['sqlite: without a file', 'sqlite:', /has no database file; write sqlite:PATH/],
  ['sqlite:// and a relative path', 'sqlite://data/app.sqlite', /without the two slashes/],
  ['a number', 3306, /must be a text, such as sqlite:PATH, and not a number/],
  ['a URL object', new URL(SERVER), /must be a text; pass its href/],
  ['a promise of the URL', Promise.resolve(SERVER), /must be a text.*and not a promise/],
  ['an object without useFactory', { inject: [] }, /useFactory: is required: a function that/],
  ['options of TypeORM', { type: 'mysql' }, /type: is not an option/],
  ['an object with url', { url: SERVER, ssl: true }, /write webhookDatabase\(url, \{ … \}\)/],
];

const OPTIONS: [what: string, url: string, options: object, pattern: RegExp][] = [
  ['ssl for SQLite', MEMORY, { ssl: true }, /ssl: has no meaning for SQLite.*leave it out/],
  [
    'options of mysql2 for SQLite',
    MEMORY,
    { connectionLimit: 5, extra: {} },
    /connectionLimit: has.*extra: has/,
  ],
  ['a timeout for SQLite', MEMORY, { connectTimeoutMs: 500 }, /connectTimeoutMs: has no meaning for SQLite/],
  ['a waiting limit for SQLite', MEMORY, { waitingLimit: 5 }, /waitingLimit: has no meaning for SQLite/],
  ['a connection limit of 0', SERVER, { connectionLimit: 0 }, /must be a whole number from 1 to 10000/],
  ['seconds as a timeout', SERVER, { connectTimeoutMs: 3 }, /must be a whole number from 100 to 600000/],
  ['an SSL profile', SERVER, { ssl: 'Amazon RDS' }, /ssl: must be true, or options such as \{ ca \}/],
  ['a misspelt option of TLS', SERVER, { ssl: { vrifyIdentity: false } }, /mean ssl\.verifyIdentity\?/],
  ['an option of TLS that mysql2 has', SERVER, { ssl: { pfx: '' } }, /ssl\.pfx: is not an option/],
  ['ssl twice', `${SERVER}?ssl=true`, { ssl: false }, /ssl: is in the URL as well; set it in one/],
  ['ssl and an IP address', 'mysql://a@127.0.0.1/a', { ssl: true }, /host's name.*verifyIdentity: false/],
  ['ssl and an IPv6 address', 'mysql://a@[::1]/a', { ssl: { ca: '' } }, /write the host's name in the URL/],
  ['a misspelt option', SERVER, { entites: [] }, /entites: is not an option; did you mean entities\?/],
  ['synchronize', SERVER, { synchronize: true }, /is not an option; there are name, tablePrefix/],
  ['one entity, and no array', SERVER, { entities: class Invoice {} }, /entities: must be an array/],
  ['a table prefix with a blank', SERVER, { tablePrefix: 'a b' }, /table prefix/],
];

const LATE: [what: string, given: object, pattern: RegExp][] = [
  ['that returns nothing', { useFactory: () => {} }, /is undefined; write sqlite:PATH/],
  ['whose url is not set', { useFactory: () => ({ url: undefined }) }, /is undefined; write sqlite:PATH/],
  ['that returns postgres://', { useFactory: () => 'postgres://app:hunter2@db/app' }, /no other database/],
  ['that returns a number', { useFactory: () => 3306 }, /must be a text.*and not a number/],
  ['that misspells ssl', { useFactory: () => ({ url: SERVER, sll: true }) }, /did you mean ssl\?/],
  ['of SQLite with ssl', { useFactory: () => ({ url: MEMORY, ssl: true }) }, /ssl: has no meaning/],
  ['of SQLite, and ssl beside it', { ssl: true, useFactory: () => MEMORY }, /ssl: has no meaning for SQLite/],
  [
    'that returns entities',
    { useFactory: () => ({ url: MEMORY, entities: [] }) },
    /write it beside useFactory/,
  ],
  ['and url beside it', { url: SERVER, useFactory: () => SERVER }, /url: goes into what useFactory returns/],
];

const starting = (given: object) =>
  start(TypeOrmModule.forRootAsync(webhookDatabase(given as WebhookDatabaseAsyncOptions)), webhookModule());

/** Mistakes with `webhookDatabase`. */
export const databaseMistakes: Mistake[] = [
  ...URLS.map(
    ([what, given, pattern]): Mistake => [
      `passes ${what} to webhookDatabase`,
      () => webhookDatabase(given as string),
      says(pattern),
    ],
  ),
  ...OPTIONS.map(
    ([what, url, options, pattern]): Mistake => [
      `passes ${what} to webhookDatabase`,
      () => webhookDatabase(url, options),
      says(pattern),
    ],
  ),
  ...LATE.map(
    ([what, given, pattern]): Mistake => [
      `gives webhookDatabase a useFactory ${what}`,
      () => starting(given),
      says(pattern),
    ],
  ),
];
