import { HttpModule, HttpService } from '@nestjs/axios';
import type { LazyModuleLoader } from '@nestjs/core';
import type { Connector } from '../connector.js';
import { AxiosTransport } from './axios.transport.js';

/** The transport over the application's `HttpService`, which it may have given interceptors. */
export function hostAxios(modules: LazyModuleLoader, connector: Connector): AxiosTransport {
  // At the first request: while the application is assembled, a module of its own may not be ready.
  const find = async () => {
    const module = await modules.load(() => HttpModule, { logger: false });
    return module.get(HttpService);
  };
  let found: Promise<HttpService> | undefined;
  return new AxiosTransport(() => {
    found ??= find();
    return found;
  }, connector);
}
