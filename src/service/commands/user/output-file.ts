import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, lstatSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { Refusal } from './refusal.js';

/** What file systems without hard links say. */
const NO_LINKS = new Set(['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP']);

/** A file that appears whole under its name, or not at all, and that only its owner can read. */
export class OutputFile {
  private readonly partial: string;
  private readonly descriptor: number;

  /** @throws Refusal if there is a file of that name, or none can be made. */
  constructor(private readonly path: string) {
    // Not the process id, which is always the same in a container.
    this.partial = `${path}.${randomBytes(4).toString('hex')}.part`;
    // Also a link that leads nowhere.
    if (lstatSync(path, { throwIfNoEntry: false }))
      throw new Refusal(`There is a file ${path} already. Remove it, or name another one.`);
    try {
      this.descriptor = openSync(this.partial, 'wx', 0o600);
    } catch (error) {
      throw new Refusal(`The file ${path} cannot be written: ${(error as Error).message}`);
    }
  }

  write(text: string): void {
    const bytes = Buffer.from(text);
    for (let written = 0; written < bytes.length; )
      written += writeSync(this.descriptor, bytes, written, bytes.length - written);
    fsyncSync(this.descriptor);
    // Unlike a rename, it replaces nothing.
    try {
      linkSync(this.partial, this.path);
    } catch (error) {
      if (!NO_LINKS.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
      renameSync(this.partial, this.path);
    }
  }

  close(): void {
    closeSync(this.descriptor);
    rmSync(this.partial, { force: true });
  }
}
