import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const ROOT = join(import.meta.dirname, '../..');
/** What is not an operator's: `debug` is for whoever works on the service. */
const LEVELS = ['log', 'warn', 'error', 'fatal'];

/** The messages that the sources log, with `…` for what they insert. A job's `failure` is logged with the reason behind it. */
export function logMessages(): string[] {
  const files = globSync('src/**/*.ts', { cwd: ROOT, exclude: ['**/*.spec.ts', 'src/service/commands/**'] });
  const all = files.flatMap((file) => messagesIn(readFileSync(join(ROOT, file), 'utf8')));
  return [...new Set(all)].filter((message) => /\w/.test(message));
}

function messagesIn(code: string): string[] {
  const source = ts.createSourceFile('file.ts', code, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && isLogging(node.expression))
      found.push(...node.arguments.flatMap((argument) => textsOf(argument, source)));
    if (ts.isPropertyAssignment(node) && node.name.getText() === 'failure')
      found.push(...textsOf(node.initializer, source).map((text) => `${text}: …`));
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

const isLogging = (callee: ts.Node) =>
  ts.isPropertyAccessExpression(callee) &&
  LEVELS.includes(callee.name.text) &&
  /(^|\.)(logger|new Logger\(.*\))$/.test(callee.expression.getText());

/** What an argument may say: several texts if it is a condition, none if it is not written here. */
function textsOf(node: ts.Node, source: ts.SourceFile): string[] {
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isTemplateExpression(node)) {
    const parts = node.templateSpans.map(({ expression, literal }) => {
      const [text = '…'] = ts.isIdentifier(expression) ? textsOf(expression, source) : [];
      return text + literal.text;
    });
    return [node.head.text + parts.join('')];
  }
  if (ts.isConditionalExpression(node))
    return [...textsOf(node.whenTrue, source), ...textsOf(node.whenFalse, source)];
  if (ts.isBinaryExpression(node)) {
    const [left = '…'] = textsOf(node.left, source);
    const [right = '…'] = textsOf(node.right, source);
    return [left + right];
  }
  if (ts.isParenthesizedExpression(node)) return textsOf(node.expression, source);
  if (ts.isObjectLiteralExpression(node))
    return node.properties.flatMap((property) =>
      ts.isPropertyAssignment(property) && property.name.getText() === 'msg'
        ? textsOf(property.initializer, source)
        : [],
    );
  return ts.isIdentifier(node) ? constantOf(node.text, source) : [];
}

function constantOf(name: string, source: ts.SourceFile): string[] {
  for (const statement of source.statements)
    if (ts.isVariableStatement(statement))
      for (const { name: declared, initializer } of statement.declarationList.declarations)
        if (declared.getText() === name && initializer) return textsOf(initializer, source);
  return [];
}
