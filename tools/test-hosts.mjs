// Proves that applications of many kinds can use the package: `npm run test:hosts` generates each of tools/hosts/hosts.mjs,
// installs the tarball into it as docs/embedding.md says, compiles it, runs its tests and runs it.
//
//   npm run test:hosts -- oldest npm-webpack   only these
//   npm run test:hosts:short                   those that differ most
//   --packed                                   uses the tarball that `npm run package` wrote before
//
// Applications on MariaDB get databases of their own at TEST_MYSQL_URL. If no server answers, they are left out, or fail
// with REQUIRE_MARIADB.
import { HOSTS, SHORT } from './hosts/hosts.mjs';
import { tryHost } from './hosts/try-host.mjs';
import { readCommandLine, refuse } from './support/command-line.mjs';
import { makePackages, packages } from './support/commands.mjs';
import { faultOfMysql } from './support/mariadb.mjs';

const options = { short: { type: 'boolean' }, packed: { type: 'boolean' } };
const { values, positionals } = readCommandLine({ options, allowPositionals: true });

function chosen() {
  const names = values.short ? SHORT : positionals;
  const unknown = names.filter((name) => !HOSTS.some((host) => host.name === name));
  if (unknown.length > 0)
    refuse(`Unknown: ${unknown.join(', ')}. There are: ${HOSTS.map(({ name }) => name).join(', ')}.`);
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
const faultOfDatabase = await faultOfMysql();
const [major] = process.versions.node.split('.').map(Number);

/** @returns why the host cannot be tried here; null if it can. */
function faultOf({ module, test, database }) {
  if (database === 'mariadb' && faultOfDatabase !== null) return faultOfDatabase;
  const requiresInJest = module === 'commonjs' && test.endsWith('jest');
  return requiresInJest && major < 24 ? 'Jest cannot require ES modules before Node 24.9' : null;
}

async function report(host) {
  const fault = faultOf(host);
  if (fault !== null && !(fault === faultOfDatabase && process.env.REQUIRE_MARIADB)) {
    console.log(`host ${host.name}: LEFT OUT, ${fault}`);
    return;
  }
  const start = Date.now();
  const { passed, failed } = fault === null ? await countsOf(host, tarball) : { passed: 0, failed: 1 };
  const remark = fault ?? `${Math.round((Date.now() - start) / 1000)} s`;
  console.log(`host ${host.name}: ${passed} passed, ${failed} failed (${remark})`);
  if (failed > 0) process.exitCode = 1;
}

for (const host of chosen()) await report(host);
