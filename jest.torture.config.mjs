import config from './jest.config.mjs';

/** Kills, stops and starves real processes. `SUITE=short` is the form that `.ci/full` runs. */
export default {
  ...config,
  roots: ['<rootDir>/test/torture'],
  testMatch: ['**/*.torture.ts'],
  testTimeout: 300_000,
  maxWorkers: 1,
};
