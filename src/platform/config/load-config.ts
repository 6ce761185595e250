import type { z } from 'zod';
import { ConfigError } from './config-error.js';
import { MAKE_ENCRYPTION_KEY } from './encryption-keys.js';
import { VARIABLES } from './environment.js';
import type { Variable } from './environment-variable.js';
import { retentionProblems } from './retention-check.js';
import { type ServiceConfig, serviceConfig } from './service-config.js';

const VARIABLE_OF = new Map<string, string>(Object.entries(VARIABLES).map(([name, { key }]) => [key, name]));

/** The text of every variable that is set, by its name. */
type Texts = Map<string, string>;

/**
 * Reads the settings from the environment. An empty or blank value counts as unset.
 *
 * @throws ConfigError naming every variable that is wrong.
 */
export function loadConfig(env: NodeJS.ProcessEnv): ServiceConfig {
  const texts: Texts = new Map();
  for (const name of Object.keys(VARIABLES)) {
    const text = env[name]?.trim();
    if (text) texts.set(name, text);
  }
  const result = serviceConfig.safeParse(valuesOf(texts));
  const problems = result.success ? [] : problemsOf(texts, result.error.issues);
  if (texts.get('NODE_ENV') === 'production' && !texts.has('ENCRYPTION_KEYS')) {
    problems.push(`ENCRYPTION_KEYS: is required in production; make one with: ${MAKE_ENCRYPTION_KEY}`);
  }
  const tooShort = result.success ? retentionProblems(result.data) : [];
  problems.push(...tooShort.map(({ key, message }) => `${VARIABLE_OF.get(key)}: ${message}`));
  if (!result.success || problems.length > 0) throw new ConfigError(problems);
  return result.data;
}

/** The values as the schema nests them. */
function valuesOf(texts: Texts): object {
  const root: Record<string, unknown> = {};
  // The service has its process to itself, and private networks are open to it during development.
  const groups: Record<string, Record<string, unknown>> = {
    egress: { allowPrivateNetwork: texts.get('NODE_ENV') !== 'production' },
    delivery: { gentle: false },
    retention: {},
    intake: {},
  };
  for (const [name, { key, read }] of Object.entries(VARIABLES)) {
    const text = texts.get(name);
    if (text === undefined) continue;
    const [setting = key, group = ''] = key.split('.').reverse();
    const target = groups[group] ?? root;
    target[setting] = read(text);
  }
  return { ...root, ...groups };
}

/** One line for each variable that is wrong: its first issue. */
function problemsOf(texts: Texts, issues: z.core.$ZodIssue[]): string[] {
  return Object.entries(VARIABLES).flatMap(([name, variable]) => {
    const path = variable.key.split('.');
    const issue = issues.find((one) => path.every((part, depth) => one.path[depth] === part));
    if (!issue) return [];
    const value = variable.isSecret ? '' : `=${JSON.stringify(texts.get(name)?.slice(0, 80))}`;
    return [`${name}${value}: ${messageOf(variable, issue)}`];
  });
}

function messageOf({ key, must }: Variable, { path, message }: z.core.$ZodIssue): string {
  if (must !== undefined) return must;
  const entry = path[key.split('.').length];
  return typeof entry === 'number' ? `entry ${entry + 1} ${message}` : message;
}
