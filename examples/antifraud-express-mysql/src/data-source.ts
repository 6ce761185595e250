import { DataSource } from 'typeorm';
import { databaseOptions } from './database.js';
import { CreateRecord1795305600000 } from './migrations/1795305600000-CreateRecord.js';

/** For TypeORM's command line: the migrations of this application. */
export default new DataSource({ ...databaseOptions, migrations: [CreateRecord1795305600000] });
