import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

const ROOT = join(import.meta.dirname, '../../..');
const read = (name: string) => JSON.parse(readFileSync(join(ROOT, name), 'utf8'));

/** A script that npm was told to run with `--ignore-scripts` or `--silent` hands that on. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !name.startsWith('npm_config_')),
);

describe('an installation', () => {
  const tools: string[] = Object.keys(read('tools/package.json').devDependencies);
  let folder: string;
  const copy = (...files: string[]) => {
    for (const file of files) cpSync(join(ROOT, file), join(folder, file));
  };
  const npm = (...args: string[]) =>
    spawnSync('npm', [...args, '--offline', '--no-audit', '--no-fund'], {
      cwd: folder,
      env,
      encoding: 'utf8',
      timeout: 60_000,
    });

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'webhook-install-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('has nothing that only tests, linters and releases need', () => {
    // All that the image copies before it.
    copy('package.json', 'package-lock.json', '.npmrc', 'client/package.json', 'console/package.json');
    const { status, stdout } = npm('ci', '--dry-run');
    const added = [...stdout.matchAll(/^add (\S+) /gm)].map(([, name]) => name as string);
    expect(status).toBe(0);
    expect(added).toEqual(expect.arrayContaining(['fastify', 'rolldown', 'vite']));
    expect(added.filter((name) => tools.includes(name))).toEqual([]);
  });

  // npm itself does not look, as `.npmrc` turns peers off.
  it('has the peers that its packages ask for', () => {
    interface Package {
      peerDependencies?: object;
      peerDependenciesMeta?: object;
    }
    const packages: Record<string, Package> = read('package-lock.json').packages;
    const missing = Object.entries(packages).flatMap(([path, { peerDependencies, peerDependenciesMeta }]) => {
      const optional = new Set(Object.keys(peerDependenciesMeta ?? {}));
      const wanted = Object.keys(peerDependencies ?? {}).filter((name) => !optional.has(name));
      return wanted.filter((name) => !packages[`node_modules/${name}`]).map((name) => `${path}: ${name}`);
    });
    expect(missing).toEqual([]);
  });

  it('is completed by each script that needs more', () => {
    const { packages } = read('package-lock.json');
    const programs = tools.flatMap((name) => Object.keys(packages[`node_modules/${name}`].bin ?? {}));
    const scripts = Object.entries<string>(read('package.json').scripts);
    const unprepared = scripts.filter(([, script]) => {
      const commands = script.split(' && ');
      const needsTools = commands.some((command) => programs.includes(command.split(' ')[0] as string));
      return needsTools && !commands.includes('node tools/setup.mjs');
    });
    // Before this one comes `pretest`, which makes the client.
    expect(unprepared.map(([name]) => name)).toEqual(['test']);
  });

  it('knows of every install script of a package whether it may run', () => {
    const packages: Record<string, { hasInstallScript?: boolean }> = read('package-lock.json').packages;
    const withScript = Object.keys(packages).filter((path) => packages[path]?.hasInstallScript);
    const names = withScript.map((path) => path.slice(path.lastIndexOf('node_modules/') + 13));
    expect(Object.keys(read('package.json').allowScripts)).toEqual(expect.arrayContaining(names));
  });

  it('runs no install script that is not listed', () => {
    const ran = join(folder, 'ran');
    const write = (path: string, content: object) =>
      writeFileSync(join(folder, path), JSON.stringify({ version: '1.0.0', ...content }));
    mkdirSync(join(folder, 'evil'));
    write('evil/package.json', { name: 'evil', scripts: { postinstall: `touch ${ran}` } });
    execFileSync('npm', ['pack', './evil'], { cwd: folder, stdio: 'ignore' });
    write('package.json', { name: 'victim', dependencies: { evil: 'file:./evil-1.0.0.tgz' } });
    copy('.npmrc');
    const { status, stderr } = npm('install');
    expect(stderr).toContain('evil@1.0.0');
    expect(status).not.toBe(0);
    expect(existsSync(ran)).toBe(false);
  });
});
