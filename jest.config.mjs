// For a Jest that was not started by a script.
import './tools/setup.mjs';

export default {
  testEnvironment: 'node',
  runtime: '<rootDir>/test/support/jest/runtime.cjs',
  setupFilesAfterEnv: ['<rootDir>/test/support/jest/clean.ts'],
  roots: ['<rootDir>/src', '<rootDir>/test'],
  testMatch: ['**/*.spec.ts'],
  globalSetup: './test/support/shared/setup.mjs',
  globalTeardown: './test/support/shared/teardown.mjs',
  testTimeout: 60_000,
  // Twice the cores of a small machine, as most specs wait for processes and timers.
  maxWorkers: 4,
  workerIdleMemoryLimit: '1GB',
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
