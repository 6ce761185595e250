import { closeSync, existsSync, fsyncSync, linkSync, openSync, rmSync, writeSync } from 'node:fs';
import { Refusal } from './refusal.js';

/** A file that appears whole under its name, or not at all, and that only its owner can read. */
export class OutputFile {
  private readonly partial: string;
  private readonly descriptor: number;

  /** @throws Refusal if there is a file of that name, or none can be made. */
  constructor(private readonly path: string) {
    this.partial = `${path}.${process.pid}.part`;
    if (existsSync(path))
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
    linkSync(this.partial, this.path);
  }

  close(): void {
    closeSync(this.descriptor);
    rmSync(this.partial, { force: true });
  }
}
