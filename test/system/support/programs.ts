import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const FOLDERS = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];

/** The path of a program, or null if it is not installed. */
export const find = (program: string): string | null =>
  FOLDERS.map((folder) => join(folder, program)).find((path) => existsSync(path)) ?? null;

/** The first of these files that exists, or null. */
export const firstOf = (paths: string[]): string | null => paths.find((path) => existsSync(path)) ?? null;
