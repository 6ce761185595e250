import type { Config } from './config/config.js';

/** The text printed when the service starts outside production. */
export function welcome(
  url: string,
  { databaseUrl, docs, console }: Pick<Config, 'databaseUrl' | 'docs' | 'console'>,
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
 * @param console where the console is; null if it cannot be opened from here. The key is then part of a link that logs in.
 * Browsers do not send what stands behind `#`, so it is in no log.
 */
export const keyBox = (key: string, console: string | null): string =>
  console === null
    ? box('Your admin API key, shown this once:', key)
    : box(
        'This link logs you in to the console. It ends with your admin API key, shown this once:',
        `${console}#key=${key}`,
      );

function box(...lines: string[]): string {
  const width = Math.max(...lines.map((line) => line.length));
  const rule = '─'.repeat(width + 2);
  return [`┌${rule}┐`, ...lines.map((line) => `│ ${line.padEnd(width)} │`), `└${rule}┘`].join('\n');
}
