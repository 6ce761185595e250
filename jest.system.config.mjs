import config from './jest.config.mjs';

/** What needs processes, a browser, a broker, other languages, installs or real time. */
export default {
  ...config,
  roots: ['<rootDir>/test/system'],
  testPathIgnorePatterns: ['/node_modules/'],
  globalSetup: '<rootDir>/test/system/support/shared/setup.mjs',
  globalTeardown: '<rootDir>/test/system/support/shared/teardown.mjs',
};
