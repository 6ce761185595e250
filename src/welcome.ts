import type { Config } from './config/config.js';

/** The text printed when the service starts outside production. */
export function welcome(url: string, { databaseUrl, docs }: Pick<Config, 'databaseUrl' | 'docs'>): string {
  return `
  API        ${url}/v1${docs ? `\n  Swagger UI ${url}/docs` : ''}
  Database   ${withoutCredentials(databaseUrl)}

  Try it:
  curl -H "Authorization: Bearer $API_KEY" ${url}/v1/webhook/list
`;
}

/** Removes everything up to the last `@`, as an unencoded password may hold `@`, `/`, `?` or `#` itself. */
const withoutCredentials = (url: string) =>
  url.startsWith('sqlite:') ? url : url.replace(/\/\/.*@/s, '//…@');
