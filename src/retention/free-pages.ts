import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../platform/clock.js';
import { Database } from '../store/database.js';

/** The value of `PRAGMA auto_vacuum` in a file that can give pages back. */
const INCREMENTAL = 2;
/** What stays free for the rows to come: a file that shrinks and grows all the time would be slower. */
const KEPT_PAGES = 256;
const KEPT_SHARE = 0.1;
const FIRST_PAGES = 64;
const MAX_PAGES = 4096;
const AIM_MS = 10;

/** Gives the free pages of a SQLite file back to the file system. */
@Injectable()
export class FreePages {
  private pages = FIRST_PAGES;

  constructor(
    private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Gives some back. @returns how many; 0 if there are no more than should stay, or the file cannot shrink. */
  async giveBack(): Promise<number> {
    if (this.database.dialect !== 'sqlite' || (await this.read('auto_vacuum')) !== INCREMENTAL) return 0;
    const free = await this.read('freelist_count');
    const kept = Math.max(KEPT_PAGES, KEPT_SHARE * (await this.read('page_count')));
    const pages = Math.min(this.pages, Math.floor(free - kept));
    if (pages <= 0) return 0;
    const begin = this.clock.monotonic();
    await this.database.pragma(`incremental_vacuum(${pages})`);
    const ms = Math.max(1, this.clock.monotonic() - begin);
    this.pages = Math.round(
      Math.min(MAX_PAGES, Math.max(FIRST_PAGES / 4, this.pages * Math.min(2, AIM_MS / ms))),
    );
    return pages;
  }

  private async read(name: string): Promise<number> {
    const [row] = (await this.database.pragma(name)) as Record<string, number>[];
    return row?.[name] ?? 0;
  }
}
