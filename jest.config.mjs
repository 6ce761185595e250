// For a Jest that was not started by a script.
import './tools/setup.mjs';

/** The tests whose result depends on the sources alone, not on how busy the machine is. */
export default {
  testEnvironment: 'node',
  runtime: '<rootDir>/test/support/jest/runtime.cjs',
  globalSetup: '<rootDir>/test/support/run/setup.mjs',
  globalTeardown: '<rootDir>/test/support/run/teardown.mjs',
  setupFilesAfterEnv: ['clean', 'no-deadline'].map((name) => `<rootDir>/test/support/jest/${name}.ts`),
  roots: ['<rootDir>/src', '<rootDir>/test'],
  testMatch: ['**/*.spec.ts'],
  // What depends on more than the sources has a configuration of its own: jest.system.config.mjs.
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/system/'],
  // Several times as long as a test waits for what has to come (test/support/until.ts).
  testTimeout: 240_000,
  // Twice the cores of a small machine, as most specs wait for the database and timers.
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
