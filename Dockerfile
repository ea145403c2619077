# The service with the console, the worker and the operator CLI in one image, run directly from source.
# To use another base with Node 24 and npm: docker build --build-arg NODE_IMAGE=…
ARG NODE_IMAGE=node:24.21.0-bookworm-slim

# Only the manifests, so that the dependencies below are reinstalled only when one of them changes.
FROM ${NODE_IMAGE} AS manifests
WORKDIR /all
COPY . .
RUN mkdir /manifests \
  && find . -name package.json -o -name package-lock.json -o -name .npmrc | tar -cf - -T - | tar -xf - -C /manifests

FROM ${NODE_IMAGE} AS dependencies
WORKDIR /app
COPY --from=manifests /manifests ./
# No dependency needs an install script.
RUN npm ci --omit=dev --ignore-scripts --workspace apps/http --workspace apps/worker --workspace apps/cli

# Vite and its dependencies stay in this stage: the image gets only the files that browsers load.
FROM ${NODE_IMAGE} AS console
WORKDIR /app
COPY --from=manifests /manifests ./
RUN npm ci --ignore-scripts --workspace apps/console
COPY apps/console apps/console
RUN node apps/console/build.mjs

FROM ${NODE_IMAGE}
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data SECRETS_KEY_FILE=/data/secrets.key
# Makes glibc return the memory of large documents. By default each thread that has parsed one keeps an arena of up to
# 40 MB for a 20 MB document.
ENV MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=1048576 MALLOC_TRIM_THRESHOLD_=4194304
# Allocates memory in 2 MB pages if the host has transparent huge pages: on a virtual machine, faulting in a 4 KB page
# can take 10 to 20 µs, and 20 MB takes 5,000 of them.
ENV GLIBC_TUNABLES=glibc.malloc.hugetlb=1
WORKDIR /app
COPY --from=dependencies /app ./
COPY apps/http apps/http
COPY apps/worker apps/worker
COPY apps/cli apps/cli
COPY libs libs
COPY --from=console /app/apps/console/dist apps/console/dist
COPY deploy/make-secrets.mjs deploy/
COPY deploy/portico /usr/local/bin/portico
COPY LICENSE NOTICE ./
# A new volume starts with this content: a folder owned by the service's user.
RUN install -d -o 10001 -g 10001 -m 0700 /data
USER 10001:10001
VOLUME /data
EXPOSE 3000
# On this signal the process shuts down properly: it finishes work in progress, within 20 seconds.
STOPSIGNAL SIGTERM
# On a busy machine the health check takes several seconds to start.
HEALTHCHECK --interval=10s --timeout=10s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# The release build passes in the version from package.json.
ARG VERSION=unreleased
LABEL org.opencontainers.image.title=Portico \
  org.opencontainers.image.version=${VERSION} \
  org.opencontainers.image.licenses=Apache-2.0
ENTRYPOINT ["node", "-C", "@portico/source"]
# The worker: apps/worker/src/main.ts
CMD ["--max-semi-space-size=32", "--v8-pool-size=0", "apps/http/src/main.ts"]
