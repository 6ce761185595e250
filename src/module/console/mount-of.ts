import { pathOf } from '../../platform/problem.js';

/** The parts of a request that say where its route is mounted. */
export interface RoutedRequest {
  url: string;
  /** In Express, the path before a mounted application's own is missing in `url`. */
  originalUrl?: string;
  baseUrl?: string;
  /** Express: the pattern of the route. */
  route?: { path: string };
  /** Fastify: the same. */
  routeOptions?: { url?: string };
}

/** Where the route of a request is mounted, and what its path has beyond. */
export interface Mount {
  /** Without a slash at its end. */
  base: string;
  rest: string;
}

const WILDCARD = /^[*{]/;

/**
 * Cuts a path where its route's pattern has a wildcard. The pattern alone does not say where: an application's global prefix
 * may have parameters.
 */
export function mountOf(request: RoutedRequest): Mount {
  const pattern = request.routeOptions?.url ?? request.route?.path ?? '';
  const fixed = segmentsOf(pattern).findIndex((segment) => WILDCARD.test(segment));
  const own = fixed < 0 ? segmentsOf(pattern).length : fixed;
  const depth = own + segmentsOf(request.baseUrl ?? '').length;
  const segments = pathOf(request.originalUrl ?? request.url)
    .split('/')
    .slice(1);
  return {
    base: segments
      .slice(0, depth)
      .map((segment) => `/${segment}`)
      .join(''),
    rest: segments.slice(depth).join('/'),
  };
}

const segmentsOf = (path: string) => path.split('/').filter(Boolean);
