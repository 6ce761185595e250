import { Injectable } from '@nestjs/common';
import { isLockTimeout, LockedRowsError, StatementTooLargeError } from '../../platform/database-error.js';
import { timeOfId } from '../../platform/ids/first-id.js';
import { Slices } from '../../platform/slices.js';
import type { StatisticDeltaEntity } from '../../store/tables/statistic-delta.entity.js';
import { deltaAt, entriesFrom } from './delta.js';
import { StatisticDeltaRepository } from './statistic-delta.repository.js';
import { RowSums, type SumsPart } from './sums.js';

/** How many deltas, and characters of theirs, are merged at once: the more, the fewer rows are written for each. */
const MAX_DELTAS = 500;
const MAX_CHARACTERS = 4 * 1024 * 1024;
/** How many deltas a statement reads: one may have some hundred KiB. */
const READ_AT_ONCE = 50;
/** How many rows a transaction writes, about, so that deliveries never wait for long. */
const MAX_ROWS = 600;

interface Taken {
  deltas: StatisticDeltaEntity[];
  mayBeMore: boolean;
}

/**
 * Adds what settlements have counted to the statistics. Deltas are merged first, as many at once as can be: what it costs is rows,
 * and a webhook has the same rows in all of them. If that makes more rows than one transaction should write, the deltas are
 * replaced by fewer that share no webhook and kind, and those are added one by one. At each moment the sums and the deltas
 * that are left make the same whole.
 */
@Injectable()
export class StatisticAdding {
  private readonly slices = new Slices();
  /** Fewer where the database takes little at a time. */
  private maxRows = MAX_ROWS;

  constructor(private readonly repository: StatisticDeltaRepository) {}

  /** Deltas that somebody has locked are left, and so are those of sums that somebody has locked. @returns whether there may be more. */
  async addSome(): Promise<boolean> {
    const { deltas, mayBeMore } = await this.take();
    const locked = new Set<string>();
    for (;;) {
      try {
        const isAllAdded = await this.addAll(deltas.filter(({ id }) => !locked.has(id)));
        return !isAllAdded || (mayBeMore && locked.size === 0);
      } catch (error) {
        if (error instanceof StatementTooLargeError && this.maxRows > 1) {
          this.maxRows = Math.ceil(this.maxRows / 4);
          return true;
        }
        if (!(error instanceof LockedRowsError)) throw error;
        for (const id of error.keys) locked.add(id);
      }
    }
  }

  /** @returns false if some have to be tried again. */
  private async addAll(deltas: StatisticDeltaEntity[]): Promise<boolean> {
    if (deltas.length === 0) return true;
    const ids = deltas.map(({ id }) => id);
    const parts = await this.partsOf(deltas, this.maxRows);
    if (parts.length > 1) return this.addInParts(deltas, parts);
    try {
      return await this.repository.add(ids, parts[0]?.rows ?? []);
    } catch (error) {
      if (!isLockTimeout(error) || error instanceof LockedRowsError) throw error;
      return this.addInParts(deltas, await this.partsOf(deltas, 1));
    }
  }

  /** A part whose sums somebody has locked does not keep the others. */
  private async addInParts(deltas: StatisticDeltaEntity[], parts: SumsPart[]): Promise<boolean> {
    const madeAt = timeOfId(String(deltas[0]?.id));
    const made = parts.map(({ entries }) => deltaAt(madeAt, entries));
    const ids = deltas.map(({ id }) => id);
    if (!(await this.repository.replace(ids, made))) return false;
    let isAllAdded = true;
    let failure: unknown;
    for (const [index, { id }] of made.entries()) {
      const { rows } = parts[index] as SumsPart;
      const isAdded = await this.repository.add([id], rows).catch((error: unknown) => {
        if (!isLockTimeout(error)) throw error;
        failure ??= error;
        return true;
      });
      if (!isAdded) isAllAdded = false;
    }
    if (failure !== undefined) throw failure;
    return isAllAdded;
  }

  private async take(): Promise<Taken> {
    const deltas: StatisticDeltaEntity[] = [];
    let characters = 0;
    while (deltas.length < MAX_DELTAS && characters < MAX_CHARACTERS) {
      const found = await this.repository.find(deltas.at(-1)?.id ?? '', READ_AT_ONCE);
      deltas.push(...found);
      for (const { counts } of found) characters += counts.length;
      if (found.length < READ_AT_ONCE) return { deltas, mayBeMore: false };
    }
    return { deltas, mayBeMore: true };
  }

  private async partsOf(deltas: StatisticDeltaEntity[], maxRows: number): Promise<SumsPart[]> {
    const sums = new RowSums();
    for (const delta of deltas) {
      await this.slices.run(() => {
        for (const entry of entriesFrom(delta)) sums.add(entry);
      });
    }
    const parts: SumsPart[] = [];
    const all = sums.parts(maxRows);
    for (;;) {
      const { value, done } = await this.slices.run(() => all.next());
      if (done) return parts;
      parts.push(value);
    }
  }
}
