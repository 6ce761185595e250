import ts from 'typescript';
import { constantOf, type InSources, inSources } from './in-sources.js';

/** What is not an operator's: `debug` is for whoever works on the service. */
const LEVELS = ['log', 'warn', 'error', 'fatal'];

/** What the sources log, with `…` for what they insert. A job's `failure` is logged with the reason behind it. */
export const logMessages = (): InSources => inSources(messagesOf, ['src/service/commands/**']);

function messagesOf(node: ts.Node, source: ts.SourceFile): string[] | null {
  if (ts.isCallExpression(node) && isLogging(node.expression))
    return node.arguments.flatMap((argument) => textsOf(argument, source)).filter(hasWords);
  if (ts.isPropertyAssignment(node) && node.name.getText() === 'failure')
    return textsOf(node.initializer, source).map((text) => `${text}: …`);
  return null;
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
  const constant = ts.isIdentifier(node) && constantOf(node.text, source);
  return constant ? textsOf(constant, source) : [];
}

function insertedOf(node: ts.Node, source: ts.SourceFile): string[] {
  const texts = textsOf(node, source);
  return texts.length > 0 ? texts : ['…'];
}

const joined = (heads: string[], tails: string[]) =>
  heads.flatMap((head) => tails.map((tail) => head + tail));
