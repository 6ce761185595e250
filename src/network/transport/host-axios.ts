import { HttpModule, HttpService } from '@nestjs/axios';
import type { LazyModuleLoader } from '@nestjs/core';
import { AxiosTransport } from './axios.transport.js';
import type { Transport } from './transport.js';

/** Sends through the application's `HttpService`, which it may have given interceptors, and from there by `transport`. */
export function hostAxios(modules: LazyModuleLoader, transport: Transport): AxiosTransport {
  // At the first request: while the application is assembled, a module of its own may not be ready.
  const find = async () => {
    const module = await modules.load(() => HttpModule, { logger: false });
    return module.get(HttpService);
  };
  let found: Promise<HttpService> | undefined;
  return new AxiosTransport(() => {
    found ??= find();
    return found;
  }, transport);
}
