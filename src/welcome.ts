import type { Config } from './config/config.js';

/** What a person who has just started the service wants to know. */
export function welcome(url: string, { databaseUrl, docs }: Pick<Config, 'databaseUrl' | 'docs'>): string {
  return `
  API        ${url}/v1${docs ? `\n  Swagger UI ${url}/docs` : ''}
  Database   ${databaseUrl.replace(/\/\/([^@/]*)@/, '//…@')}

  Try it:
  curl -H "Authorization: Bearer $API_KEY" ${url}/v1/webhook/list
`;
}
