// Imports run one way, down this list: a room sees those below it. Paths below src/, as regular expressions.

const HOUSE = [
  'index\\.ts$',
  'service/',
  'module/',

  'notifier/',
  'notification/',
  'webhook/',
  'event/',
  'trigger/',
  'statistics/',
  'streams/',
  'auth/',
  'rest/',

  'retention/',
  'engine/[^/]+$',
  'engine/leases/',
  'engine/replay/',
  'engine/dispatch/',
  'engine/accept/',
  'engine/settle/',
  'engine/report/',
  'engine/send/',
  'engine/queue/',
  'engine/ordering/',
  'engine/counts/',
  'engine/metrics/',
  'engine/instance/',
  'engine/ledger/',
  'engine/health/',
  'engine/webhook/',
  'engine/filter/',
  'engine/changes/',

  'idempotency/',
  'move/',
  'network/',
  'store/schema/',
  'store/tables/',
  'store/(?!schema/|tables/)',
  'jobs/',
  'nest/',
  'platform/',
];

const SPEC = '\\.spec\\.ts$';
const COMMANDS = '^(src/(index|service/main|service/commands/[^/]+)|console/(main|vite\\.config))\\.tsx?$';
const TYPEORM = 'node_modules/(typeorm|@nestjs/typeorm)/';
const MAY_USE_TYPEORM = ['\\.(repository|entity|module)\\.ts$', '^src/store/', SPEC];
const MAY_NAME_ENTITY_MANAGER = [
  '^src/.+\\.service\\.ts$',
  '^src/engine/accept/(acceptor|accept-store|fan-out|decision-sets)\\.ts$',
  '^src/notifier/notify-options\\.ts$',
];
const SOCKETS = [
  'node_modules/(undici|axios|@nestjs/axios|amqplib)/',
  '^(node:)?(net|tls|dns|dns/promises|http|https|http2|dgram)$',
];
const PURE = [
  '^src/engine/(send/signature|settle/(retry-schedule|judgement)|health/(failing-span|health-states|probing))\\.ts$',
  '^src/network/address/address-policy\\.ts$',
  '^src/notifier/payload\\.ts$',
  '^src/platform/json/json-[^/]+\\.ts$',
];

/** The browser application, likewise. */
const CONSOLE_LAYERS = ['app', 'screens', 'domain', 'parts', 'data'];

/** `from` of code that ships; specs may reach further. */
const shipped = (path, ...except) => ({ path, pathNot: [SPEC, ...except] });

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'Files that need each other are one file, or miss a third one.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-orphans',
      comment: 'A file that nothing uses and that uses nothing is dead.',
      severity: 'error',
      from: { orphan: true, pathNot: [SPEC, COMMANDS, '\\.d\\.ts$'] },
      to: {},
    },
    {
      name: 'no-unresolvable',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },

    ...HOUSE.slice(1).map((room, index) => ({
      name: `${room.replace(/[^\w/].*/, '')}-sees-what-is-below`,
      severity: 'error',
      from: shipped(`^src/${room}`),
      to: { path: HOUSE.slice(0, index + 1).map((above) => `^src/${above}`) },
    })),
    {
      name: 'every-file-is-in-a-room',
      comment: 'A new folder takes its place in HOUSE.',
      severity: 'error',
      from: { path: '^src/', pathNot: HOUSE.map((room) => `^src/${room}`) },
      to: {},
    },
    ...CONSOLE_LAYERS.slice(1).map((folder, index) => ({
      name: `console-${folder}-sees-what-is-below`,
      severity: 'error',
      from: { path: `^console/${folder}/` },
      to: { path: `^console/(${CONSOLE_LAYERS.slice(0, index + 1).join('|')})/` },
    })),
    {
      name: 'console-screens-stand-alone',
      comment: 'What two screens share is in console/domain or console/parts.',
      severity: 'error',
      from: { path: '^console/screens/([^/]+)/' },
      to: { path: '^console/screens/', pathNot: '^console/screens/$1/' },
    },
    {
      name: 'console-knows-the-api-only',
      comment: 'It runs in a browser: of the service it takes the types of the API, and no code.',
      severity: 'error',
      from: { path: '^console/' },
      to: { path: '^(src|migrations|test)/', pathNot: '^client/index\\.ts$' },
    },
    {
      name: 'console-takes-types-of-the-client',
      severity: 'error',
      from: { path: '^console/' },
      to: { path: '^client/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'not-to-console',
      comment: 'The service serves its files, and knows none of them.',
      severity: 'error',
      from: { path: '^(src|migrations)/' },
      to: { path: '^console/' },
    },
    {
      name: 'network-knows-no-database',
      comment: 'It carries bytes to addresses; what is sent, and where to, it is told.',
      severity: 'error',
      from: shipped('^src/network/'),
      to: { path: '^src/(store|rest)/' },
    },

    {
      name: 'controllers-see-services',
      severity: 'error',
      from: { path: '\\.controller\\.ts$' },
      to: { path: '\\.repository\\.ts$' },
    },
    {
      name: 'only-repositories-see-typeorm',
      severity: 'error',
      from: shipped('^src/', ...MAY_USE_TYPEORM, ...MAY_NAME_ENTITY_MANAGER),
      to: { path: TYPEORM },
    },
    {
      name: 'entity-manager-is-only-passed-on',
      comment: "The caller's transaction is handed down as a type; only repositories run anything in it.",
      severity: 'error',
      from: { path: MAY_NAME_ENTITY_MANAGER },
      to: { path: TYPEORM, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'only-the-network-opens-sockets',
      comment: 'The check of the port listens, and connects to nothing.',
      severity: 'error',
      from: shipped(
        '^src/',
        '^src/(network|platform/config|module/testing)/',
        '^src/service/http/listen-check\\.ts$',
        '^src/notifier/intake/rabbitmq/connection\\.ts$',
      ),
      to: { path: SOCKETS, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'a-broker-has-a-folder',
      comment:
        'The intake is the same for every broker: what RabbitMQ needs, its types too, is in one folder.',
      severity: 'error',
      from: shipped('^src/', '^src/notifier/intake/rabbitmq/'),
      to: {
        path: ['node_modules/amqplib/', '^src/notifier/intake/rabbitmq/(?!rabbitmq-consumer\\.ts$)'],
      },
    },
    {
      name: 'swagger-comes-with-the-document',
      comment: 'The service starts without it. Decorators come from rest/docs, which waits for it.',
      severity: 'error',
      from: shipped('^src/', '^src/service/openapi/document\\.ts$', '^src/module/webhook\\.module\\.ts$'),
      to: { path: 'node_modules/@nestjs/swagger/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'private-paths-are-in-one-folder',
      comment: 'What a minor version of Nest may move. src/nest/README.md has the reason for each.',
      severity: 'error',
      from: shipped('^src/', '^src/nest/'),
      to: { path: 'node_modules/@nestjs/[^/]+/', pathNot: 'node_modules/@nestjs/[^/]+/(dist/)?index\\.' },
    },
    {
      name: 'config-only-checks-addresses',
      severity: 'error',
      from: shipped('^src/platform/config/'),
      to: { path: SOCKETS, pathNot: '^(node:)?net$' },
    },
    {
      name: 'pure-files-know-no-framework',
      severity: 'error',
      from: { path: PURE },
      to: { path: 'node_modules/@nestjs/' },
    },

    {
      name: 'migrations-stand-alone',
      comment: 'A migration that has run somewhere must not change when the code does.',
      severity: 'error',
      from: { path: '^migrations/' },
      to: { path: '^src/' },
    },
    {
      name: 'migrations-share-no-shapes',
      comment: 'Each spells out its own table; they share only the way to run statements.',
      severity: 'error',
      from: { path: '^migrations/\\d' },
      to: { path: '^migrations/', pathNot: '^migrations/dialect\\.ts$' },
    },

    {
      name: 'not-to-test',
      severity: 'error',
      from: shipped('^(src|migrations)/'),
      to: { path: ['^test/', SPEC] },
    },
    {
      name: 'not-to-dev-dep',
      comment: 'What is shipped runs without the devDependencies.',
      severity: 'error',
      from: shipped('^(src|migrations)/'),
      to: {
        dependencyTypes: ['npm-dev'],
        dependencyTypesNot: ['type-only'],
        pathNot: 'node_modules/@types/',
      },
    },
    {
      name: 'not-to-unlisted',
      comment:
        'What is imported stands in package.json. Knip sees to specs, whose packages stand in tools/package.json.',
      severity: 'error',
      from: { pathNot: SPEC },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(dist|data)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.js', '.json', '.d.ts'],
    },
  },
};
