import { generateLoad, type Scene, WEBHOOKS } from './scene.js';
import { startService } from './service.js';
import { pause } from './stats.js';

/** Rows per statement, so that a small redo log and buffer pool can hold the transaction. */
const CHUNK = 20_000;
/** Older than any new id. */
const PREFIX = '01900000-0000-7000-8000-';

/**
 * Fills the tables with copies of real triggers, ten per notification: delivered ones for `finished`, waiting ones
 * for `pending`.
 */
export async function fill(scene: Scene, kind: 'finished' | 'pending', triggers: number): Promise<void> {
  await makeSample(scene, kind);
  const { database } = scene;
  const notifications = triggers / WEBHOOKS;
  const series = (from: number, to: number) =>
    database.kind === 'sqlite'
      ? `(WITH RECURSIVE s(seq) AS (SELECT ${from} UNION ALL SELECT seq + 1 FROM s WHERE seq < ${to}) SELECT seq FROM s)`
      : `seq_${from}_to_${to}`;
  const id = (number: string) =>
    database.kind === 'sqlite'
      ? `'${PREFIX}' || printf('%012x', ${number})`
      : `CONCAT('${PREFIX}', LPAD(LOWER(HEX(${number})), 12, '0'))`;
  const triggerId = id(`n.seq * ${WEBHOOKS} + t.place`);

  const [sample] = await database.query<{ id: string }>(
    'SELECT id FROM webhook_notification ORDER BY id LIMIT 1',
  );
  const sampleId = sample?.id ?? '';
  const copies: { table: string; set: Record<string, string>; from: string }[] = [
    {
      table: 'webhook_notification',
      set: { id: id('n.seq') },
      from: '(SELECT * FROM webhook_notification WHERE id = ?) t',
    },
    {
      table: 'webhook_trigger',
      set: { id: triggerId, notification_id: id('n.seq') },
      from: `(SELECT webhook_trigger.*, ROW_NUMBER() OVER (ORDER BY id) - 1 AS place
        FROM webhook_trigger WHERE notification_id = ?) t`,
    },
    {
      table: 'webhook_attempt',
      set: { trigger_id: triggerId },
      from: `(SELECT a.*, ROW_NUMBER() OVER (ORDER BY w.id) - 1 AS place
        FROM webhook_attempt a JOIN webhook_trigger w ON w.id = a.trigger_id WHERE w.notification_id = ?) t`,
    },
  ];
  for (const { table, set, from } of copies) {
    const columns = await columnsOf(scene, table);
    const values = columns.map((column) => set[column] ?? `t.${column}`);
    const step = table === 'webhook_notification' ? CHUNK : CHUNK / WEBHOOKS;
    for (let at = 1; at <= notifications; at += step) {
      const numbers = series(at, Math.min(notifications, at + step - 1));
      await database.query(
        `INSERT INTO ${table} (${columns.join(', ')}) SELECT ${values.join(', ')} FROM ${numbers} n CROSS JOIN ${from}`,
        [sampleId],
      );
    }
  }
  const [count] = await database.query<{ n: number }>('SELECT COUNT(*) AS n FROM webhook_trigger');
  if (Number(count?.n) !== triggers + WEBHOOKS) throw new Error(`${count?.n} triggers, not ${triggers}`);
  await database.query(database.kind === 'sqlite' ? 'PRAGMA wal_checkpoint(TRUNCATE)' : 'SELECT 1');
}

/** One real notification, accepted by the service and, for `finished`, delivered. */
async function makeSample(scene: Scene, kind: 'finished' | 'pending'): Promise<void> {
  const service = await startService(scene.database.url, kind === 'finished' ? 'both' : 'api');
  await generateLoad(service.origin, 1);
  while (kind === 'finished' && (await scene.succeeded()) < WEBHOOKS) await pause(50);
  await service.stop();
}

async function columnsOf({ database }: Scene, table: string): Promise<string[]> {
  const rows =
    database.kind === 'sqlite'
      ? await database.query<{ name: string }>('SELECT name FROM pragma_table_info(?)', [table])
      : await database.query<{ name: string }>(
          `SELECT column_name AS name FROM information_schema.columns
           WHERE table_schema = DATABASE() AND table_name = ? AND COALESCE(generation_expression, '') = ''
           ORDER BY ordinal_position`,
          [table],
        );
  return rows.map(({ name }) => name);
}
