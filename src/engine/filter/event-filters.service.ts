import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { EntityManager } from 'typeorm';
import { tellUnreadable } from '../../platform/json/column-json.js';
import { parseExactly, parseMarked } from '../../platform/json/exact-json.js';
import { Slices } from '../../platform/slices.js';
import { Database } from '../../store/database.js';
import { compileStored } from './compile-filter.js';
import type { CompiledFilter } from './conditions.js';
import { RecordJudge } from './judge.js';
import { filterHashOf } from './stored-filter.js';

/** Characters of the texts whose compiled filters are kept. Each may take 30 bytes of memory, nested lists above all. */
const MAX_TEXT = 2 * 1024 * 1024;
/** What each filter takes in any case, in characters as well. */
const OF_A_FILTER = 32;

/** An event that may have a filter. */
export interface Filterable {
  /** The event's id. */
  eventId: string;
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
  private readonly compiled = new LRUCache<string, CompiledFilter>({ maxSize: MAX_TEXT });
  /** Filters are compiled, and records judged, by the hundred and for milliseconds each. */
  private readonly slices = new Slices();

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
    return new BatchFilters(found, this.slices);
  }

  private async read(
    missing: Filterable[],
    found: Map<string, CompiledFilter>,
    manager: EntityManager | null,
  ): Promise<void> {
    const ids = this.database.sql.idList([...new Set(missing.map(({ eventId }) => eventId))]);
    const rows = await this.database.query<Row[]>(
      `SELECT id, filter, filter_hash FROM webhook_event WHERE id IN ${ids.sql}`,
      [ids.parameter],
      manager ?? undefined,
    );
    const byId = new Map(rows.map((row) => [row.id, row]));
    const unread = new Map<string, { id: string; filter: string; hash: string }>();
    for (const subscription of missing) {
      const row = byId.get(subscription.eventId);
      const filter = row?.filter ?? null;
      subscription.filterHash = row?.filter_hash ?? null;
      const hash = row?.filter_hash ?? null;
      // Of one hash there may be a text that is damaged, and one that is not.
      if (row && filter !== null && hash !== null && !found.has(hash))
        unread.set(`${hash} ${filter}`, { id: row.id, filter, hash });
    }
    const compiling = [...unread.values()].map(({ id, filter, hash }) =>
      this.slices.run(() => {
        const compiled = compiledOf(filter, hash);
        if (!compiled) return tellUnreadable({ column: 'webhook_event.filter', row: id });
        this.compiled.set(hash, compiled, { size: filter.length + OF_A_FILTER });
        found.set(hash, compiled);
      }),
    );
    await Promise.all(compiling);
  }
}

/**
 * Null for a filter that cannot be read, which lets everything through. Nor is it kept: the hash may be right while the text
 * is not, and others may have a filter of that hash.
 */
function compiledOf(text: string, hash: string): CompiledFilter | null {
  if (filterHashOf(text) !== hash) return null;
  try {
    const compilation = compileStored(parseExactly(text));
    return compilation.ok ? compilation.filter : null;
  } catch {
    return null;
  }
}

/** The filters of some events. */
export class BatchFilters {
  constructor(
    private readonly filters: ReadonlyMap<string, CompiledFilter>,
    private readonly slices: Slices,
  ) {}

  get isEmpty(): boolean {
    return this.filters.size === 0;
  }

  /** The events whose filters do not let a notification through, each with the part that does not match. */
  unmatched<T extends Filterable>(subscriptions: T[], body: Buffer): Promise<{ one: T; part: string }[]> {
    return this.slices.run(() => this.judge(subscriptions, body));
  }

  private judge<T extends Filterable>(subscriptions: T[], body: Buffer): { one: T; part: string }[] {
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
