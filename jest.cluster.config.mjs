import config from './jest.config.mjs';

/** Kills, stops and cuts off the nodes of real clusters. `SUITE=short` is the form that `.ci/full` runs. */
export default {
  ...config,
  roots: ['<rootDir>/test/cluster'],
  testMatch: ['**/*.cluster.ts'],
  testTimeout: 300_000,
  maxWorkers: 1,
};
