import { beforeEach, describe, expect, it } from '@jest/globals';
import { HttpService } from '@nestjs/axios';
import axios from 'axios';
import { AxiosTransport } from '../../src/network/transport/axios.transport.js';
import { UndiciTransport } from '../../src/network/transport/undici.transport.js';
import type { Receiver } from '../support/receiver.js';
import { until } from '../support/until.js';
import { post, useBench } from './transports.js';

describe('interceptors of the HttpService of a host', () => {
  let instance = axios.create();
  const bench = useBench(
    (connector) => new AxiosTransport(async () => new HttpService(instance), new UndiciTransport(connector)),
  );
  let receiver: Receiver;

  beforeEach(async () => {
    instance = axios.create();
    receiver = await bench.receiver();
  });

  it('change what is sent', async () => {
    instance.interceptors.request.use((config) => {
      config.headers.set('X-Trace', 'abc');
      return {
        ...config,
        url: `${config.url}/changed`,
        params: { team: 'risk' },
        data: Buffer.from('other'),
      };
    });
    await post(bench.transport(), `${receiver.url}/a`);
    const [request] = receiver.requests;
    expect(request).toMatchObject({ path: '/a/changed?team=risk', headers: { 'x-trace': 'abc' } });
    expect(String(request?.body)).toBe('other');
  });

  it('see the answer, and cannot change what the attempt was', async () => {
    const seen: unknown[] = [];
    instance.interceptors.response.use(({ status, headers, data }) => {
      seen.push([status, headers['x-answer'], data]);
      throw new Error('not good enough');
    });
    receiver.respondWith({ status: 500, headers: { 'X-Answer': 'no' }, body: 'busy' });
    const { response } = await post(bench.transport(), receiver.url);
    expect(response).toMatchObject({ status: 500, body: 'busy' });
    expect(seen).toEqual([[500, 'no', 'busy']]);
  });

  it('see that there is no answer, and send nothing again', async () => {
    receiver.respondWith('reset');
    const codes: (string | undefined)[] = [];
    instance.interceptors.response.use(undefined, async (error) => {
      codes.push(error.code);
      if (codes.length === 1) await instance.request(error.config);
      throw error;
    });
    expect((await post(bench.transport(), receiver.url)).error?.code).toBe('connection_reset');
    await until(() => codes.length === 2);
    expect(receiver.requests).toHaveLength(1);
  });

  it('fail the attempt where they throw, and nothing is sent', async () => {
    instance.interceptors.request.use(() => {
      throw new Error('no token');
    });
    expect((await post(bench.transport(), receiver.url)).error?.code).toBe('internal');
    expect(receiver.requests).toEqual([]);
  });

  it('have until the deadline, and nothing is sent after it', async () => {
    const reached = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<string>();
    instance.interceptors.request.use(async (config) => {
      reached.resolve();
      await held.promise;
      return config;
    });
    instance.interceptors.response.use(undefined, (error) => ended.resolve(error.code));
    const deadline = new AbortController();
    const exchange = post(bench.transport(), receiver.url, { deadline: deadline.signal });
    await reached.promise;
    deadline.abort();
    expect((await exchange).error?.code).toBe('timeout');
    held.resolve();
    expect(await ended.promise).toBe('ERR_CANCELED');
    expect(receiver.requests).toEqual([]);
  });

  it('lead to no address that the policy refuses', async () => {
    instance.interceptors.request.use((config) => ({ ...config, url: 'http://10.0.0.1/' }));
    expect((await post(bench.transport(), receiver.url)).error?.code).toBe('blocked_address');
  });
});
