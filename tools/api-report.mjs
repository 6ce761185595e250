// Writes the exports of the package's entry points to api/*.api.md (`npm run api`), or fails if they differ from these
// files (`npm run api -- --check`). This makes changes of the public API visible in review. Run `npm run package` first.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Extractor, ExtractorConfig, ExtractorLogLevel } from '@microsoft/api-extractor';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const built = join(root, 'dist-package');
const reports = join(root, 'api');
const { exports } = JSON.parse(readFileSync(join(built, 'package.json'), 'utf8'));
const quiet = { default: { logLevel: ExtractorLogLevel.None } };

/** @returns true if the report did not change. */
function report(name, types) {
  const config = ExtractorConfig.prepare({
    packageJsonFullPath: join(built, 'package.json'),
    configObjectFullPath: undefined,
    configObject: {
      projectFolder: built,
      mainEntryPointFilePath: join(built, types),
      newlineKind: 'lf',
      apiReport: {
        enabled: true,
        reportFileName: name,
        reportFolder: reports,
        reportTempFolder: join(built, 'api'),
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      compiler: {
        overrideTsconfig: {
          compilerOptions: {
            module: 'nodenext',
            moduleResolution: 'nodenext',
            target: 'es2023',
            types: ['node'],
            strict: true,
          },
          files: [join(built, types)],
        },
      },
      messages: {
        compilerMessageReporting: quiet,
        extractorMessageReporting: quiet,
        tsdocMessageReporting: quiet,
      },
    },
  });
  return !Extractor.invoke(config, { localBuild: !process.argv.includes('--check') }).apiReportChanged;
}

const changed = Object.entries(exports)
  .filter(([, { types }]) => types)
  .map(([path, { types }]) => [`${path === '.' ? 'index' : path.slice(2)}.api.md`, types])
  .filter(([name, types]) => !report(name, types))
  .map(([name]) => name);
const undocumented = readdirSync(reports).filter((name) =>
  /^\/\/ @public \(undocumented\)/m.test(readFileSync(join(reports, name), 'utf8')),
);
if (undocumented.length > 0)
  console.error(`Exported but not documented, see api/: ${undocumented.join(', ')}`);
if (changed.length > 0 && process.argv.includes('--check')) {
  console.error(
    `The API differs from its report: ${changed.join(', ')}. Run "npm run api", review and commit the result.`,
  );
}
process.exitCode =
  undocumented.length > 0 || (changed.length > 0 && process.argv.includes('--check')) ? 1 : 0;
