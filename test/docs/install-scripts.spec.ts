import { execFileSync, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

const ROOT = join(import.meta.dirname, '../..');
const read = (name: string) => JSON.parse(readFileSync(join(ROOT, name), 'utf8'));

describe('install scripts of dependencies', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'webhook-install-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('are all listed as allowed or denied', () => {
    const { packages } = read('package-lock.json') as {
      packages: Record<string, { hasInstallScript?: boolean }>;
    };
    const withScript = Object.keys(packages).filter((path) => packages[path]?.hasInstallScript);
    const names = withScript.map((path) => path.slice(path.lastIndexOf('node_modules/') + 13));
    expect(Object.keys(read('package.json').allowScripts)).toEqual(expect.arrayContaining(names));
  });

  it('do not run when they are not listed', () => {
    const npm = (...args: string[]) => {
      const options = { cwd: folder, encoding: 'utf8', timeout: 60_000 } as const;
      return spawnSync('npm', [...args, '--offline', '--no-audit', '--no-fund'], options);
    };
    const ran = join(folder, 'ran');
    const write = (path: string, content: object) =>
      writeFileSync(join(folder, path), JSON.stringify({ version: '1.0.0', ...content }));
    mkdirSync(join(folder, 'evil'));
    write('evil/package.json', { name: 'evil', scripts: { postinstall: `touch ${ran}` } });
    execFileSync('npm', ['pack', './evil'], { cwd: folder, stdio: 'ignore' });
    write('package.json', { name: 'victim', dependencies: { evil: 'file:./evil-1.0.0.tgz' } });
    copyFileSync(join(ROOT, '.npmrc'), join(folder, '.npmrc'));
    const { status, stderr } = npm('install');
    expect(stderr).toContain('evil@1.0.0');
    expect(status).not.toBe(0);
    expect(existsSync(ran)).toBe(false);
  }, 120_000);
});
