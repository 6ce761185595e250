import { stat } from 'node:fs/promises';

/** SQLite puts it back by itself from 4 MiB on, but begins it anew only at a moment when nobody reads. */
const MAX_BYTES = 64 * 1024 * 1024;
const LOOK_MS = 1000;
/** Where somebody read for too long: meanwhile nothing was written. */
const AGAIN_MS = 30_000;

/** Keeps the journal of a SQLite database from growing for as long as there is always somebody who reads. */
export class SqliteJournal {
  private lookAt = 0;

  /** @param query runs a statement when it is its turn to write. */
  constructor(
    private readonly path: string,
    private readonly query: (sql: string) => Promise<unknown>,
  ) {}

  /** To be called with each read. */
  read(): void {
    const now = performance.now();
    if (now < this.lookAt) return;
    // Until it is known what came of this look.
    this.lookAt = now + AGAIN_MS;
    this.bound().then(
      (isBound) => {
        if (isBound) this.lookAt = performance.now() + LOOK_MS;
      },
      // Another look follows; what is wrong with the database others will say.
      () => {},
    );
  }

  /** Waits for the reads that are under way; who begins one meanwhile needs the journal no more. */
  private async bound(): Promise<boolean> {
    const { size } = await stat(`${this.path}-wal`);
    if (size <= MAX_BYTES) return true;
    const [end] = (await this.query('PRAGMA wal_checkpoint(TRUNCATE)')) as { busy: number }[];
    return end?.busy === 0;
  }
}
