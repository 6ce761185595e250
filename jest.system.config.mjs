import config from './jest.config.mjs';

/** What needs processes, a browser, a broker, other languages, installs or real time. */
export default {
  ...config,
  roots: ['<rootDir>/test/system'],
  testPathIgnorePatterns: ['/node_modules/'],
  globalSetup: './test/system/support/shared/setup.mjs',
  globalTeardown: './test/system/support/shared/teardown.mjs',
};
