import { Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { EntityManager } from 'typeorm';
import { parseExactly, parseMarked } from '../../common/json/exact-json.js';
import { Database } from '../../database/database.js';
import { idList } from '../../database/json-rows.js';
import { compileFilter } from './compile-filter.js';
import type { CompiledFilter } from './conditions.js';
import { RecordJudge } from './judge.js';

const MAX_COMPILED = 10_000;
const MATCHES_ALL: CompiledFilter = () => null;

/** An event that may have a filter. */
export interface Filterable {
  /** The event's id. */
  subscriptionId: string;
  /** Names its filter; null if it lets everything through. */
  filterHash: string | null;
}

interface Row {
  id: string;
  filter: string | null;
  filter_hash: string | null;
}

/** The filters of events, compiled once for each content. */
@Injectable()
export class EventFilters {
  private readonly logger = new Logger('Filters');
  private readonly compiled = new LRUCache<string, CompiledFilter>({ max: MAX_COMPILED });

  constructor(private readonly database: Database) {}

  /**
   * The filters of these subscriptions. One that was changed since they were read decides as it is now, and they are updated.
   *
   * @param manager of the transaction that will be accepted in, or null.
   */
  async of(subscriptions: Filterable[], manager: EntityManager | null): Promise<BatchFilters> {
    const found = new Map<string, CompiledFilter>();
    const missing: Filterable[] = [];
    for (const subscription of subscriptions) {
      if (subscription.filterHash === null) continue;
      const filter = this.compiled.get(subscription.filterHash);
      if (filter) found.set(subscription.filterHash, filter);
      else missing.push(subscription);
    }
    if (missing.length > 0) await this.read(missing, found, manager);
    return new BatchFilters(found);
  }

  private async read(
    missing: Filterable[],
    found: Map<string, CompiledFilter>,
    manager: EntityManager | null,
  ): Promise<void> {
    const ids = idList(this.database.dialect, [
      ...new Set(missing.map(({ subscriptionId }) => subscriptionId)),
    ]);
    const rows = await this.database.query<Row[]>(
      `SELECT id, filter, filter_hash FROM webhook_event WHERE id IN ${ids.sql}`,
      [ids.parameter],
      manager ?? undefined,
    );
    const byId = new Map(rows.map((row) => [row.id, row]));
    for (const subscription of missing) {
      const { filter = null, filter_hash = null } = byId.get(subscription.subscriptionId) ?? {};
      subscription.filterHash = filter_hash;
      if (filter === null || filter_hash === null || found.has(filter_hash)) continue;
      const compiled = this.compile(subscription.subscriptionId, filter);
      this.compiled.set(filter_hash, compiled);
      found.set(filter_hash, compiled);
    }
  }

  /** A filter that cannot be read lets everything through. */
  private compile(eventId: string, text: string): CompiledFilter {
    const problem = (message: string): CompiledFilter => {
      this.logger.error({
        msg: 'filter cannot be read, and lets everything through',
        event_id: eventId,
        cause: message,
      });
      return MATCHES_ALL;
    };
    try {
      const compilation = compileFilter(parseExactly(text));
      return compilation.ok ? compilation.filter : problem(compilation.problems[0]?.message ?? '');
    } catch (error) {
      return problem((error as Error).message);
    }
  }
}

/** The filters of some events. */
export class BatchFilters {
  constructor(private readonly filters: ReadonlyMap<string, CompiledFilter>) {}

  get isEmpty(): boolean {
    return this.filters.size === 0;
  }

  /** The events whose filters do not let a notification through, each with the part that does not match. */
  unmatched<T extends Filterable>(subscriptions: T[], body: Buffer): { one: T; part: string }[] {
    if (this.isEmpty) return [];
    let judge: RecordJudge | null = null;
    const unmatched: { one: T; part: string }[] = [];
    for (const one of subscriptions) {
      const filter = one.filterHash === null ? undefined : this.filters.get(one.filterHash);
      if (!filter) continue;
      judge ??= new RecordJudge(dataOf(body));
      const part = judge.unmatched(filter);
      if (part !== null) unmatched.push({ one, part });
    }
    return unmatched;
  }
}

const dataOf = (body: Buffer): unknown => (parseMarked(body.toString()) as { data: unknown }).data;
