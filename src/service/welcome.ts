import type { ServiceConfig } from '../platform/config/service-config.js';

/** The text printed when the service starts outside production. */
export function welcome(
  url: string,
  { databaseUrl, docs, console }: Pick<ServiceConfig, 'databaseUrl' | 'docs' | 'console'>,
): string {
  const places = [
    ...(console ? [['Console', `${url}/console/`]] : []),
    ['API', `${url}/v1`],
    ...(docs ? [['Swagger UI', `${url}/docs`]] : []),
    ['Database', withoutCredentials(databaseUrl)],
  ];
  return `
${places.map(([name = '', place]) => `  ${name.padEnd(10)} ${place}`).join('\n')}

  Try it:
  curl -H "Authorization: Bearer $API_KEY" ${url}/v1/webhook/list
`;
}

/** Removes everything up to the last `@`, as an unencoded password may hold `@`, `/`, `?` or `#` itself. */
const withoutCredentials = (url: string) =>
  url.startsWith('sqlite:') ? url : url.replace(/\/\/.*@/s, '//…@');

/**
 * Frames the new admin key, which is shown this once.
 *
 * @param link to the console, with the code that logs in; null if it cannot be opened from here. It holds no key: browsers
 * keep what stands behind `#` in their history.
 */
export const keyBox = (key: string, link: string | null): string =>
  box(
    'Your admin API key, shown this once:',
    key,
    ...(link === null
      ? []
      : ['', 'This link logs you in to the console, once and within ten minutes:', link]),
  );

function box(...lines: string[]): string {
  const width = Math.max(...lines.map((line) => line.length));
  const rule = '─'.repeat(width + 2);
  return [`┌${rule}┐`, ...lines.map((line) => `│ ${line.padEnd(width)} │`), `└${rule}┘`].join('\n');
}
