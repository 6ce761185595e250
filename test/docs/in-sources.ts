import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const ROOT = join(import.meta.dirname, '../..');

export interface InSources {
  /** Each once, in order. */
  found: string[];
  /** Files with something that is not written there. */
  unknown: string[];
}

/** What a look at a node says of it: texts; none if they are not written there; null if it is nothing of the kind. */
type Look = (node: ts.Node, source: ts.SourceFile) => string[] | null;

/** What the files of `src` say, without tests, by a look at each of their nodes. */
export function inSources(look: Look, exclude: string[] = []): InSources {
  const found = new Set<string>();
  const unknown: string[] = [];
  for (const file of globSync('src/**/*.ts', { cwd: ROOT, exclude: ['**/*.spec.ts', ...exclude] })) {
    const code = readFileSync(join(ROOT, file), 'utf8');
    const source = ts.createSourceFile(file, code, ts.ScriptTarget.Latest, true);
    const visit = (node: ts.Node): void => {
      const texts = look(node, source);
      if (texts?.length === 0) unknown.push(file);
      for (const text of texts ?? []) found.add(text);
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return { found: [...found].sort(), unknown: unknown.sort() };
}

/** What a constant of the file is, which is declared at its top. */
export function constantOf(name: string, source: ts.SourceFile): ts.Expression | null {
  for (const statement of source.statements)
    if (ts.isVariableStatement(statement))
      for (const declared of statement.declarationList.declarations)
        if (declared.name.getText() === name && declared.initializer) return declared.initializer;
  return null;
}
