import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ts from 'typescript';

const ROOT = join(import.meta.dirname, '../..');
/** The package's entry points by the names that documents import. */
const ENTRIES: Record<string, string> = {
  'webhook-notification-service': join(ROOT, 'src/index.ts'),
  'webhook-notification-service/testing': join(ROOT, 'src/module/testing/index.ts'),
  'webhook-notification-service/client': join(ROOT, 'client/index.ts'),
  'webhook-notification-service/migrations': join(ROOT, 'migrations/index.ts'),
};
/** Packages that documents import and that are not installed here, by the file that declares their types. */
const DECLARED: Record<string, string> = {
  '@nestjs/config': join(ROOT, 'test/docs/nest-config.d.ts'),
};
/** What the reader's application has, by its path there, with stand-ins of ours. */
const OF_READER: Record<string, string> = {
  [join(ROOT, 'src/app.module.ts')]: `export { AppModule } from './service/app.module.js';`,
};
/** These documents have their own tests for every language in them. */
const ELSEWHERE = ['client.md', 'verify.md'];

/** A fenced code block of a document. */
export interface DocBlock {
  document: string;
  /** The line number of the first line of code, from 1. */
  line: number;
  language: string;
  /** That above it. */
  heading: string;
  code: string;
  /** Code that the reader already has, from a comment `prelude:` above the block. */
  prelude: string;
  /** The name by which a test runs the block, from a comment `run:` above it. */
  run: string | null;
}

export const documents: string[] = [
  'README.md',
  ...readdirSync(join(ROOT, 'docs'))
    .filter((name) => name.endsWith('.md') && !ELSEWHERE.includes(name))
    .sort()
    .map((name) => `docs/${name}`),
];

export function blocksOf(document: string): DocBlock[] {
  const text = readFileSync(join(ROOT, document), 'utf8');
  const block = /((?:^<!-- \w+:(?:(?!-->).)*-->\n)*)^```(\S*)\n(.*?)^```$/gms;
  return [...text.matchAll(block)].map(
    ({ 0: whole, 1: comments = '', 2: language = '', 3: code = '', index }) => ({
      document,
      line: text.slice(0, index + whole.indexOf('```', comments.length)).split('\n').length + 1,
      language,
      heading:
        text
          .slice(0, index)
          .match(/(?<=^#+ ).*$/gm)
          ?.at(-1) ?? '',
      code,
      prelude: commentOf(comments, 'prelude') ?? '',
      run: commentOf(comments, 'run'),
    }),
  );
}

/** The block of a document that tests run by this name. */
export function blockTo(run: string): DocBlock {
  const [found, ...others] = documents.flatMap(blocksOf).filter((block) => block.run === run);
  if (!found || others.length > 0) throw new Error(`Not one block is named "${run}".`);
  return found;
}

const commentOf = (comments: string, name: string): string | null =>
  new RegExp(`<!-- ${name}:(.*?)-->`, 's').exec(comments)?.[1]?.trim() ?? null;

/** The TypeScript of a block; for a diff, the code after the change. */
function sourceOf({ language, code }: DocBlock): string {
  if (language !== 'diff') return code;
  return code.replace(/^-.*$/gm, '').replace(/^[ +]/gm, '');
}

const { options } = ts.parseJsonConfigFileContent(
  ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile).config,
  ts.sys,
  ROOT,
);
const COMPILER_OPTIONS: ts.CompilerOptions = {
  ...options,
  noEmit: true,
  incremental: false,
  types: ['node'],
  // Examples in documents often declare names that they do not use.
  noUnusedLocals: false,
  noUnusedParameters: false,
  paths: Object.fromEntries(
    Object.entries({ ...ENTRIES, ...DECLARED }).map(([name, path]) => [name, [path]]),
  ),
};
const sources = new Map<string, ts.SourceFile | undefined>();

/**
 * Checks the types of blocks against the sources of this repository, with its compiler options. Module declarations
 * of one block apply to the other blocks too.
 *
 * @returns the compiler's errors, each with document and line.
 */
export function typeErrors(blocks: DocBlock[]): string[] {
  const files = new Map(blocks.map((block, i) => [join(ROOT, 'docs', `block-${i}.ts`), block]));
  const host = ts.createCompilerHost(COMPILER_OPTIONS);
  const read = host.getSourceFile.bind(host);
  const textOf = (block: DocBlock) => `${block.prelude}\n${sourceOf(block)}\nexport {};`;
  host.fileExists = (path) => files.has(path) || path in OF_READER || ts.sys.fileExists(path);
  host.getSourceFile = (path, settings, ...rest) => {
    const block = files.get(path);
    const text = block ? textOf(block) : OF_READER[path];
    if (text !== undefined) return ts.createSourceFile(path, text, settings);
    if (!sources.has(path)) sources.set(path, read(path, settings, ...rest));
    return sources.get(path);
  };
  const program = ts.createProgram([...files.keys()], COMPILER_OPTIONS, host);
  const errorsIn = (path: string) => ts.getPreEmitDiagnostics(program, program.getSourceFile(path));
  return [...files].flatMap(([path, block]) => errorsIn(path).map((error) => messageOf(error, block)));
}

function messageOf({ file, start = 0, messageText }: ts.Diagnostic, block: DocBlock): string {
  const at = file?.getLineAndCharacterOfPosition(start).line ?? 0;
  const line = block.line + at - block.prelude.split('\n').length;
  return `${block.document}:${line} ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
}

/** A temporary folder whose files may import the package's entry points by name. */
export class BlockFolder {
  readonly path = mkdtempSync(join(tmpdir(), 'webhook-docs-'));
  private blocks = 0;

  constructor() {
    symlinkSync(join(ROOT, 'node_modules'), join(this.path, 'node_modules'));
  }

  /** @returns the path of the file. */
  write(name: string, code: string): string {
    let linked = code;
    for (const [entry, path] of Object.entries(ENTRIES))
      linked = linked.replaceAll(`'${entry}'`, `'${path}'`);
    const file = join(this.path, name);
    writeFileSync(file, linked);
    return file;
  }

  /** Runs a block, with replacements, as a module. @param names of constants in the block; resolves to their values. */
  async run(
    block: DocBlock,
    { replace = {}, names = [] }: { replace?: Record<string, string>; names?: string[] } = {},
  ): Promise<Record<string, unknown>> {
    let code = `${block.prelude}\n${sourceOf(block)}\nexport { ${names.join(', ')} };\n`;
    for (const [from, to] of Object.entries(replace)) {
      if (!code.includes(from)) throw new Error(`${block.document}:${block.line} does not hold ${from}.`);
      code = code.replaceAll(from, to);
    }
    return import(this.write(`block-${this.blocks++}.ts`, code));
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}
