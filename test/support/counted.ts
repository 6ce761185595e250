/** The counts that the statistics answer, over REST. */
export interface Counted {
  attempts: number;
  succeeded: number;
  failed: number;
  exhausted: number;
  by_code: Record<string, number>;
}

type Query = (sql: string) => Promise<unknown>;

interface AttemptRow {
  begin_at: number | string;
  end_at: number | string;
  response: string | null;
  error_code: string | null;
}

/** The counts of stored attempts, counted one by one, and their durations in order. @param where may name `t` and `a`. */
export async function countedOneByOne(query: Query, where = '1 = 1') {
  const from = 'webhook_attempt AS a JOIN webhook_trigger AS t ON t.id = a.trigger_id';
  const rows = (await query(
    `SELECT a.begin_at, a.end_at, a.response, a.error_code FROM ${from} WHERE ${where}`,
  )) as AttemptRow[];
  const failed = (await query(
    `SELECT a.trigger_id FROM ${from} WHERE t.status = 'FAILED' AND a.number = t.attempt_count AND ${where}`,
  )) as unknown[];
  const byCode: Record<string, number> = {};
  for (const { response, error_code } of rows) {
    const code = response === null ? String(error_code) : String(JSON.parse(response).status);
    byCode[code] = (byCode[code] ?? 0) + 1;
  }
  const succeeded = rows.filter(({ error_code }) => error_code === null).length;
  const counts: Counted = {
    attempts: rows.length,
    succeeded,
    failed: rows.length - succeeded,
    exhausted: failed.length,
    by_code: byCode,
  };
  const durations = rows.map((row) => Number(row.end_at) - Number(row.begin_at)).sort((a, b) => a - b);
  return { counts, durations };
}
