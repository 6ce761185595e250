import { readDatabaseUrl } from '../../platform/config/database-url.js';
import { DATABASE_PLACE, type DatabasePlace } from '../../store/schema/webhook-database.js';
import { checkBuilder, type ModuleBuilder } from './module-builder.js';
import { createMysqlPlace, type Place } from './mysql-place.js';
import { createSqlitePlace } from './sqlite-place.js';

/** A place for the tables of one test file. */
export interface TestDatabase {
  /** Its URL, for an application that is not built by {@link use}. If `tablePrefix` is set, that is needed as well. */
  url: string;
  /** Empty if the place is a database or file of its own. */
  tablePrefix: string;
  /**
   * Makes the `webhookDatabase` of an application under test use this place instead of its own URL. All migrations run
   * at the start.
   *
   * @param builder from `Test.createTestingModule`, before it is compiled.
   */
  use(builder: ModuleBuilder): void;
  /**
   * Removes the place and everything in it. Call it after `app.close()`.
   *
   * @throws Error if the application is still using it; or if none has used it although {@link use} was called.
   */
  drop(): Promise<void>;
}

/**
 * Makes a place that test files running at the same time do not share. On MySQL and MariaDB it is a new database, or, if
 * the user may not create one, a new table prefix in the database of the URL. With SQLite it is a new temporary file.
 * Places left behind by tests that were killed are removed after a day.
 *
 * @param url of the database for tests: `mysql://user:pass@host:port/database`, `mariadb://…` or `sqlite:PATH`, of which
 * the path is not used.
 * @throws Error if the URL is wrong or the server cannot be reached.
 */
export async function createTestDatabase(url: string | undefined): Promise<TestDatabase> {
  const checked = checkedUrl(url);
  const place = await (checked.startsWith('sqlite:') ? createSqlitePlace() : createMysqlPlace(checked));
  let isMissed = false;
  return {
    url: place.url,
    tablePrefix: place.tablePrefix,
    use(builder) {
      checkBuilder(builder, 'use');
      isMissed = true;
      const placed: DatabasePlace = (_, options) => {
        isMissed = false;
        return [place.url, optionsIn(place, options)];
      };
      builder.overrideProvider(DATABASE_PLACE).useValue(placed);
    },
    async drop() {
      await place.drop();
      if (isMissed) throw new Error(MISSED);
    },
  };
}

const MISSED =
  'The application under test did not use its test database: "use(builder)" replaces only the URL of "webhookDatabase". For another data source, set its URL to "url".';

function checkedUrl(url: string | undefined): string {
  if (!url) {
    throw new Error(
      `The URL for createTestDatabase is ${url === undefined ? 'undefined' : 'empty'}; write the URL of a database for tests, or sqlite::memory:`,
    );
  }
  try {
    return readDatabaseUrl(url);
  } catch (error) {
    throw new Error(`The URL for createTestDatabase ${(error as Error).message}.`);
  }
}

type Options = Parameters<DatabasePlace>[1];

/** @throws Error if the place is a table prefix and the application has migrations of its own. */
function optionsIn({ tablePrefix }: Place, options: Options): Options {
  const created = { ...options, migrationsRun: true };
  if (tablePrefix === '') return created;
  if (options.migrations?.length) throw new Error(NEEDS_DATABASE);
  return { ...created, tablePrefix, migrationsTableName: `${tablePrefix}webhook_migration` };
}

const NEEDS_DATABASE =
  "The application's own migrations ignore table prefixes, so each test file needs a database. Allow the user to create them: GRANT ALL ON `whtest\\_%`.* TO 'user'@'host'.";
