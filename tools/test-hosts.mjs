// Proves that applications of many kinds can use the package: `npm run test:hosts` generates each of tools/hosts/hosts.mjs,
// installs the tarball into it as docs/embedding.md says, compiles it, runs its tests and runs it.
//
//   npm run test:hosts -- oldest npm-webpack   only these
//   npm run test:hosts:short                   those that differ most
//   --packed                                   uses the tarball that `npm run package` wrote before
//
// Applications on MariaDB get databases of their own at TEST_MYSQL_URL. If no server answers, they are left out, or fail
// with REQUIRE_MARIADB.
import { parseArgs } from 'node:util';
import { HOSTS, SHORT } from './hosts/hosts.mjs';
import { tryHost } from './hosts/try-host.mjs';
import { makePackages, packages } from './support/commands.mjs';
import { faultOfMysql } from './support/mariadb.mjs';

const options = { short: { type: 'boolean' }, packed: { type: 'boolean' } };
const { values, positionals } = parseArgs({ options, allowPositionals: true });

function chosen() {
  const names = values.short ? SHORT : positionals;
  const unknown = names.filter((name) => !HOSTS.some((host) => host.name === name));
  if (unknown.length > 0)
    throw new Error(
      `Unknown: ${unknown.join(', ')}. There are: ${HOSTS.map(({ name }) => name).join(', ')}.`,
    );
  return names.length > 0 ? HOSTS.filter(({ name }) => names.includes(name)) : HOSTS;
}

/** @returns the counts of steps. The first one that fails is the last one. */
async function countsOf(host, tarball) {
  let passed = 0;
  try {
    await tryHost(host, tarball, async (step, work) => {
      try {
        const result = await work();
        passed++;
        return result;
      } catch (error) {
        throw new Error(`${step}: FAILED`, { cause: error });
      }
    });
    return { passed, failed: 0 };
  } catch (error) {
    console.log(`host ${host.name}: ${error.message}\n${error.cause?.stack ?? error.stack}`);
    return { passed, failed: 1 };
  }
}

const { tarball } = values.packed ? packages() : makePackages();
const fault = await faultOfMysql();
for (const host of chosen()) {
  const start = Date.now();
  const skipped = host.database === 'mariadb' && fault !== null;
  if (skipped && !process.env.REQUIRE_MARIADB) {
    console.log(`host ${host.name}: LEFT OUT, ${fault}`);
    continue;
  }
  const { passed, failed } = skipped ? { passed: 0, failed: 1 } : await countsOf(host, tarball);
  const reason = skipped ? fault : `${Math.round((Date.now() - start) / 1000)} s`;
  console.log(`host ${host.name}: ${passed} passed, ${failed} failed (${reason})`);
  if (failed > 0) process.exitCode = 1;
}
