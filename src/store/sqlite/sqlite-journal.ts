import { stat } from 'node:fs/promises';

/** SQLite checkpoints by itself from 4 MiB on, but can restart the journal only while nobody reads. */
const MAX_BYTES = 64 * 1024 * 1024;
const POLL_MS = 1000;
/** The pause after a checkpoint that a long read prevented: writes had to wait for it. */
const AGAIN_MS = 30_000;

/** Bounds a SQLite database's write-ahead log, which would grow for as long as some read is always running. */
export class SqliteJournal {
  private lookAt = 0;

  /** @param query runs a statement among the writes. */
  constructor(
    private readonly path: string,
    private readonly query: (sql: string) => Promise<unknown>,
  ) {}

  /** Must be called on each read. */
  read(): void {
    const now = performance.now();
    if (now < this.lookAt) return;
    // Prevents another check until this one has finished.
    this.lookAt = now + AGAIN_MS;
    this.bound().then(
      (isBound) => {
        if (isBound) this.lookAt = performance.now() + POLL_MS;
      },
      // The next check tries again; other statements report what is wrong with the database.
      () => {},
    );
  }

  /** Waits for the running reads; reads that begin meanwhile no longer need the journal. */
  private async bound(): Promise<boolean> {
    const { size } = await stat(`${this.path}-wal`);
    if (size <= MAX_BYTES) return true;
    const [end] = (await this.query('PRAGMA wal_checkpoint(TRUNCATE)')) as { busy: number }[];
    return end?.busy === 0;
  }
}
