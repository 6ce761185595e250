import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import ts from 'typescript';

/** Text in a source that may be a statement of SQL, or a call that makes one. */
export interface Statement {
  line: number;
  /** With the constants and fields in it put in as far as the same file has them; `?` stands for all else. */
  text: string;
  /** The table that rows are inserted into, or that a function makes a writing statement for. */
  table?: string;
  /** The entity that a writing method of TypeORM is called with. */
  entity?: string;
}

/** Functions of ours that make statements: the name of the table is among their arguments. */
const MAKERS = new Set(['updateFromRows', 'deleteRows', 'deleteByKey']);
/** A piece of ours that begins a statement which writes. */
const INSERT = /\binsertIgnore$/;
/** What gives TypeORM's writing methods an entity, and these themselves, in its managers, repositories and builders. */
const OF_ENTITY = new Set([
  ...['getRepository', 'createQueryBuilder', 'insert', 'update', 'upsert', 'delete', 'remove', 'save'],
  ...['into', 'increment', 'decrement', 'softDelete'],
]);

/** The TypeScript files of a folder, without specs. */
export const sourceFiles = (folder: string): string[] =>
  globSync(`${folder}/**/*.ts`)
    .filter((name) => !name.endsWith('.spec.ts'))
    .sort();

/** Whether a statement writes a table, or may. */
export function writes(table: string, entityOfTable: string): (statement: Statement) => boolean {
  // Whatever stands between, such as other tables of a join, which MySQL writes as well.
  const patterns = [
    `\\bINTO\\s+["\`]?${table}\\b`,
    `\\bREPLACE\\s+["\`]?${table}\\b`,
    `\\bTRUNCATE\\b[^;]*\\b${table}\\b`,
    `\\bUPDATE\\b(?:(?!\\bSET\\b)[^;])*\\b${table}\\b`,
    `\\bDELETE\\b(?=[^;]*\\bFROM\\b)(?:(?!\\b(?:WHERE|SELECT)\\b)[^;])*\\b${table}\\b`,
  ].map((pattern) => new RegExp(pattern, 'i'));
  return ({ text, table: into, entity }) =>
    into === table || entity === entityOfTable || patterns.some((pattern) => pattern.test(text));
}

/** What a source may ask a database to do. */
export function statementsOf(file: string, source = readFileSync(file, 'utf8')): Statement[] {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  const named = namedTexts(tree);
  const statements: Statement[] = [];
  const visit = (node: ts.Node): void => {
    const line = tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1;
    if (isText(node) && !isText(node.parent)) statements.push({ line, text: textOf(node, named) });
    if (ts.isCallExpression(node))
      statements.push(...calledFor(node, named).map((found) => ({ line, text: '', ...found })));
    if (ts.isPropertyAssignment(node) && node.name.getText(tree) === 'table' && hasRows(node.parent))
      statements.push({ line, text: '', table: textOf(node.initializer, named).trim() });
    if (ts.isNewExpression(node)) statements.push({ line, text: '', entity: node.expression.getText(tree) });
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return statements;
}

function calledFor(call: ts.CallExpression, named: Named): Pick<Statement, 'table' | 'entity'>[] {
  const called = call.expression.getText();
  const name = called.split('.').at(-1) ?? '';
  if (MAKERS.has(name)) return call.arguments.map((argument) => ({ table: textOf(argument, named).trim() }));
  // A builder names the entity in a call of its own: `delete().from(TriggerEntity)`.
  if (!OF_ENTITY.has(name) && !/\.delete\(\)\s*\.from$/.test(called)) return [];
  return call.arguments.map((argument) => ({ entity: argument.getText() }));
}

/** What names stand for, each with the names of the file that it is written in. */
type Named = Map<string, { text: ts.Expression; names: Named }>;

/** The constants of a file, those that it imports from others, and the fields of its classes as `this.name`. */
function namedTexts(tree: ts.SourceFile): Named {
  const named: Named = new Map();
  for (const node of tree.statements)
    if (ts.isImportDeclaration(node)) takeImported(tree.fileName, node, named);
  const visit = (node: ts.Node): void => {
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer)
      named.set(node.name.text, { text: node.initializer, names: named });
    if (ts.isPropertyDeclaration(node) && node.initializer)
      named.set(`this.${node.name.getText(tree)}`, { text: node.initializer, names: named });
    if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.EqualsToken)
      named.set(node.left.getText(tree), { text: node.right, names: named });
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return named;
}

const exported = new Map<string, Named>();

function takeImported(from: string, { moduleSpecifier, importClause }: ts.ImportDeclaration, named: Named) {
  const name = (moduleSpecifier as ts.StringLiteral).text;
  const file = resolve(dirname(from), name.replace(/\.js$/, '.ts'));
  const bindings = importClause?.namedBindings;
  if (!name.startsWith('.') || !existsSync(file) || !bindings || !ts.isNamedImports(bindings)) return;
  let texts = exported.get(file);
  if (!texts) {
    // First without any, for files that import each other.
    exported.set(file, new Map());
    texts = namedTexts(ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true));
    exported.set(file, texts);
  }
  for (const { name: local, propertyName } of bindings.elements) {
    const text = texts.get((propertyName ?? local).text);
    if (text) named.set(local.text, text);
  }
}

/** Whether rows stand beside the name of a table, which is searched otherwise. */
const hasRows = (object: ts.Node) =>
  ts.isObjectLiteralExpression(object) && object.properties.some((one) => one.name?.getText() === 'rows');

const isText = (node: ts.Node): node is ts.Expression =>
  ts.isStringLiteralLike(node) ||
  ts.isTemplateExpression(node) ||
  (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken);

/** @param depth against constants that name each other. */
function textOf(node: ts.Expression, named: Named, depth = 0): string {
  if (depth > 8) return '?';
  const inner = (expression: ts.Expression) => textOf(expression, named, depth + 1);
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isTemplateExpression(node))
    return (
      node.head.text +
      node.templateSpans.map(({ expression, literal }) => inner(expression) + literal.text).join('')
    );
  if (ts.isBinaryExpression(node) && isText(node)) return inner(node.left) + inner(node.right);
  if (ts.isConditionalExpression(node)) return `${inner(node.whenTrue)} ${inner(node.whenFalse)}`;
  if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node) || ts.isSatisfiesExpression(node))
    return inner(node.expression);
  if (INSERT.test(node.getText())) return 'INSERT INTO';
  const value = named.get(node.getText());
  return value ? textOf(value.text, value.names, depth + 1) : '?';
}
