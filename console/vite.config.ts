import { readFileSync } from 'node:fs';
import { defineConfig, type Plugin } from 'vite';

/** The server puts the real mount path in its place, in index.html only. */
const BASE = '/__console__/';

/** Which service `npm run console:dev` calls. */
const SERVICE = 'http://127.0.0.1:3000';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
/** Where each language's function stands in the page about verifying. */
const HEADINGS = {
  typescript: 'TypeScript, without the library',
  python: 'Python',
  go: 'Go',
  php: 'PHP',
  ruby: 'Ruby',
  shell: 'Shell',
};

/**
 * The code that receivers verify with is that of the documentation, which is tested. It is a file of its own, as nobody
 * needs it before he asks for it; the module is its address.
 */
const codeOfVerify: Plugin = {
  name: 'code-of-verify',
  enforce: 'pre',
  transform(page, id) {
    if (!id.endsWith('/docs/verify.md')) return;
    const code = Object.entries(HEADINGS).map(([language, heading]) => {
      const [, found] = page.split(`\n## ${heading}\n`)[1]?.match(/^```\w+\n(.*?)^```$/ms) ?? [];
      if (found === undefined) throw new Error(`${id} has no code below "${heading}"`);
      return [language, found];
    });
    const source = JSON.stringify(Object.fromEntries(code));
    const address =
      this.environment.mode === 'dev'
        ? JSON.stringify(`data:application/json,${encodeURIComponent(source)}`)
        : `import.meta.ROLLUP_FILE_URL_${this.emitFile({ type: 'asset', name: 'verify.json', source })}`;
    return { code: `export default ${address}`, map: null };
  },
};

/** Says in development what the server says otherwise. */
const place: Plugin = {
  name: 'place',
  apply: 'serve',
  transformIndexHtml: (html) =>
    html.replace('__PLACE__', JSON.stringify({ base: BASE.slice(0, -1), api: '/v1', session: true })),
};

export default defineConfig({
  root: import.meta.dirname,
  base: BASE,
  plugins: [place, codeOfVerify],
  define: { __VERSION__: JSON.stringify(version) },
  // Scripts find each other by their own address, so the mount path is compiled into none of them.
  experimental: {
    renderBuiltUrl: (_name, { hostType }) => (hostType === 'html' ? undefined : { relative: true }),
  },
  build: {
    outDir: '../dist/console',
    emptyOutDir: true,
    target: ['chrome123', 'firefox125', 'safari17.5'],
    cssCodeSplit: false,
    // The policy of the page allows no data: but for pictures.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    license: { fileName: 'LICENSES.md' },
  },
  server: { proxy: { '/v1': SERVICE, '/health': SERVICE, '/metrics': SERVICE } },
});
