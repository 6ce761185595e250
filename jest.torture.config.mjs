import config from './jest.config.mjs';

/** Real processes that are killed, stopped and starved; `TORTURE=short` is what runs on every change. */
export default {
  ...config,
  roots: ['<rootDir>/test/torture'],
  testMatch: ['**/*.torture.ts'],
  testTimeout: 300_000,
  maxWorkers: 1,
};
