export default {
  testEnvironment: 'node',
  roots: ['<rootDir>/src', '<rootDir>/test'],
  testMatch: ['**/*.spec.ts'],
  globalSetup: './test/support/shared/setup.mjs',
  globalTeardown: './test/support/shared/teardown.mjs',
  testTimeout: 60_000,
  // One more than the cores of a small machine, as many suites wait for processes and timers. A single worker would run all
  // suites in Jest's own process, which never frees their modules: gigabytes by the end.
  maxWorkers: 3,
  workerIdleMemoryLimit: '1GB',
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          target: 'es2023',
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true },
          keepClassNames: true,
        },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
  },
};
