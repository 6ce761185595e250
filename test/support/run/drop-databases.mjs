import { dropDatabases } from './mariadb.mjs';

await dropDatabases(process.env.TEST_MARIADB, process.env.TEST_DATABASES);
