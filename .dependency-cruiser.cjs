// The direction of dependencies: app → {notifier, delivery} → {trigger, event, webhook} → common.

const SPEC = '\\.spec\\.ts$';
const ROOTS = '^src/(main|serve|create-app|(app|api|core|webhook)\\.module|webhook-options|index)\\.ts$';
const COMMANDS = '^src/(main|index|database/migrate|openapi/write)\\.ts$';
const RESOURCES = '^src/(trigger|event|webhook)/';
const TYPEORM = 'node_modules/(typeorm|@nestjs/typeorm)/';
const MAY_USE_TYPEORM = ['\\.(repository|entity|module)\\.ts$', '^src/database/', SPEC];
const MAY_NAME_ENTITY_MANAGER = ['^src/[^/]+/[^/]+\\.service\\.ts$', '^src/delivery/intake\\.ts$'];
const SOCKETS = [
  'node_modules/(undici|axios|@nestjs/axios)/',
  '^(node:)?(net|tls|dns|dns/promises|http|https|http2|dgram)$',
];
const PURE = [
  '^src/delivery/(signature|retry-schedule|address-policy|outcome)\\.ts$',
  '^src/notifier/notification\\.ts$',
  '^src/common/json-[^/]+\\.ts$',
];

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

    {
      name: 'common-knows-no-domain',
      severity: 'error',
      from: shipped('^src/common/'),
      to: { path: '^src/', pathNot: '^src/common/' },
    },
    {
      name: 'config-knows-no-domain',
      severity: 'error',
      from: shipped('^src/config/'),
      to: { path: '^src/', pathNot: '^src/(config|common)/' },
    },
    {
      name: 'database-knows-entities-only',
      severity: 'error',
      from: shipped('^src/database/'),
      to: { path: '^src/', pathNot: ['^src/(database|config|common)/', '\\.entity\\.ts$'] },
    },
    {
      name: 'auth-knows-no-resource',
      severity: 'error',
      from: shipped('^src/auth/'),
      to: { path: '^src/', pathNot: '^src/(auth|database|config|common)/' },
    },
    {
      name: 'resources-stay-below-the-engine',
      comment: 'trigger, event and webhook are what notifier and delivery work on, not the other way round.',
      severity: 'error',
      from: shipped(RESOURCES),
      to: { path: '^src/(notifier|delivery|lifecycle)/', pathNot: '^src/delivery/address-policy\\.ts$' },
    },
    {
      name: 'only-webhook-judges-addresses',
      comment: 'Of the resources, only webhook has a URL to judge when it is saved.',
      severity: 'error',
      from: shipped('^src/(trigger|event)/'),
      to: { path: '^src/delivery/' },
    },
    {
      name: 'trigger-is-the-lowest-resource',
      comment: 'event → webhook → trigger.',
      severity: 'error',
      from: shipped('^src/trigger/'),
      to: { path: '^src/(event|webhook)/' },
    },
    {
      name: 'delivery-does-not-know-the-notifier',
      severity: 'error',
      from: shipped('^src/delivery/'),
      to: { path: '^src/notifier/' },
    },
    {
      name: 'lifecycle-does-not-know-delivery',
      severity: 'error',
      from: shipped('^src/lifecycle/'),
      to: { path: '^src/delivery/' },
    },
    {
      name: 'nothing-depends-on-the-edges',
      comment:
        'Health, the OpenAPI document and the composition roots see everything, and nothing sees them.',
      severity: 'error',
      from: shipped('^src/', ROOTS, '^src/(health|http|metrics|openapi|testing)/'),
      to: { path: ['^src/(health|http|metrics|openapi|testing)/', ROOTS] },
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
      name: 'only-delivery-opens-sockets',
      comment: 'The check of the port listens, and connects to nothing.',
      severity: 'error',
      from: shipped('^src/', '^src/(delivery|config|testing)/', '^src/http/listen-check\\.ts$'),
      to: { path: SOCKETS, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'config-only-checks-addresses',
      severity: 'error',
      from: shipped('^src/config/'),
      to: { path: SOCKETS, pathNot: '^(node:)?net$' },
    },
    {
      name: 'pure-files-know-no-framework',
      severity: 'error',
      from: { path: PURE },
      to: { path: 'node_modules/@nestjs/' },
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
      comment: 'What is imported stands in package.json.',
      severity: 'error',
      from: {},
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
      extensions: ['.ts', '.js', '.json', '.d.ts'],
    },
  },
};
