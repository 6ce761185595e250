import { loadConfig } from '../../platform/config/load-config.js';
import { namesOfMigrations, recordedMigrations } from '../../store/recorded-migrations.js';
import { createDataSource, dataSourceOptions } from '../../store/schema/data-source.js';
import { initializeAlone } from '../../store/sqlite/sqlite-lock.js';

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
        const recorded = await recordedMigrations(dataSource);
        for (const name of namesOfMigrations(dataSource))
          console.log(`[${recorded.delete(name) ? 'X' : ' '}] ${name}`);
        for (const name of recorded) console.log(`[?] ${name}, which this version does not have`);
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
