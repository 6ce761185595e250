import {
  WebhookModule,
  type WebhookModuleAsyncOptions,
  type WebhookModuleOptions,
  type WebhookModuleStructure,
} from '../../../src/index.js';
import type { Mistake } from './mistake.js';
import { memory, start, valid } from './start.js';

const { encryptionKeys } = valid;

const forRoot = (options: unknown) =>
  start(memory(), WebhookModule.forRoot(options as WebhookModuleOptions & Partial<WebhookModuleStructure>));
const forRootAsync = (options: unknown) =>
  start(memory(), WebhookModule.forRootAsync(options as WebhookModuleAsyncOptions));
const returning = (returned: unknown) => forRootAsync({ useFactory: async () => returned });

type Row = [title: string, given: unknown, says: RegExp];

const kind = { event: 'paid', descripton: 'Paid.', schema: {}, example: {} };

const OF_FOR_ROOT: Row[] = [
  ['an option without its last letter', { encryptionKey: encryptionKeys }, /did you mean encryptionKeys\?/],
  ['a misspelt group', { encryptionKeys, delivry: {} }, /delivry: .* did you mean delivery\?/],
  ['delivery.timeout', { encryptionKeys, delivery: { timeout: 1 } }, /did you mean delivery\.timeoutMs\?/],
  ['timeoutMs outside of delivery', { ...valid, timeoutMs: 2 }, /here; did you mean delivery\.timeoutMs\?/],
  ['an unknown option', { ...valid, colour: 'red' }, /colour: is not an option; there are routes, prefix, /],
  [
    'an event kind with a misspelt field',
    { encryptionKeys, eventKinds: { PAID: kind } },
    /did you mean eventKinds\.PAID\.description\?/,
  ],
  ['isglobal', { ...valid, isglobal: true }, /did you mean isGlobal\?/],
  ['useFactory', { useFactory: () => valid }, /useFactory: is an option of forRootAsync/],
  ['no options', undefined, /needs the options, such as \{ encryptionKeys \}, not undefined/],
  ['a guard, and no array', { ...valid, guards: class Guard {} }, /guards: must be an array, such as/],
  [
    'a guard left undefined by a circular import',
    { ...valid, guards: [undefined] },
    /guards\.0: must be a guard/,
  ],
  ['a data source', { ...valid, dataSource: {} }, /dataSource: must be the name of a data source/],
  ['a misspelt path of the console', { ...valid, console: { pth: 'x' } }, /did you mean console\.path\?/],
  ['the path of the console beside it', { ...valid, path: 'x' }, /here; did you mean console\.path\?/],
  ['a text as console', { ...valid, console: 'hooks' }, /console: must be true, false, or \{ path \}/],
  [
    'a path that begins with a slash',
    { ...valid, console: { path: '/x' } },
    /console\.path: must be a path such/,
  ],
  ['a path upwards', { ...valid, console: { path: '../x' } }, /console\.path: must be a path such/],
  ['a path with a parameter', { ...valid, console: { path: ':x' } }, /console\.path: must be a path such/],
  ['a path in the API', { ...valid, console: { path: 'v1/x' } }, /console\.path: must not begin with v1/],
  ['a console without the API', { ...valid, routes: false, console: true }, /console: needs the REST API/],
  ['a caller as principal', { ...valid, principal: { userId: 'a' } }, /must be a function of the request/],
];

const OF_FOR_ROOT_ASYNC: Row[] = [
  ['prefx', { prefx: 'x', useFactory: () => valid }, /prefx: is not an option; did you mean prefix\?/],
  ['usefactory', { usefactory: () => valid }, /did you mean useFactory\?/],
  ['no useFactory', { inject: [] }, /lacks useFactory; write useFactory: \(config: ConfigService\)/],
  ['a useFactory that is called already', { useFactory: valid }, /must be a function that returns/],
  ['a class to inject, and no array', { inject: class Keys {}, useFactory: () => valid }, /must be an array/],
  ['encryptionKeys beside useFactory', { ...valid, useFactory: () => valid }, /goes into what useFactory/],
  [
    'a console without the API',
    { routes: false, console: {}, useFactory: () => valid },
    /console: needs the REST API/,
  ],
  ['a function', () => valid, /needs \{ useFactory: .*not a function/],
];

const structure = {
  routes: false,
  prefix: 'x',
  isGlobal: true,
  dataSource: 'x',
  guards: [],
  principal: () => 1,
  console: true,
};

const OF_USE_FACTORY: Row[] = [
  ...Object.entries(structure).map(
    ([name, value]): Row => [
      name,
      { ...valid, [name]: value },
      new RegExp(`${name}: decides how the module is assembled.*write it beside useFactory`),
    ],
  ),
  ['delivry', { ...valid, delivry: {} }, /delivry: is not an option; did you mean delivery\?/],
  ['egress.allowHTTPS', { ...valid, egress: { allowHTTPS: true } }, /did you mean egress\.allowHttp\?/],
  ['nothing', undefined, /must return the options, such as \{ encryptionKeys \}, not undefined/],
  ['null', null, /must return the options, such as \{ encryptionKeys \}, not null/],
  ['only the keys', encryptionKeys, /must return the options, such as \{ encryptionKeys \}, not a string/],
  ['an array', [valid], /must return the options, such as \{ encryptionKeys \}, not an array/],
];

const rows = (rows: Row[], title: (what: string) => string, make: (given: unknown) => unknown): Mistake[] =>
  rows.map(([what, given, says]) => ({ title: title(what), make: () => make(given), says }));

/** Mistakes in the options of the module. */
export const optionMistakes: Mistake[] = [
  ...rows(OF_FOR_ROOT, (what) => `passes ${what} to forRoot`, forRoot),
  ...rows(OF_FOR_ROOT_ASYNC, (what) => `passes ${what} to forRootAsync`, forRootAsync),
  ...rows(OF_USE_FACTORY, (what) => `returns ${what} from useFactory`, returning),
];
