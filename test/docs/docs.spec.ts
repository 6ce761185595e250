import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { createDocument } from '../../src/service/openapi/document.js';
import { SQLITE } from '../support/databases.js';
import { useService } from '../support/fixture.js';
import { resolved } from '../support/operations.js';
import type { Json } from '../support/scene.js';

const KINDS = [
  ...['ANALYSIS_FINISHED', 'RECORD_FINISHED', 'STATUS_CHANGED'],
  ...['TRIGGER_FAILED', 'TRIGGER_RECOVERED', 'WEBHOOK_DISABLED', 'WEBHOOK_FAILING'],
];

const contentOf = (part: Json) => part.content?.['application/json'] ?? part.content?.['text/event-stream'];

/** All examples of a request or response body. */
const examplesOf = (content: Json): Json[] =>
  content.examples
    ? Object.values<Json>(content.examples).map(({ value }) => value)
    : [content.example].filter((example) => example !== undefined);

describe('the documentation of the API', () => {
  const service = useService(SQLITE);
  let document: Json;
  let operations: [name: string, operation: Json][];

  beforeAll(async () => {
    const answer = await service.call('GET', '/docs/openapi.json', undefined, { key: null });
    expect(answer.status).toBe(200);
    document = answer.body;
    operations = Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
      Object.entries<Json>(methods).map(([method, operation]): [string, Json] => [
        `${method.toUpperCase()} ${path}`,
        operation,
      ]),
    );
  });

  const successes = (operation: Json): [status: string, response: Json][] =>
    Object.entries<Json>(operation.responses).filter(([status]) => /^2/.test(status));

  /** The names of the operations for which `holds` is false. */
  const without = (holds: (operation: Json, name: string) => boolean) =>
    operations.filter(([name, operation]) => !holds(operation, name)).map(([name]) => name);

  /** The faults of the examples; empty if there are none. */
  function faults(content: Json): string[] {
    const schema = z.fromJSONSchema(resolved(content.schema));
    return examplesOf(content).flatMap((example) => {
      const result = schema.safeParse(example);
      return result.success ? [] : [`${JSON.stringify(example)}: ${result.error.message}`];
    });
  }

  it('is the committed document', () => {
    const committed = readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8');
    // "npm run build && npm run openapi" writes the document.
    expect(committed).toBe(`${JSON.stringify(createDocument(service.app), null, 2)}\n`);
    expect(document).toEqual(JSON.parse(committed));
  });

  it('is an OpenAPI 3.1 document whose references all resolve', () => {
    expect(document).toMatchObject({
      openapi: '3.1.0',
      info: { title: expect.any(String), version: expect.any(String) },
      components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
    });
    expect(document.components.securitySchemes.bearer).not.toHaveProperty('bearerFormat');
    expect(() => resolved({ ...document.paths, ...document.webhooks })).not.toThrow();
    // These OpenAPI 3.0 keywords have no meaning in 3.1.
    expect(JSON.stringify(document)).not.toMatch(/"nullable":|"exclusiveMinimum":true/);
  });

  it('names and describes every operation', () => {
    const ids = operations.map(([, { operationId }]) => operationId);
    expect(ids.every((id) => /^[a-z][A-Za-z]+$/.test(id))).toBe(true);
    expect(new Set(ids).size).toBe(ids.length);
    expect(without(({ summary, tags }) => summary?.length > 0 && tags?.length > 0)).toEqual([]);
    expect(without(({ security }) => security?.some((scheme: Json) => 'bearer' in scheme))).toEqual([
      'POST /v1/session',
      'DELETE /v1/session',
    ]);
  });

  it('documents each parameter once', () => {
    for (const [, { parameters = [] }] of operations) {
      const names = parameters.map((one: Json) => `${one.in} ${one.name.toLowerCase()}`);
      expect(new Set(names).size).toBe(names.length);
      for (const parameter of parameters) expect(parameter.schema).toHaveProperty('type');
    }
  });

  it('has a schema and valid examples for every success and every request body', () => {
    for (const [name, operation] of operations) {
      const { requestBody } = operation;
      expect({ name, hasBody: requestBody !== undefined }).toEqual({
        name,
        hasBody: /^(POST|PUT|PATCH)/.test(name),
      });
      const answers = successes(operation);
      expect({ name, answers }).not.toEqual({ name, answers: [] });
      if (requestBody) expect({ name, requestBody }).toMatchObject({ requestBody: { required: true } });
      for (const part of [
        ...answers.map(([, response]) => response),
        ...(requestBody ? [requestBody] : []),
      ]) {
        const content = contentOf(part);
        expect({ name, examples: examplesOf(content).length }).not.toEqual({ name, examples: 0 });
        expect({ name, faults: faults(content) }).toEqual({ name, faults: [] });
      }
    }
  });

  it('documents the problems of every operation', () => {
    for (const [name, { responses }] of operations) {
      expect({ name, statuses: Object.keys(responses) }).toMatchObject({
        statuses: expect.arrayContaining(['400', '401', '403', '429', '503']),
      });
      // A body can be too large, also one that is given where none is asked for.
      expect({ name, isBounded: '413' in responses }).toEqual({ name, isBounded: !name.startsWith('GET') });
      for (const [status, response] of Object.entries<Json>(responses)) {
        if (/^[23]/.test(status)) continue;
        const schema = response.content['application/problem+json']?.schema;
        expect({ name, status, properties: resolved(schema)?.properties }).toMatchObject({
          properties: { type: {}, title: {}, status: {}, detail: {}, instance: {}, code: {}, errors: {} },
        });
      }
    }
  });

  it.each(['/v1/webhook', '/v1/webhook/event'])(
    'distinguishes the two bodies and the two answers of POST %s',
    (path) => {
      const { post } = document.paths[path];
      const { oneOf } = contentOf(post.requestBody).schema;
      expect(oneOf).toHaveLength(2);
      expect(oneOf[0].properties).not.toHaveProperty('id');
      expect(oneOf[1]).toMatchObject({ required: ['id'], additionalProperties: false });
      expect(Object.keys(oneOf[1].properties)).toEqual(['id']);
      expect(successes(post).map(([status]) => status)).toEqual(['200', '201']);
    },
  );

  it('describes the requests that webhooks receive', () => {
    expect(Object.keys(document.webhooks).sort()).toEqual(KINDS);
    for (const name of KINDS) {
      const { post } = document.webhooks[name];
      const content = contentOf(post.requestBody);
      expect(content.example).toMatchObject({ event_kind: name });
      expect(faults(content)).toEqual([]);
      const headers = post.parameters.map((one: Json) => one.name);
      expect(headers).toEqual(
        expect.arrayContaining(['webhook-id', 'webhook-timestamp', 'webhook-signature', 'webhook-attempt']),
      );
    }
  });
});
