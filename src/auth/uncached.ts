import type { ExecutionContext } from '@nestjs/common';
import type { HttpAdapterHost } from '@nestjs/core';
import { UNCACHED } from '../rest/browser-headers.js';

/** Keeps the answer out of caches, also where an application has no such rule. A stream says more about it. */
export function keepUncached({ httpAdapter }: HttpAdapterHost, context: ExecutionContext): void {
  const response = context.switchToHttp().getResponse();
  httpAdapter.setHeader(response, 'Cache-Control', UNCACHED['Cache-Control']);
}
