// Loads specs, and what they import, as Node does. Jest's own runtime evaluates every module anew for each spec file, in a
// context of its own: the framework and the packages below it take seconds of processor time, a hundred times over. Here a
// worker loads them once, and what a spec has changed is put back after it: spies, and variables of the environment.
const { readFileSync } = require('node:fs');
const { registerHooks } = require('node:module');
const { fileURLToPath, pathToFileURL } = require('node:url');
const { default: JestRuntime } = require('jest-runtime');
const { keepOutput, showOutput } = require('./output.cjs');

const GLOBALS = 'jest:globals';
const NAMES = 'afterAll afterEach beforeAll beforeEach describe expect it jest test'.split(' ');
/** Where Jest's framework keeps the tests that a spec declares, and who listens to them. */
const STATE = ['JEST_STATE_SYMBOL', 'EVENT_HANDLERS'];
const ESM = {
  isInternalModule: false,
  supportsDynamicImport: true,
  supportsExportNamespaceFrom: true,
  supportsStaticESM: true,
  supportsTopLevelAwait: true,
};

if (process.connected) {
  // A worker whose run has been interrupted would go on without it.
  setInterval(() => process.connected || process.exit(), 200).unref();
  // After a long run, Node takes longer to free its memory than Jest waits for a worker to end.
  process.on('exit', (code) => process.reallyExit(code));
}

/** The runtime of the spec that runs. */
let current;
let specs = 0;
/** Paths of source maps, by the URL of what was loaded. */
const sourceMaps = new Map();

/** Calls the function of this name that belongs to the spec which runs, as a module is loaded for many. */
const late = (name) =>
  new Proxy(() => {}, {
    apply: (_, _self, args) => current.globals[name](...args),
    get: (_, key) => current.globals[name][key],
  });
globalThis[Symbol.for(GLOBALS)] = Object.fromEntries(NAMES.map((name) => [name, late(name)]));
const globalsModule = `const globals = globalThis[Symbol.for('${GLOBALS}')];
${NAMES.map((name) => `export const ${name} = globals.${name};`).join('\n')}`;

const isOurs = (url) => url?.startsWith('file:') && !url.includes('/node_modules/');

registerHooks({
  resolve(specifier, context, next) {
    if (specifier === '@jest/globals') return { url: GLOBALS, format: 'module', shortCircuit: true };
    // TypeScript names a module by the file that it is compiled to.
    if (!isOurs(context.parentURL) || !/^\.{1,2}\/.*\.js$/.test(specifier)) return next(specifier, context);
    try {
      return next(specifier.replace(/\.js$/, '.ts'), context);
    } catch (error) {
      if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
      return next(specifier, context);
    }
  },
  load(url, context, next) {
    if (url === GLOBALS) return { source: globalsModule, format: 'module', shortCircuit: true };
    const file = url.replace(/\?.*$/, '');
    if (!isOurs(url) || !file.endsWith('.ts')) return next(url, context);
    return { source: current.compile(fileURLToPath(file), url), format: 'module', shortCircuit: true };
  },
});

module.exports = class NativeRuntime extends JestRuntime {
  constructor(config, environment, resolver, transformer, ...rest) {
    super(config, environment, resolver, transformer, ...rest);
    this.transformer = transformer;
    this.env = { ...process.env };
    this.endOutput = keepOutput();
    environment.handleTestEvent = ({ name, error }) => {
      if (name === 'test_fn_failure' || name === 'hook_failure') showOutput(error);
    };
    current = this;
  }

  compile(path, url) {
    const { code, sourceMapPath } = this.transformer.transform(path, ESM, readFileSync(path, 'utf8'));
    if (sourceMapPath) sourceMaps.set(url, sourceMapPath);
    return code;
  }

  getSourceMaps() {
    return sourceMaps;
  }

  unstable_shouldLoadAsEsm() {
    return true;
  }

  /** Under a name of its own, as a watching Jest runs a spec again. */
  async unstable_importModule(path) {
    await import(`${pathToFileURL(path)}?${++specs}`);
  }

  /** Jest's framework, which begins anew for each spec. */
  requireInternalModule(path) {
    for (const symbol of Object.getOwnPropertySymbols(globalThis))
      if (STATE.includes(symbol.description)) delete globalThis[symbol];
    delete require.cache[path];
    return require(path);
  }

  setGlobalsForRuntime(globals) {
    const { moduleMocker } = this._environment;
    const jest = {
      fn: moduleMocker.fn.bind(moduleMocker),
      spyOn: moduleMocker.spyOn.bind(moduleMocker),
      restoreAllMocks: () => moduleMocker.restoreAllMocks(),
    };
    this.globals = { ...globals, jest };
  }

  teardown() {
    this.restoreAllMocks();
    for (const name of Object.keys(process.env)) if (!(name in this.env)) delete process.env[name];
    Object.assign(process.env, this.env);
    this.endOutput();
    super.teardown();
  }
};
