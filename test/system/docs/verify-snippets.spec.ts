import { createSecretKey, type KeyObject } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { signatureHeader } from '../../../src/engine/send/signature.js';
import { newSecret, parseSecret } from '../../../src/platform/secret/signing-secret.js';
import { blocksOf } from '../../docs/doc-blocks.js';
import { leaveOut } from '../../support/left-out.js';
import { type Ending, isInstalled, languages, type SignedRequest, SnippetProgram } from './snippets.js';

const snippets = blocksOf('docs/verify.md');
const missing = Object.keys(languages).filter((language) => !isInstalled(language));
if (missing.length > 0) leaveOut(`the snippets in ${missing.join(', ')}, which are not on this machine.`);
const runnable = snippets.filter(({ language }) => language in languages && !missing.includes(language));

/** On a new machine, Go first compiles its standard library. */
const PREPARE_TIMEOUT_MS = 180_000;

const SECRET = newSecret();
const OTHER_SECRET = newSecret();
const ID = '019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b42';
const JSON_BODY =
  '{"data":{"id":"rec_1","name":"Zoë 🦊 \u2028 \\u00e9","n":12345678901234567890,"x":1.0,"analysis":[]}}';
const BODY = Buffer.from(`${JSON_BODY}\r\n\n`);

interface Signing {
  id?: string;
  /** Seconds by which the timestamp is ahead. */
  ahead?: number;
  body?: Buffer;
  secrets?: string[];
}

const keyOf = (secret: string): KeyObject => parseSecret(secret) ?? createSecretKey(Buffer.alloc(0));

/** A request as the service signs it, for a receiver that has the last of the secrets. */
function signed({ id = ID, ahead = 0, body = BODY, secrets = [SECRET] }: Signing = {}): SignedRequest {
  const timestamp = Math.floor(Date.now() / 1000) + ahead;
  const signature = signatureHeader(secrets.map(keyOf), id, timestamp, body);
  return { secret: secrets.at(-1) ?? '', id, timestamp: `${timestamp}`, signature, body };
}

/** A request that was changed in transit. */
function changed(change: (request: SignedRequest) => Partial<SignedRequest>): SignedRequest {
  const request = signed();
  return { ...request, ...change(request) };
}

const withBody = (change: (body: Buffer) => string) =>
  changed(({ body }) => ({ body: Buffer.from(change(body)) }));

const withKeyOf = (bytes: number) =>
  signed({ secrets: [`whsec_${Buffer.alloc(bytes, 251).toString('base64')}`] });

const good = (): Record<string, SignedRequest> => ({
  'as it is sent': signed(),
  'plain JSON': signed({ body: Buffer.from('{"data":{}}') }),
  'a large body': signed({ body: Buffer.from(`"${'é'.repeat(500_000)}"`) }),
  'the shortest secret': withKeyOf(24),
  'a secret with padding': withKeyOf(25),
  'the longest secret': withKeyOf(64),
  'four minutes old': signed({ ahead: -240 }),
  'four minutes ahead': signed({ ahead: 240 }),
  'signed with two secrets, of which this is the second': signed({ secrets: [OTHER_SECRET, SECRET] }),
  'signed with two secrets, of which this is the first': {
    ...signed({ secrets: [SECRET, OTHER_SECRET] }),
    secret: SECRET,
  },
  'signed in versions that are not known, too': changed(({ signature }) => ({
    signature: `v1a,AAAA v2 v2,${signature?.slice(3)} ${signature}`,
  })),
});

const GARBAGE = {
  signature: [
    ...['garbage', '*', ' ', ',', 'v1', 'v1,', 'v1, v1,', 'v1,*', 'v1,é🦊'],
    `v1,${'A'.repeat(5000)}`,
  ],
  timestamp: [...['soon', '-1', '0', '1e10', '0x7fffffff', ' ', 'é'], ...['9'.repeat(12), '9'.repeat(5000)]],
};

const ofGarbage = (): Record<string, SignedRequest> => ({
  ...Object.fromEntries(
    Object.entries(GARBAGE).flatMap(([name, values]) =>
      values.map((value) => [`the ${name} ${value.slice(0, 20)}`, changed(() => ({ [name]: value }))]),
    ),
  ),
  'the id é🦊': changed(() => ({ id: 'é🦊' })),
  'the timestamp in milliseconds': signed({ ahead: Date.now() }),
});

const lacking = (): Record<string, SignedRequest> => ({
  'no id': changed(() => ({ id: undefined })),
  'no timestamp': changed(() => ({ timestamp: undefined })),
  'no signature': changed(() => ({ signature: undefined })),
  'no headers at all': changed(() => ({ id: undefined, timestamp: undefined, signature: undefined })),
  'an empty id, signed so': signed({ id: '' }),
  'an empty timestamp': changed(() => ({ timestamp: '' })),
  'an empty signature': changed(() => ({ signature: '' })),
});

const forged = (): Record<string, SignedRequest> => ({
  'one byte changed': withBody((body) => body.toString().replace('rec_1', 'rec_2')),
  'no body': withBody(() => ''),
  'a body without the line feed at its end': withBody((body) => body.toString().slice(0, -1)),
  'a body with one more': withBody((body) => `${body}\n`),
  'a body parsed and written again': withBody((body) => JSON.stringify(JSON.parse(body.toString()))),
  'another id': changed(() => ({ id: ID.replace('0', '1') })),
  'another timestamp': changed(({ timestamp }) => ({ timestamp: `${Number(timestamp) - 1}` })),
  'another secret': { ...signed(), secret: OTHER_SECRET },
  'two signatures of others': { ...signed({ secrets: [OTHER_SECRET, newSecret()] }), secret: SECRET },
  'five minutes old': signed({ ahead: -301 }),
  // One minute more than the tolerance, because time passes while the program starts.
  'five minutes ahead': signed({ ahead: 360 }),
  'the right signature under a version that is not known': changed(({ signature }) => ({
    signature: signature?.replace('v1,', 'v2,'),
  })),
  'the right signature without a version': changed(({ signature }) => ({ signature: signature?.slice(3) })),
  'the right signature in capitals': changed(({ signature }) => ({ signature: signature?.toUpperCase() })),
  'half of the right signature': changed(({ signature }) => ({ signature: signature?.slice(0, 25) })),
});

describe('docs/verify.md', () => {
  it('has code in exactly the supported languages', () => {
    const written = new Set(snippets.map(({ language }) => language));
    expect([...written].sort()).toEqual(Object.keys(languages).sort());
  });
});

describe.each(runnable)('$heading: the receiver in docs/verify.md', (snippet) => {
  const program = new SnippetProgram(snippet);

  beforeAll(async () => {
    expect(await program.prepare()).toEqual({ code: 0, complaint: '' });
  }, PREPARE_TIMEOUT_MS);
  afterAll(() => program.remove());

  it.each([
    ['accepts requests from the service', good, 0],
    ['refuses forged and outdated requests', forged, 1],
    ['refuses garbage', ofGarbage, 1],
    ['refuses requests without a header', lacking, 1],
  ])('%s', async (_promise, make, code) => {
    const endings = Object.entries(make()).map(async ([name, request]) => ({
      name,
      ...(await program.verify(request)),
    }));
    // A program that complains has crashed, not refused the request.
    const isOther = (ending: Ending) => ending.code !== code || ending.complaint !== '';
    expect((await Promise.all(endings)).filter(isOther)).toEqual([]);
  });

  it.each(['', 'whsec_'])(
    'fails rather than accept a signature made with the empty key %j',
    async (secret) => {
      const { code, complaint } = await program.verify(signed({ secrets: [secret] }));
      expect(complaint).toMatch(/secret/i);
      expect(code).toBeGreaterThan(0);
    },
  );
});
