import { describe, expect, it } from '@jest/globals';
import { mountOf, type RoutedRequest } from './mount-of.js';

describe('where a route is mounted', () => {
  it.each<[string, RoutedRequest, string, string]>([
    ['Fastify', { url: '/console', routeOptions: { url: '/console' } }, '/console', ''],
    ['Fastify', { url: '/console/?x=/y', routeOptions: { url: '/console/*' } }, '/console', ''],
    ['Fastify', { url: '/a/console/b/c', routeOptions: { url: '/a/console/*' } }, '/a/console', 'b/c'],
    ['Express', { url: '/console/', route: { path: '/console' } }, '/console', ''],
    ['Express', { url: '/a/console/b/c', route: { path: '/a/console/*path' } }, '/a/console', 'b/c'],
    ['Express', { url: '/console/console/x', route: { path: '/console/*path' } }, '/console', 'console/x'],
    [
      'Express, mounted',
      {
        url: '/console/x',
        originalUrl: '/sub/app/console/x',
        baseUrl: '/sub/app',
        route: { path: '/console/*path' },
      },
      '/sub/app/console',
      'x',
    ],
    [
      'a prefix with parameters',
      { url: '/t/acme/console/x', routeOptions: { url: '/t/:tenant/console/*' } },
      '/t/acme/console',
      'x',
    ],
  ])('by %s: %j', (_, request, base, rest) => {
    expect(mountOf(request)).toEqual({ base, rest });
  });
});
