import ts from 'typescript';
import { constantOf, type InSources, inSources } from './in-sources.js';

/** The problems that the sources make, as `404 not_found`; unknown are those whose status or code is not written there. */
export const problemCodes = (): InSources => inSources(codeOf);

function codeOf(node: ts.Node, source: ts.SourceFile): string[] | null {
  const code = (status: ts.Node | '400' | undefined, word: ts.Node | undefined) => {
    const [number, text] = [status === '400' ? status : numberOf(status), wordOf(word, source)];
    return number !== null && text !== null ? [`${number} ${text}`] : [];
  };
  if (ts.isNewExpression(node) && node.expression.getText() === 'Problem')
    return code(node.arguments?.[0], node.arguments?.[1]);
  // `invalid(errors, code)`, and the default of its second parameter.
  if (ts.isCallExpression(node) && node.expression.getText() === 'invalid' && node.arguments[1])
    return code('400', node.arguments[1]);
  if (ts.isParameter(node) && node.name.getText() === 'code' && node.initializer)
    return code('400', node.initializer);
  // A table of them by status.
  if (ts.isPropertyAssignment(node) && ts.isNumericLiteral(node.name) && isPair(node.initializer))
    return code(node.name, node.initializer.elements[0]);
  return null;
}

const numberOf = (node: ts.Node | undefined) => (node && ts.isNumericLiteral(node) ? node.text : null);

function wordOf(node: ts.Node | undefined, source: ts.SourceFile): string | null {
  if (node && ts.isStringLiteral(node)) return node.text;
  const constant = node && constantOf(node.getText(), source);
  return constant && ts.isStringLiteral(constant) ? constant.text : null;
}

/** A code and a text. */
const isPair = (node: ts.Node): node is ts.ArrayLiteralExpression =>
  ts.isArrayLiteralExpression(node) && /^'[a-z_]+'$/.test(node.elements[0]?.getText() ?? '');
