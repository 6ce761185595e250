# Debian, not Alpine: the optional dependency that the npm scripts of the build stage run on is a glibc binary of Node.
ARG NODE_IMAGE=node:24-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY client/package.json client/
COPY console/package.json console/
RUN npm ci --no-audit --no-fund
COPY tsconfig.json ./
COPY tools/build tools/build
COPY migrations migrations
COPY src src
COPY console console
COPY docs/verify.md docs/verify.md
RUN npm run build

FROM ${NODE_IMAGE} AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY client/package.json client/
COPY console/package.json console/
# No dependency that is needed at run time has an install script to run, and the image has a Node of its own.
RUN npm ci --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund

FROM ${NODE_IMAGE}
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000
WORKDIR /app
RUN install --directory --owner=node --group=node --mode=0700 data
COPY package.json openapi.json ./
COPY --from=dependencies /app/node_modules node_modules
COPY --from=build /app/dist dist
USER node
# All that the service ever writes: the SQLite database, where one is used. The rest may be read-only.
VOLUME /app/data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/health/live').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--max-semi-space-size=16", "--heap-growing-percent=50", "--no-allocation-site-pretenuring", "dist/service/bundle/main.cjs"]
