import { readdir, readFile } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import { CONSOLE_FOLDER } from '../console-folder.js';

const PAGE = 'index.html';
/** Smaller files gain nothing. */
const MIN_COMPRESSED_BYTES = 1024;
const BROTLI_QUALITY = 9;

const TEXTS: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
};
const OTHERS: Record<string, string> = {
  '.ico': 'image/x-icon',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
};

/** An encoding of HTTP that the files are kept in; `identity` is none. */
export type Encoding = 'br' | 'gzip' | 'identity';

export interface ConsoleFile {
  type: string;
  /** Whether its name changes with its content. */
  isHashed: boolean;
  bytes: Partial<Record<Encoding, Buffer>> & { identity: Buffer };
}

/** The built console. */
export interface BuiltConsole {
  /** `index.html`, before it knows where it is. */
  page: string;
  /** All others, by their path below the console. A request is looked up here, and so reaches no other file. */
  files: Map<string, ConsoleFile>;
}

/** Keeps the built console in memory, compressed: it is small, and a host may serve no files itself. */
@Injectable()
export class ConsoleFiles {
  folder = CONSOLE_FOLDER;
  private built: Promise<BuiltConsole | null> | undefined;

  /** Read at the first use. @returns null if it was not built; the next use looks again. */
  async read(): Promise<BuiltConsole | null> {
    this.built ??= readConsole(this.folder).then((built) => {
      if (!built) this.built = undefined;
      return built;
    });
    return this.built;
  }
}

async function readConsole(folder: string): Promise<BuiltConsole | null> {
  const page = await readFile(join(folder, PAGE), 'utf8').catch(() => null);
  if (page === null) return null;
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile() && entry.name !== PAGE)
    .map(async (entry): Promise<[string, ConsoleFile]> => {
      const path = join(entry.parentPath, entry.name);
      const name = path.slice(folder.length + 1).replaceAll(sep, '/');
      return [name, await fileOf(name, await readFile(path))];
    });
  return { page, files: new Map(await Promise.all(files)) };
}

async function fileOf(name: string, identity: Buffer): Promise<ConsoleFile> {
  const ending = extname(name);
  const text = TEXTS[ending];
  const type = text ?? OTHERS[ending] ?? 'application/octet-stream';
  const isHashed = name.startsWith('assets/');
  if (!text || identity.length < MIN_COMPRESSED_BYTES) return { type, isHashed, bytes: { identity } };
  const [br, zipped] = await Promise.all([
    promisify(brotliCompress)(identity, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
    promisify(gzip)(identity),
  ]);
  return { type, isHashed, bytes: { identity, br, gzip: zipped } };
}
