import { WebhookModule } from '../../../src/index.js';
import { database, start, valid } from '../application.js';
import type { Mistake } from './mistake.js';

const { encryptionKeys } = valid;
const { forRoot, forRootAsync } = WebhookModule;

type Row = [what: string, given: unknown, says: RegExp];

const kind = { event: 'paid', descripton: 'Paid.', schema: {}, example: {} };
const useFactory = () => valid;

const OF_FOR_ROOT: Row[] = [
  ['timeoutMs outside of delivery', { ...valid, timeoutMs: 2 }, /here; did you mean delivery\.timeoutMs\?/],
  ['an unknown option', { ...valid, colour: 'red' }, /colour: is not an option; there are routes, prefix, /],
  ['a kind with a misspelt field', { eventKinds: { PAID: kind } }, /mean eventKinds\.PAID\.description\?/],
  ['isglobal', { ...valid, isglobal: true }, /did you mean isGlobal\?/],
  ['useFactory', { useFactory }, /useFactory: is an option of forRootAsync/],
  ['no options', undefined, /needs the options, such as \{ encryptionKeys \}, not undefined/],
  ['a guard, and no array', { ...valid, guards: class Guard {} }, /guards: must be an array, such as/],
  ['a guard of a circular import', { ...valid, guards: [undefined] }, /guards\.0: must be a guard/],
  ['a data source', { ...valid, dataSource: {} }, /dataSource: must be the name of a data source/],
  ['a misspelt path of the console', { ...valid, console: { pth: 'x' } }, /did you mean console\.path\?/],
  ['the path of the console beside it', { ...valid, path: 'x' }, /here; did you mean console\.path\?/],
  ['a text as console', { ...valid, console: 'hooks' }, /console: must be true, false, or \{ path \}/],
  ['a path with a slash before it', { ...valid, console: { path: '/x' } }, /must be a path such/],
  ['a path upwards', { ...valid, console: { path: '../x' } }, /console\.path: must be a path such/],
  ['a path with a parameter', { ...valid, console: { path: ':x' } }, /console\.path: must be a path such/],
  ['a path in the API', { ...valid, console: { path: 'v1/x' } }, /console\.path: must not begin with v1/],
  ['a console without the API', { ...valid, routes: false, console: true }, /console: needs the REST API/],
  ['a caller as principal', { ...valid, principal: { userId: 'a' } }, /must be a function of the request/],
];

const OF_FOR_ROOT_ASYNC: Row[] = [
  ['usefactory', { usefactory: useFactory }, /did you mean useFactory\?/],
  ['no useFactory', { inject: [] }, /lacks useFactory; write useFactory: \(config: ConfigService\)/],
  ['a useFactory that is called already', { useFactory: valid }, /must be a function that returns/],
  ['a class to inject, and no array', { inject: class Keys {}, useFactory }, /must be an array/],
  ['a console without the API', { routes: false, console: {}, useFactory }, /console: needs the REST API/],
  ['the keys beside useFactory', { encryptionKeys, useFactory }, /goes into what useFactory returns/],
  ['a function', () => valid, /needs \{ useFactory: .*not a function/],
];

const OF_USE_FACTORY: Row[] = [
  ...['routes', 'dataSource', 'guards', 'principal', 'console', 'prefix', 'isGlobal'].map(
    (name): Row => [
      name,
      { ...valid, [name]: undefined },
      new RegExp(`${name}: decides how the module is assembled.*write it beside useFactory`),
    ],
  ),
  ['egress.allowHTTPS', { ...valid, egress: { allowHTTPS: true } }, /did you mean egress\.allowHttp\?/],
  ['nothing', undefined, /must return the options, such as \{ encryptionKeys \}, not undefined/],
  ['only the keys', encryptionKeys, /must return the options, such as \{ encryptionKeys \}, not a string/],
  ['an array', [valid], /must return the options, such as \{ encryptionKeys \}, not an array/],
];

/** Mistakes in the options of the module. */
export const optionMistakes: Mistake[] = [
  ...OF_FOR_ROOT.map(
    ([what, given, says]): Mistake => [`passes ${what} to forRoot`, () => forRoot(given as never), says],
  ),
  ...OF_FOR_ROOT_ASYNC.map(
    ([what, given, says]): Mistake => [
      `passes ${what} to forRootAsync`,
      () => forRootAsync(given as never),
      says,
    ],
  ),
  ...OF_USE_FACTORY.map(
    ([what, given, says]): Mistake => [
      `returns ${what} from useFactory`,
      () => start(database(), forRootAsync({ useFactory: () => given as never })),
      says,
    ],
  ),
];
