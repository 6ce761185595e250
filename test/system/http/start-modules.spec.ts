import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from '@jest/globals';
import { production, startProcess } from '../support/process.js';

const ROOT = join(import.meta.dirname, '../../..');
const PRINT_STACKS = join(ROOT, 'test/system/support/print-stacks.cjs');
const HOOK = pathToFileURL(join(import.meta.dirname, '../support/note-modules.mjs')).href;

/** Not needed for the first answers in production: for the document, other transports, databases and brokers. */
const LATER = [
  '@fastify/static',
  '@nestjs/axios',
  '@nestjs/swagger',
  'amqplib',
  'axios',
  'es-toolkit',
  'mysql2',
  'pino-pretty',
  'swagger-ui-dist',
];
/** Packages that applications may have beside Nest, or that only development has. */
const NEVER = ['@nestjs/microservices', '@nestjs/platform-express', '@nestjs/websockets', 'class-validator'];

describe('a process that starts', () => {
  const folder = mkdtempSync(join(tmpdir(), 'webhook-modules-'));
  const list = join(folder, 'modules');
  afterAll(() => rmSync(folder, { recursive: true }));

  /** The packages of which the process has loaded a file, or a part of the bundle that has one. */
  const loaded = () => {
    const files = readFileSync(list, 'utf8').trim().split('\n');
    const names = files.flatMap((file) => [file, ...sourcesOf(file)]).flatMap(packageOf);
    return { files, names: new Set(names) };
  };

  it('answers before it loads what few calls need', async () => {
    const service = await startProcess({
      ...production,
      DATABASE_URL: 'sqlite:./data/test.sqlite',
      NODE_OPTIONS: `--import=${HOOK}`,
      MODULE_LIST: list,
    });
    try {
      expect((await service.call('GET', '/v1/webhook/list')).status).toBe(200);
      expect((await service.call('GET', '/docs')).status).toBe(200);
      expect((await service.call('GET', '/docs/openapi.json')).body.openapi).toBe('3.1.0');
      const first = loaded();
      expect(first.names).toContain('typeorm');
      expect([...LATER, ...NEVER].filter((name) => first.names.has(name))).toEqual([]);
      // Each file is found, read and compiled by itself.
      const own = first.files.filter((file) => file.startsWith('file:'));
      expect(own.length).toBeLessThan(40);
      expect(own.flatMap(packageOf)).toEqual(expect.arrayContaining(['sqlite-driver']));
    } finally {
      await service.end('SIGKILL');
    }
  });
});

describe('a stack of the built service', () => {
  it('names the files and lines of the sources', async () => {
    const service = await startProcess({
      DATABASE_URL: 'sqlite::memory:',
      NODE_OPTIONS: `--require=${PRINT_STACKS}`,
    });
    await service.end('SIGTERM');
    const [, file = '', line] = /Error: printed\n.*print-stacks.*\n +at \w+ \((src\/[\w/.-]+):(\d+)\)/.exec(
      service.output,
    ) ?? [service.output];
    expect(file).toBe('src/service/serve.ts');
    expect(readFileSync(join(ROOT, file), 'utf8').split('\n')[Number(line) - 1]).toContain('console.log(');
    expect(service.output).not.toContain('dist/service/bundle/serve.cjs');
  });
});

function sourcesOf(file: string): string[] {
  const table = file.startsWith('file:') ? `${fileURLToPath(file)}.lines.json` : '';
  return existsSync(table) ? JSON.parse(readFileSync(table, 'utf8')).sources : [];
}

const packageOf = (path: string) =>
  /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules)/.exec(path)?.[1] ?? [];
