import { expect, it } from '@jest/globals';
import { TypeOrmModule } from '@nestjs/typeorm';
import { describeOnMariadb } from '../support/databases.js';
import { useDatabase } from '../support/fixture.js';
import { hostDataSource } from '../support/host.js';
import { start, valid, webhookModule } from './application.js';

describeOnMariadb('a data source in another character set than utf8mb4', (kind) => {
  const database = useDatabase(kind, 'block', 'migrated');

  it.each(['latin1', 'utf8', 'LATIN1_SWEDISH_CI'])(
    'ends the start before a text is damaged, and names the way out: %s',
    async (charset) => {
      const dataSource = TypeOrmModule.forRoot({ ...hostDataSource(database.url), charset } as object);
      await expect(start(dataSource, webhookModule(valid))).rejects.toThrow(
        /The database server cannot be used: it takes or answers texts in (latin1|utf8mb3) .*Set charset: 'utf8mb4'/,
      );
    },
  );
});
