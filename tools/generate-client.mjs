// Writes the types of the client from the OpenAPI document: node tools/generate-client.mjs openapi.json [FILE]
// Without FILE they go to the console. What it does not understand is an error: a type that says too little is worse.
import { readFileSync, writeFileSync } from 'node:fs';
import process from 'node:process';

const METHODS = ['get', 'post', 'patch', 'delete'];
const PROBLEM = 'WebhookProblemDto';
const PRIMITIVES = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
};
const TYPED = [
  '$ref',
  'oneOf',
  'anyOf',
  'enum',
  'type',
  'items',
  'properties',
  'required',
  'additionalProperties',
];
/** Keywords that no type can express. */
const UNTYPED = [
  'title',
  'description',
  'example',
  'examples',
  'default',
  'format',
  'pattern',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
  'propertyNames',
];

/** What may stand beside the properties that are named: nothing is checked in a body, nothing is promised in an answer. */
const BODY = { anything: 'any', openUnlessSaid: true };
const ANSWER = { anything: 'unknown', openUnlessSaid: false };

const quote = (text) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
const keyOf = (name) => (/^[A-Za-z_]\w*$/.test(name) ? name : quote(name));
const indent = (text) => text.replaceAll(/^(?=.)/gm, '  ');
const block = (lines) => (lines.length === 0 ? '{}' : `{\n${indent(lines.join('\n'))}\n}`);

/** A comment in front of a member; empty where there is nothing to say. */
function comment(text) {
  return text ? [`/** ${text.replaceAll(/\s+/g, ' ').replaceAll('*/', '*\\/')} */`] : [];
}

function nameOf(reference) {
  const name = reference.replace('#/components/schemas/', '');
  if (!/^\w+$/.test(name)) throw new Error(`A reference that is not to a schema: ${reference}`);
  return name;
}

/** The types of which a value has one. */
function alternatives(schema, side) {
  const unknown = Object.keys(schema).filter((keyword) => ![...TYPED, ...UNTYPED].includes(keyword));
  if (unknown.length > 0)
    throw new Error(`Not understood: ${unknown.join(', ')} in ${JSON.stringify(schema)}`);
  if (schema.$ref) return [nameOf(schema.$ref)];
  const variants = schema.oneOf ?? schema.anyOf;
  if (variants) return variants.flatMap((variant) => alternatives(variant, side));
  if (schema.enum)
    return schema.enum.map((value) => (typeof value === 'string' ? quote(value) : String(value)));
  return [schema.type].flat().map((type) => typeNamed(type, schema, side));
}

const typeOf = (schema, side) => [...new Set(alternatives(schema, side))].join(' | ');

function typeNamed(type, schema, side) {
  if (type === 'object') return objectOf(schema, side);
  if (type === 'array') {
    const items = typeOf(schema.items, side);
    return alternatives(schema.items, side).length > 1 ? `(${items})[]` : `${items}[]`;
  }
  if (!PRIMITIVES[type]) throw new Error(`Not a type: ${type} in ${JSON.stringify(schema)}`);
  return PRIMITIVES[type];
}

function objectOf({ properties = {}, required = [], additionalProperties }, side) {
  const named = Object.entries(properties).flatMap(([name, schema]) =>
    member(name, schema, required.includes(name), side),
  );
  return block([...named, ...others(additionalProperties ?? side.openUnlessSaid, side)]);
}

const member = (name, schema, isRequired, side) => [
  ...comment(schema.description),
  `${keyOf(name)}${isRequired ? '' : '?'}: ${typeOf(schema, side)};`,
];

function others(schema, side) {
  if (!schema) return [];
  return [`[key: string]: ${schema === true ? side.anything : typeOf(schema, side)};`];
}

/** A part of a request that is made of parameters. */
function parametersIn(place, key, parameters = []) {
  const members = parameters
    .filter((parameter) => parameter.in === place)
    .flatMap(({ name, description, required, schema }) =>
      member(name, { ...schema, description: description ?? schema.description }, required, BODY),
    );
  const isRequired = parameters.some((parameter) => parameter.in === place && parameter.required);
  return members.length === 0 ? [] : [`${key}${isRequired ? '' : '?'}: ${block(members)};`];
}

const jsonOf = (part) => part?.content?.['application/json']?.schema;
const isDeletion = ({ properties = {} }) => Object.keys(properties).join() === 'id';

/**
 * Where a POST creates or deletes, by its body, the client only creates with it: DELETE deletes as well, and so
 * neither a body nor an answer is one of two.
 */
function creating(operation) {
  const body = jsonOf(operation.requestBody);
  if (!body?.oneOf?.some(isDeletion)) return operation;
  const oneOf = body.oneOf.filter((variant) => !isDeletion(variant));
  const { 200: _deleted, ...responses } = operation.responses;
  return {
    ...operation,
    summary: `${operation.summary} (here only the former; DELETE deletes)`,
    requestBody: { ...operation.requestBody, content: { 'application/json': { schema: { oneOf } } } },
    responses,
  };
}

function requestOf({ parameters = [], requestBody }) {
  const elsewhere = parameters.find(({ in: place }) => !['query', 'header'].includes(place));
  if (elsewhere) throw new Error(`Not understood: a parameter in the ${elsewhere.in}`);
  const body = jsonOf(requestBody);
  return block([
    ...parametersIn('query', 'query', parameters),
    ...parametersIn('header', 'headers', parameters),
    ...(body ? [`body${requestBody.required ? '' : '?'}: ${typeOf(body, BODY)};`] : []),
  ]);
}

function dataOf({ operationId, responses }) {
  const good = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  const bad = Object.entries(responses).filter(([status]) => /^[45]/.test(status));
  for (const [status, { content }] of bad) {
    const reference = content?.['application/problem+json']?.schema?.$ref;
    if (!reference?.endsWith(`/${PROBLEM}`))
      throw new Error(`${operationId} answers ${status} without a problem.`);
  }
  return good.map(([, response]) => typeOf(jsonOf(response), ANSWER)).join(' | ');
}

function operationOf(method, operation) {
  const { summary, ...rest } = creating(operation);
  return [
    ...comment(summary),
    `${method.toUpperCase()}: ${block([`request: ${requestOf(rest)};`, `data: ${dataOf(rest)};`])};`,
  ];
}

function pathOf([path, operations]) {
  const strange = Object.keys(operations).filter((method) => !METHODS.includes(method));
  if (strange.length > 0) throw new Error(`Not understood: ${strange.join(', ')} in ${path}`);
  const members = Object.entries(operations).flatMap(([method, operation]) => operationOf(method, operation));
  return `${quote(path)}: ${block(members)};`;
}

function sourceOf({ components, paths }) {
  const schemas = Object.entries(components.schemas).map(([name, schema]) =>
    [...comment(schema.description), `export interface ${name} ${objectOf(schema, ANSWER)}`].join('\n'),
  );
  return [
    '// Written by "npm run client" from openapi.json: change that, not this.',
    ...schemas,
    `/** What every path takes and answers, by method. */\nexport interface Paths ${block(Object.entries(paths).map(pathOf))}`,
  ].join('\n\n');
}

const [from, to] = process.argv.slice(2);
if (!from) {
  console.error('From what? node tools/generate-client.mjs openapi.json [FILE]');
  process.exit(1);
}
const source = `${sourceOf(JSON.parse(readFileSync(from, 'utf8')))}\n`;
if (to) writeFileSync(to, source);
else process.stdout.write(source);
