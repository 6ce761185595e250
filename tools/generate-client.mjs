// Generates the types of the client from the OpenAPI document: node tools/generate-client.mjs openapi.json [FILE]
// Without FILE they are printed. openapi-typescript makes the types; this script makes them easier to use: each schema
// becomes a named interface, and a POST that can create or delete only creates.
import { readFileSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';

const PROBLEM = 'WebhookProblemDto';
/** Becomes `any`. An interface has no index signature, so only `[key: string]: any` accepts a caller's interface. */
const ANY = { type: 'object', 'x-any': true };
const EXPORTS = {
  paths: 'Every path, with its operations by method',
  operations: 'What each operation takes and answers',
  webhooks: 'What webhooks receive',
};

const mediaOf = (part) => part?.content?.['application/json'];
const isDeletion = ({ properties = {} }) => Object.keys(properties).join() === 'id';

/** The client deletes with DELETE, so no POST needs a union for its body and its answer. */
function onlyCreate(operation) {
  const { schema } = mediaOf(operation.requestBody) ?? {};
  if (!schema?.oneOf?.some(isDeletion)) return;
  schema.oneOf = schema.oneOf.filter((variant) => !isDeletion(variant));
  delete operation.responses[200];
  operation.summary += ' (here only the former; DELETE deletes)';
}

/** Removes error responses: the client's `Result` has one type for all of them. */
function removeErrors({ operationId, responses }) {
  for (const [status, { content }] of Object.entries(responses)) {
    if (status.startsWith('2')) continue;
    const reference = content?.['application/problem+json']?.schema?.$ref;
    if (/^[45]/.test(status) && !reference?.endsWith(`/${PROBLEM}`))
      throw new Error(`${operationId} answers ${status} without a problem.`);
    delete responses[status];
  }
}

/** Removes examples of whole bodies, which are longer than the types. Examples of fields stay. */
function removeExamples({ requestBody, responses }) {
  for (const media of [requestBody, ...Object.values(responses)].map(mediaOf)) {
    delete media?.example;
    delete media?.examples;
  }
}

/** Allows further properties in a request's objects, as JSON Schema does unless a schema forbids them. */
function openObjects(schema) {
  if (schema === undefined) return;
  const { type, additionalProperties = true, properties = {}, items, oneOf = [] } = schema;
  if (type === 'object' && additionalProperties === true) schema.additionalProperties = ANY;
  for (const part of [...Object.values(properties), items, ...oneOf]) openObjects(part);
}

/** @returns an exported interface for each schema of `components`. */
function interfacesOf({ members }) {
  const schemas = members.find(({ name }) => name.text === 'schemas').type.members;
  return schemas.map((member) => {
    if (!ts.isTypeLiteralNode(member.type)) throw new Error(`${member.name.text} is no interface.`);
    const exported = ts.factory.createModifier(ts.SyntaxKind.ExportKeyword);
    const named = ts.factory.createInterfaceDeclaration(
      [exported],
      member.name.text,
      undefined,
      undefined,
      member.type.members,
    );
    return ts.setSyntheticLeadingComments(named, ts.getSyntheticLeadingComments(member));
  });
}

const [from, to] = process.argv.slice(2);
if (!from) {
  console.error('From what? node tools/generate-client.mjs openapi.json [FILE]');
  process.exit(1);
}
const document = JSON.parse(readFileSync(from, 'utf8'));
for (const operation of Object.values(document.paths).flatMap(Object.values)) {
  onlyCreate(operation);
  removeErrors(operation);
  removeExamples(operation);
  openObjects(mediaOf(operation.requestBody)?.schema);
}
const nodes = await openapiTS(document, {
  defaultNonNullable: false,
  silent: true,
  transform: (schema) =>
    'x-any' in schema ? ts.factory.createKeywordTypeNode(ts.SyntaxKind.AnyKeyword) : undefined,
});
const named = (name) => nodes.find((node) => node.name?.text === name);
const kept = Object.entries(EXPORTS).map(([name, text]) =>
  ts.addSyntheticLeadingComment(named(name), ts.SyntaxKind.MultiLineCommentTrivia, `* ${text} `, true),
);
const types = astToString([...kept, ...interfacesOf(named('components'))]);
const source = `// Written by "npm run client" from openapi.json: change that, not this.

${types.replaceAll(/components\["schemas"\]\["(\w+)"\]/g, '$1')}`;
if (to) writeFileSync(to, source);
else process.stdout.write(source);
