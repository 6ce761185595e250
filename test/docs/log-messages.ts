import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const ROOT = join(import.meta.dirname, '../..');
/** What is not an operator's: `debug` is for whoever works on the service. */
const LEVELS = ['log', 'warn', 'error', 'fatal'];

export interface LogMessages {
  /** With `…` for what they insert. A job's `failure` is logged with the reason behind it. */
  messages: string[];
  /** Files that log a message which is not written there. */
  unknown: string[];
}

/** What the sources log. */
export function logMessages(): LogMessages {
  const files = globSync('src/**/*.ts', { cwd: ROOT, exclude: ['**/*.spec.ts', 'src/service/commands/**'] });
  const found = files.map((file) => messagesIn(file));
  const messages = new Set(found.flatMap((one) => one.messages));
  return { messages: [...messages], unknown: found.flatMap((one) => one.unknown).sort() };
}

function messagesIn(file: string): LogMessages {
  const code = readFileSync(join(ROOT, file), 'utf8');
  const source = ts.createSourceFile(file, code, ts.ScriptTarget.Latest, true);
  const messages: string[] = [];
  const unknown: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && isLogging(node.expression)) {
      const texts = node.arguments.flatMap((argument) => textsOf(argument, source)).filter(hasWords);
      if (texts.length === 0) unknown.push(file);
      messages.push(...texts);
    }
    if (ts.isPropertyAssignment(node) && node.name.getText() === 'failure')
      messages.push(...textsOf(node.initializer, source).map((text) => `${text}: …`));
    ts.forEachChild(node, visit);
  };
  visit(source);
  return { messages, unknown };
}

const hasWords = (text: string) => /\w/.test(text);

const isLogging = (callee: ts.Node) =>
  ts.isPropertyAccessExpression(callee) &&
  LEVELS.includes(callee.name.text) &&
  /(^|\.)(logger|new Logger\(.*\))$/.test(callee.expression.getText());

/** What an argument may say: several texts if it is a condition, none if it is not written here. */
function textsOf(node: ts.Node, source: ts.SourceFile): string[] {
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isTemplateExpression(node)) {
    return node.templateSpans.reduce(
      (texts, { expression, literal }) =>
        joined(
          texts,
          insertedOf(expression, source).map((text) => text + literal.text),
        ),
      [node.head.text],
    );
  }
  if (ts.isConditionalExpression(node))
    return [...textsOf(node.whenTrue, source), ...textsOf(node.whenFalse, source)];
  if (ts.isBinaryExpression(node))
    return joined(insertedOf(node.left, source), insertedOf(node.right, source));
  if (ts.isParenthesizedExpression(node)) return textsOf(node.expression, source);
  if (ts.isObjectLiteralExpression(node))
    return node.properties.flatMap((property) =>
      ts.isPropertyAssignment(property) && property.name.getText() === 'msg'
        ? textsOf(property.initializer, source)
        : [],
    );
  return ts.isIdentifier(node) ? constantOf(node.text, source) : [];
}

function insertedOf(node: ts.Node, source: ts.SourceFile): string[] {
  const texts = textsOf(node, source);
  return texts.length > 0 ? texts : ['…'];
}

const joined = (heads: string[], tails: string[]) =>
  heads.flatMap((head) => tails.map((tail) => head + tail));

function constantOf(name: string, source: ts.SourceFile): string[] {
  for (const statement of source.statements)
    if (ts.isVariableStatement(statement))
      for (const { name: declared, initializer } of statement.declarationList.declarations)
        if (declared.getText() === name && initializer) return textsOf(initializer, source);
  return [];
}
