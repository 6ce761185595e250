import { fileURLToPath } from 'node:url';

/**
 * The built console: beside the compiled code, in the service as in the package; sources use what was built last. Stands here, as
 * deep as the service's bundle does.
 */
export const CONSOLE_FOLDER = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? '../../dist/console' : '../../console', import.meta.url),
);
