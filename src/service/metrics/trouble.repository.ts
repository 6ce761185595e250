import { Injectable } from '@nestjs/common';
import { Database } from '../../store/database.js';
import type { DisabledReason } from '../../store/tables/webhook/webhook.entity.js';

/** Counting stops here: a scrape must not read millions of rows. */
const MAX_COUNTED = 100_000;

/** What an operator should know of; each count stops at 100,000. */
export interface Trouble {
  /** Enabled webhooks whose last attempts have all failed. */
  failing: number;
  /** Webhooks that the service has disabled, by its reason. */
  disabled: Record<DisabledReason, number>;
  /** Settlements whose counts are not in the statistics yet. */
  deltas: number;
  /** Running processes; one that died counts until the others notice. */
  instances: number;
}

/** Counts through indexes, for the metrics. */
@Injectable()
export class TroubleRepository {
  constructor(private readonly database: Database) {}

  async read(): Promise<Trouble> {
    const disabled = (reason: DisabledReason) => this.count('webhook WHERE disabled_reason = ?', [reason]);
    const [failing, forGone, forFailing, deltas, instances] = await Promise.all([
      this.count('webhook WHERE failing_since > 0 AND enabled = 1'),
      disabled('gone'),
      disabled('failing'),
      this.count('webhook_statistic_delta'),
      this.count('webhook_instance'),
    ]);
    return { failing, disabled: { gone: forGone, failing: forFailing }, deltas, instances };
  }

  private async count(from: string, parameters: unknown[] = []): Promise<number> {
    const [row] = await this.database.query<{ found: number | string }[]>(
      `SELECT COUNT(*) AS found FROM (SELECT 1 FROM ${from} LIMIT ${MAX_COUNTED}) AS counted`,
      parameters,
    );
    return Number(row?.found ?? 0);
  }
}
