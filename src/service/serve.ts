import { Logger } from '@nestjs/common';
import { ApiKeyService } from '../auth/api-key.service.js';
import { Sessions } from '../auth/session/sessions.js';
import { ConfigError } from '../platform/config/config-error.js';
import { loadConfig } from '../platform/config/load-config.js';
import type { ServiceConfig } from '../platform/config/service-config.js';
import { isDatabaseNotOpened } from '../platform/database-error.js';
import { armFailpoint } from '../platform/failpoint.js';
import { UnsuitableServerError } from '../store/mysql/server-check.js';
import { dataSourceOptions } from '../store/schema/data-source.js';
import { UnfitDatabaseError } from '../store/schema/recorded-migrations.js';
import { assertSqliteFree, SqliteInUseError } from '../store/sqlite/sqlite-lock.js';
import { createApp, SchemaBehindError } from './create-app.js';
import { assertCanListen, CannotListenError } from './http/listen-check.js';
import { keyBox, welcome } from './welcome.js';

/** Errors whose messages tell the operator what to do. They are shown without a stack trace. */
const EXPECTED = [
  ConfigError,
  SchemaBehindError,
  UnfitDatabaseError,
  CannotListenError,
  SqliteInUseError,
  UnsuitableServerError,
];

/** Starts the service. If that fails, prints why and exits with code 1. */
export async function serve(env: NodeJS.ProcessEnv): Promise<void> {
  try {
    await start(loadConfig(env), env.FAILPOINT);
  } catch (error) {
    console.error(printable(error));
    process.exit(1);
  }
}

function printable(error: unknown): unknown {
  const { message } = error as Error;
  if (EXPECTED.some((kind) => error instanceof kind)) return message;
  return isDatabaseNotOpened(error)
    ? `The database cannot be opened: ${message}\nSee whether it runs, and whether DATABASE_URL is right.`
    : error;
}

async function start(config: ServiceConfig, failpointName: string | undefined): Promise<void> {
  if (config.environment !== 'production') armFailpoint(failpointName);
  await assertCanListen(config.host, config.port);
  assertSqliteFree(dataSourceOptions(config.databaseUrl));
  const app = await createApp(config);
  const shown = { ...config, console: config.console && config.role !== 'worker' };
  const isLaptop = config.environment !== 'production';
  const newKey = await app.get(ApiKeyService, { strict: false }).bootstrap(config.bootstrapApiKey);
  const code =
    newKey && isLaptop && shown.console ? await app.get(Sessions, { strict: false }).link(newKey.id) : null;
  await app.listen(config.port, config.host);
  const url = await app.getUrl();
  if (isLaptop) console.log(welcome(url, shown));
  else new Logger('Service').log({ msg: 'listening', url });
  if (newKey) console.log(keyBox(newKey.key, code && `${url}/console/#code=${code}`));
}
