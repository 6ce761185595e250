import type { Config } from './config/config.js';

/** What a person who has just started the service wants to know. */
export function welcome(url: string, { databaseUrl, docs }: Pick<Config, 'databaseUrl' | 'docs'>): string {
  return `
  API        ${url}/v1${docs ? `\n  Swagger UI ${url}/docs` : ''}
  Database   ${withoutCredentials(databaseUrl)}

  Try it:
  curl -H "Authorization: Bearer $API_KEY" ${url}/v1/webhook/list
`;
}

/** Up to the last `@`: a password may hold others, and whatever else would end it in a URL that is written well. */
const withoutCredentials = (url: string) =>
  url.startsWith('sqlite:') ? url : url.replace(/\/\/.*@/s, '//…@');
