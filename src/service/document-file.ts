import { fileURLToPath } from 'node:url';

/** The committed OpenAPI document, beside `package.json`. A test holds it to the code. Stands here, as deep as the service's bundle does. */
export const DOCUMENT_FILE = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? '../../openapi.json' : '../../../openapi.json', import.meta.url),
);
