// Checks the tarballs that `npm run package` wrote, with publint and attw: `npm run lint:package`.

import { packages } from './support/commands.mjs';
import { lintPackage } from './support/lint-package.mjs';

const { tarball, client } = packages();
for (const file of [tarball, client]) if (!(await lintPackage(file))) process.exitCode = 1;
