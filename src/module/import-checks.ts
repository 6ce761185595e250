import { z } from 'zod';
import { ConfigError } from '../platform/config/config-error.js';
import {
  isOptions,
  kindOf,
  type OptionProblem,
  problemsOf,
  refuse,
} from '../platform/config/given-options.js';
import { structureFields } from './structural-options.js';
import { optionFields } from './webhook-options.js';

const list = z.array(z.unknown(), { error: 'must be an array' }).optional();
const asyncFields = {
  imports: list,
  inject: list,
  provideInjectionTokensFrom: list,
  useFactory: z
    .custom((given) => typeof given === 'function', { error: 'must be a function that returns the options' })
    .optional(),
  useClass: z.unknown().optional(),
  useExisting: z.unknown().optional(),
};
const EXAMPLE = 'useFactory: (config: ConfigService) => ({ encryptionKeys: … })';

const ONLY_ASYNC = {
  names: Object.keys(asyncFields),
  message: 'is an option of forRootAsync; write WebhookModule.forRootAsync({ … })',
};
const IN_RESULT = {
  names: Object.keys(optionFields),
  message: 'goes into what useFactory returns, not beside useFactory',
};

/** What is wrong with structural options that are right by themselves. */
function contradictions({ routes, console }: Record<string, unknown>): OptionProblem[] {
  if (routes !== false || !console) return [];
  return [{ path: 'console', message: 'needs the REST API; leave routes out', isName: false }];
}

const isStructural = ({ path }: OptionProblem) => path.replace(/\..*$/s, '') in structureFields;

/**
 * Checks the names of all options of `forRoot`, and its structural values. The other values are checked at the start,
 * because they may depend on the environment.
 *
 * @throws ConfigError naming every option that is wrong.
 */
export function checkOptions(given: unknown): void {
  if (!isOptions(given)) {
    throw new ConfigError([
      `WebhookModule.forRoot: needs the options, such as { encryptionKeys }, not ${kindOf(given)}`,
    ]);
  }
  const problems = [
    ...problemsOf({ ...structureFields, ...optionFields }, given, ONLY_ASYNC),
    ...contradictions(given),
  ];
  refuse(problems.filter((problem) => problem.isName || isStructural(problem)));
}

/**
 * Checks everything that is given to `forRootAsync` at import.
 *
 * @throws ConfigError naming every option that is wrong.
 */
export function checkAsyncOptions(given: unknown): void {
  if (!isOptions(given)) {
    throw new ConfigError([`WebhookModule.forRootAsync: needs { ${EXAMPLE} }, not ${kindOf(given)}`]);
  }
  refuse([...problemsOf({ ...structureFields, ...asyncFields }, given, IN_RESULT), ...contradictions(given)]);
  if (!given.useFactory && !given.useClass && !given.useExisting) {
    throw new ConfigError([`WebhookModule.forRootAsync: lacks useFactory; write ${EXAMPLE}`]);
  }
}
