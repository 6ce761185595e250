import { describe, expect, it } from '@jest/globals';
import { REFUSED, useRecorded } from '../../database/development.js';
import { databases } from '../../support/databases.js';
import { runCommand } from '../support/command.js';
import { production, spawnService } from '../support/process.js';

describe.each(databases)('a database of a development version on $name', (kind) => {
  const { database, record, tables } = useRecorded(kind);

  it('is refused by the service before anything runs on it, again and again', async () => {
    await record();
    for (const env of [{}, production, production]) {
      const service = await spawnService({ ...env, DATABASE_URL: database.url });
      expect(await service.exited).toEqual({ code: 1, signal: null });
      expect(service.output).toMatch(REFUSED);
      expect(service.output).not.toMatch(/migration:run|webhookMigrations|at .*\.js/);
    }
    expect(await tables()).toEqual(['webhook_migration']);
  });

  it('is refused by migration:run, and migration:show names what it does not know', async () => {
    await record();
    const command = (name: string) => runCommand('migrate', [name], { DATABASE_URL: database.url });
    expect(await command('run')).toMatchObject({ code: 1, stderr: expect.stringMatching(REFUSED) });
    expect(await tables()).toEqual(['webhook_migration']);
    expect((await command('show')).stdout).toContain(
      '[?] FixWebhookTriggerRowLength1795219212000, which this version does not have',
    );
  });
});
