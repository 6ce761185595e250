import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const ROOT = join(import.meta.dirname, '../..');

export interface ProblemCodes {
  /** `404 not_found`, each once, in order. */
  codes: string[];
  /** Files that make a problem whose status or code is not written there. */
  unknown: string[];
}

/** The problems that the sources make. */
export function problemCodes(): ProblemCodes {
  const files = globSync('src/**/*.ts', { cwd: ROOT, exclude: ['**/*.spec.ts'] });
  const found = files.map((file) => codesIn(file));
  const codes = new Set(found.flatMap((one) => one.codes));
  return { codes: [...codes].sort(), unknown: found.flatMap((one) => one.unknown).sort() };
}

function codesIn(file: string): ProblemCodes {
  const code = readFileSync(join(ROOT, file), 'utf8');
  const source = ts.createSourceFile(file, code, ts.ScriptTarget.Latest, true);
  const constants = new Map<string, string>();
  const codes: string[] = [];
  const unknown: string[] = [];
  const add = (status: string | undefined, word: string | undefined) => {
    if (status === undefined || word === undefined) unknown.push(file);
    else codes.push(`${status} ${word}`);
  };
  const wordOf = (node: ts.Node | undefined) => {
    if (node && ts.isStringLiteral(node)) return node.text;
    return node && constants.get(node.getText());
  };
  const visit = (node: ts.Node): void => {
    if (ts.isVariableDeclaration(node) && node.initializer && ts.isStringLiteral(node.initializer))
      constants.set(node.name.getText(), node.initializer.text);
    if (ts.isNewExpression(node) && node.expression.getText() === 'Problem') {
      const [status, word] = node.arguments ?? [];
      add(status && ts.isNumericLiteral(status) ? status.text : undefined, wordOf(word));
    }
    // `invalid(errors, code)`, and the default of its second parameter.
    if (ts.isCallExpression(node) && node.expression.getText() === 'invalid' && node.arguments[1])
      add('400', wordOf(node.arguments[1]));
    if (ts.isParameter(node) && node.name.getText() === 'code' && node.initializer)
      add('400', wordOf(node.initializer));
    // A table of them by status.
    if (ts.isPropertyAssignment(node) && ts.isNumericLiteral(node.name) && isPair(node.initializer))
      add(node.name.text, wordOf(node.initializer.elements[0]));
    ts.forEachChild(node, visit);
  };
  visit(source);
  return { codes, unknown };
}

/** A code and a text. */
const isPair = (node: ts.Node): node is ts.ArrayLiteralExpression =>
  ts.isArrayLiteralExpression(node) && /^'[a-z_]+'$/.test(node.elements[0]?.getText() ?? '');
