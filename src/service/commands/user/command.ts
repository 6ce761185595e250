import { existsSync } from 'node:fs';
import process from 'node:process';
import { loadConfig } from '../../../platform/config/load-config.js';
import type { ServiceConfig } from '../../../platform/config/service-config.js';
import { isDatabaseUnavailable } from '../../../platform/database-error.js';
import { armFailpoint } from '../../../platform/failpoint.js';
import { EXIT, Refusal } from './refusal.js';

const AGAIN = 'The database failed. Run the same again: what has been done is not done twice.';

/** Runs a command with the settings of the service. Sets the exit code, and prints why it failed. */
export async function runCommand(
  usage: string,
  env: NodeJS.ProcessEnv,
  run: (config: ServiceConfig) => Promise<void>,
): Promise<void> {
  try {
    if (existsSync('.env')) process.loadEnvFile('.env');
    const config = loadConfig(env);
    if (config.environment !== 'production') armFailpoint(env.FAILPOINT);
    await run(config);
  } catch (error) {
    const { message, code } = error as Error & { code?: unknown };
    const isUsage = typeof code === 'string' && code.startsWith('ERR_PARSE_ARGS');
    const exitCode = isUsage ? EXIT.usage : error instanceof Refusal ? error.exitCode : EXIT.refused;
    process.exitCode = exitCode;
    // The stack of an error of the database would show its statement.
    console.error(isDatabaseUnavailable(error) ? `${message}\n${AGAIN}` : message);
    if (exitCode === EXIT.usage) console.error(`\n${usage}`);
  }
}
