import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readBody } from './read-body.js';

interface Read {
  status: number | null;
  bytes: Buffer | undefined;
}

/** Reads a body that comes in these pieces. */
async function read(
  pieces: Uint8Array[],
  maxBytes: number,
  headers: Record<string, string> = {},
): Promise<Read> {
  const body = Object.assign(new PassThrough(), { headers });
  const done = new Promise<Read>((resolve) => {
    readBody(body as unknown as IncomingMessage, maxBytes, (error, bytes) =>
      resolve({ status: (error as { status?: number } | null)?.status ?? null, bytes }),
    );
  });
  for (const piece of pieces) body.write(piece);
  body.end();
  return done;
}

describe('readBody', () => {
  const pieces = fc.array(fc.uint8Array({ minLength: 1, maxLength: 40 }), { maxLength: 200 });

  it('reads the same bytes in whatever pieces they come, up to the limit', async () => {
    await fc.assert(
      fc.asyncProperty(pieces, fc.integer({ min: 0, max: 5000 }), async (some, maxBytes) => {
        const whole = Buffer.concat(some);
        const expected =
          whole.length > maxBytes ? { status: 413, bytes: undefined } : { status: null, bytes: whole };
        expect(await read(some, maxBytes)).toEqual(expected);
      }),
    );
  });

  it('reads nothing of what is said to be too long', async () => {
    expect(await read([], 10, { 'content-length': '11' })).toEqual({ status: 413, bytes: undefined });
    expect(await read([Buffer.from('0123456789')], 10, { 'content-length': '10' })).toMatchObject({
      status: null,
    });
  });

  it('ends with the connection', async () => {
    const body = Object.assign(new PassThrough(), { headers: {} });
    const failed = new Promise((resolve) => readBody(body as unknown as IncomingMessage, 10, resolve));
    body.destroy(new Error('aborted'));
    expect(await failed).toMatchObject({ status: 400 });
  });
});
