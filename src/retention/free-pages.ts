import { Injectable } from '@nestjs/common';
import { Database } from '../store/database.js';

/** The value of `PRAGMA auto_vacuum` in a file that can give pages back. */
const INCREMENTAL = 2;
/** What stays free for the rows to come: a file that shrinks and grows all the time would be slower. */
const KEPT_PAGES = 256;
const KEPT_SHARE = 0.1;
/** Given back at once: 1 MiB. */
const STEP_PAGES = 256;

/** Gives the free pages of a SQLite file back to the file system. */
@Injectable()
export class FreePages {
  constructor(private readonly database: Database) {}

  /** Gives some back. @returns how many; 0 if there are no more than should stay, or the file cannot shrink. */
  async release(): Promise<number> {
    if (!this.database.isFile || (await this.read('auto_vacuum')) !== INCREMENTAL) return 0;
    const free = await this.read('freelist_count');
    const kept = Math.max(KEPT_PAGES, KEPT_SHARE * (await this.read('page_count')));
    const pages = Math.min(STEP_PAGES, Math.floor(free - kept));
    if (pages <= 0) return 0;
    await this.database.pragma(`incremental_vacuum(${pages})`);
    return pages;
  }

  private async read(name: string): Promise<number> {
    const [row] = (await this.database.pragma(name)) as Record<string, number>[];
    return row?.[name] ?? 0;
  }
}
