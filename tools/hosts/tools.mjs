// How the host applications are built and tested: scripts, the packages these need, and their configuration.

const SWC = {
  jsc: {
    target: 'es2023',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true },
    keepClassNames: true,
  },
  sourceMaps: true,
};
const swcrc = ({ module }) =>
  JSON.stringify({ ...SWC, module: { type: module === 'esm' ? 'es6' : 'commonjs' } });
const NEST = { '@nestjs/cli': '12.0.8' };
const SWC_CORE = { '@swc/core': '1.16.18' };
const nestCli = (compilerOptions) => JSON.stringify({ sourceRoot: 'src', compilerOptions });

export const BUILDERS = {
  tsc: { script: 'tsc', start: ['dist/main.js'] },
  nest: {
    script: 'nest build',
    start: ['dist/main.js'],
    packages: NEST,
    files: () => ({ 'nest-cli.json': nestCli({}) }),
  },
  'nest-swc': {
    script: 'nest build',
    start: ['dist/main.js'],
    packages: { ...NEST, ...SWC_CORE, '@swc/cli': '0.8.1' },
    files: (host) => ({
      'nest-cli.json': nestCli({ builder: 'swc', typeCheck: true }),
      '.swcrc': swcrc(host),
    }),
  },
  swc: {
    script: 'tsc --noEmit && swc src --out-dir dist --strip-leading-paths',
    start: ['dist/main.js'],
    packages: { ...SWC_CORE, '@swc/cli': '0.8.1' },
    files: (host) => ({ '.swcrc': swcrc(host) }),
  },
  webpack: {
    script: 'nest build --webpack',
    start: ['dist/main.js'],
    packages: {
      ...NEST,
      'fork-ts-checker-webpack-plugin': '9.1.0',
      'ts-loader': '9.5.4',
      'tsconfig-paths-webpack-plugin': '4.2.0',
      webpack: '5.112.2',
      'webpack-node-externals': '3.0.0',
    },
    files: () => ({ 'nest-cli.json': nestCli({ webpack: true }) }),
  },
  // Nothing is built; the application runs from its source.
  'ts-node': {
    script: 'tsc --noEmit',
    start: ['--require', 'ts-node/register', 'src/main.ts'],
    packages: { 'ts-node': '10.9.2' },
  },
};

const JEST = { jest: '30.5.2', '@jest/globals': '30.5.2' };
/** Only with this option does Jest run ES modules, which Nest and this package are. */
const RUN_JEST =
  'node --experimental-vm-modules --disable-warning=ExperimentalWarning node_modules/jest/bin/jest.js';
/** In milliseconds: migrations on a busy machine take more than the runners' own five seconds. */
const TEST_TIMEOUT = 60_000;
const jestConfig = ({ module }, transform) =>
  `module.exports = ${JSON.stringify({
    testEnvironment: 'node',
    testTimeout: TEST_TIMEOUT,
    roots: ['<rootDir>/src'],
    testRegex: '\\.spec\\.ts$',
    ...(module === 'esm'
      ? { extensionsToTreatAsEsm: ['.ts'], moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' } }
      : {}),
    transform: { '\\.ts$': transform },
  })};`;

export const RUNNERS = {
  node: { from: 'node:test', script: 'node --test dist/orders.spec.js' },
  'ts-node': { from: 'node:test', script: 'node --require ts-node/register --test src/orders.spec.ts' },
  jest: {
    from: '@jest/globals',
    script: RUN_JEST,
    packages: { ...JEST, ...SWC_CORE, '@swc/jest': '0.2.39' },
    files: (host) => ({
      'jest.config.cjs': jestConfig(host, [
        '@swc/jest',
        { ...SWC, swcrc: false, module: { type: host.module === 'esm' ? 'es6' : 'commonjs' } },
      ]),
    }),
  },
  'ts-jest': {
    from: '@jest/globals',
    script: RUN_JEST,
    packages: { ...JEST, 'ts-jest': '29.4.15' },
    files: (host) => ({ 'jest.config.cjs': jestConfig(host, 'ts-jest') }),
  },
  vitest: {
    from: 'vitest',
    script: 'vitest run',
    packages: { vite: '8.3.8', vitest: '5.1.1' },
    files: () => ({
      'vitest.config.mts': `export default ${JSON.stringify({
        test: { include: ['src/**/*.spec.ts'], testTimeout: TEST_TIMEOUT },
      })};\n`,
    }),
  },
};
