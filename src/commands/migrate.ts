import { loadConfig } from '../config/load-config.js';
import { initializeAlone } from '../database/sqlite/sqlite-lock.js';
import { createDataSource, dataSourceOptions } from '../schema/data-source.js';

/** The command behind `npm run migration:run`, `:revert` and `:show`. */
async function main(command: string | undefined): Promise<void> {
  const made = createDataSource(dataSourceOptions(loadConfig(process.env).databaseUrl));
  // Showing the migrations is safe while a service runs; changing its tables is not.
  const dataSource = await (command === 'show' ? made.initialize() : initializeAlone(made));
  try {
    switch (command) {
      case 'run': {
        const done = await dataSource.runMigrations();
        console.log(
          done.length ? done.map((m) => `applied ${m.name}`).join('\n') : 'The schema is up to date.',
        );
        break;
      }
      case 'revert':
        await dataSource.undoLastMigration();
        console.log('Reverted the last migration, if there was one.');
        break;
      case 'show': {
        const executed = new Set(
          (await dataSource.query('SELECT name FROM webhook_migration').catch(() => [])).map(
            (m: { name: string }) => m.name,
          ),
        );
        for (const { name = '' } of dataSource.migrations)
          console.log(`[${executed.has(name) ? 'X' : ' '}] ${name}`);
        break;
      }
      default:
        throw new Error(`Unknown command "${command ?? ''}": use run, revert or show.`);
    }
  } finally {
    await dataSource.destroy();
  }
}

main(process.argv[2]).catch((error: Error) => {
  console.error(error.message);
  process.exitCode = 1;
});
