import { Socket } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { TestClock } from '../../src/module/testing/test-clock.js';
import { certificate } from '../support/receiver.js';
import { until } from '../support/until.js';
import { post, transports, useBench } from './transports.js';

/** Longer than it takes to reach the step that hangs. */
const DEADLINE_MS = 1000;

describe.each(transports)('how the %s transport connects', (_name, create) => {
  const bench = useBench(create);

  describe('fails with', () => {
    it('dns: the name does not resolve, or to nothing', async () => {
      const notFound = Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' });
      for (const resolve of [() => Promise.reject(notFound), async () => []]) {
        const { error } = await post(bench.transport({ resolve }), 'http://receiver.test');
        expect(error).toEqual({ code: 'dns', message: 'The host name could not be resolved.' });
      }
    });

    it('timeout: the name server hangs', async () => {
      const transport = bench.transport({ resolve: () => new Promise(() => {}) });
      const exchange = await post(transport, 'http://receiver.test', {
        deadline: AbortSignal.timeout(DEADLINE_MS),
      });
      expect(exchange).toEqual({
        response: null,
        error: { code: 'timeout', message: 'The receiver did not answer in time.' },
        phases: {},
        detail: { phase: 'dns' },
      });
    });

    it('timeout: none of several addresses answers', async () => {
      const deadline = new AbortController();
      const clock = new TestClock();
      const dialled: string[] = [];
      const transport = bench.transport({
        resolve: async () => ['127.0.9.1', '::1', '127.0.9.2'],
        connectTcp: ({ host = '' }) => {
          dialled.push(host);
          return new Socket();
        },
        clock,
      });
      const exchange = post(transport, 'http://receiver.test', { deadline: deadline.signal });
      await until(() => dialled.length === 1);
      clock.advance(250);
      deadline.abort();
      expect(await exchange).toMatchObject({
        error: { code: 'timeout' },
        detail: { phase: 'connect', addresses: '127.0.9.1, ::1' },
      });
    });

    it('timeout: the TLS handshake hangs', async () => {
      const receiver = await bench.receiver({ tls: 'stuck' });
      const exchange = await post(bench.transport(), receiver.url, {
        deadline: AbortSignal.timeout(DEADLINE_MS),
      });
      expect(exchange).toMatchObject({ error: { code: 'timeout' }, detail: { phase: 'tls' } });
      const { phases } = exchange;
      expect(phases).toEqual({ connect: expect.any(Number) });
      await receiver.waitFor(() => receiver.openConnections === 0);
    });

    it.each<[string, 'valid' | 'expired', boolean, string, RegExp, string]>([
      ['self-signed', 'valid', false, 'receiver.test', /self-signed/, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
      ['expired', 'expired', true, 'receiver.test', /expired/, 'CERT_HAS_EXPIRED'],
      ['of another host', 'valid', true, 'other.test', /not for this/, 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ])('tls: the certificate is %s', async (_case, tls, isTrusted, name, message, reason) => {
      const receiver = await bench.receiver({ tls });
      const ca = isTrusted ? certificate(tls) : undefined;
      const transport = bench.transport({ ca, resolve: async () => ['127.0.0.1'] });
      const exchange = await post(transport, `https://${name}:${receiver.port}`);
      expect(exchange).toMatchObject({
        error: { code: 'tls', message: expect.stringMatching(message) },
        detail: {
          reason,
          certificate: {
            validTo: `${tls === 'expired' ? '2020-01-02' : '2120-01-01'}T00:00:00.000Z`,
            names: ['receiver.test', 'localhost', '127.0.0.1'],
            issuer: 'receiver.test',
          },
        },
      });
      expect(receiver.requests).toHaveLength(0);
      await receiver.waitFor(() => receiver.openConnections === 0);
    });

    it('tls: the receiver speaks plain HTTP', async () => {
      const receiver = await bench.receiver();
      const { error } = await post(bench.transport(), receiver.url.replace('http:', 'https:'));
      expect(error?.code).toBe('tls');
    });
  });

  describe('over TLS', () => {
    it.each(['receiver.test', 'receiver.test.', '127.0.0.1'])(
      'reaches https://%s, on one connection',
      async (host) => {
        const receiver = await bench.receiver({ tls: 'valid' });
        receiver.respondWith({ body: 'secret' });
        const transport = bench.transport({ ca: certificate('valid'), resolve: async () => ['127.0.0.1'] });
        const { response, phases } = await post(transport, `https://${host}:${receiver.port}`);
        expect(response?.body).toBe('secret');
        expect(phases).toMatchObject({
          connect: expect.any(Number),
          tls: expect.any(Number),
          headers: expect.any(Number),
        });
        expect((await post(transport, `https://${host}:${receiver.port}`)).phases).toEqual({
          headers: expect.any(Number),
        });
        expect(receiver.connectionCount).toBe(1);
      },
    );
  });

  it('dials the next address of a name when one refuses', async () => {
    const receiver = await bench.receiver();
    const transport = bench.transport({ resolve: async () => ['127.0.0.2', '127.0.0.1'] });
    const { response, phases } = await post(transport, `http://receiver.test:${receiver.port}`);
    expect(response?.status).toBe(200);
    expect(phases).toEqual({
      dns: expect.any(Number),
      connect: expect.any(Number),
      headers: expect.any(Number),
    });
  });
});
