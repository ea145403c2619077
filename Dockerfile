# The service alone, on its embedded default: it keeps everything in the volume /data.
# Another base with Node 24 can be named by: docker build --build-arg NODE_IMAGE=…
ARG NODE_IMAGE=node:24.21.0-bookworm-slim

FROM ${NODE_IMAGE} AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY apps/cli/package.json apps/cli/
COPY apps/http/package.json apps/http/
COPY apps/worker/package.json apps/worker/
COPY libs libs
COPY tools/package.json tools/
# No dependency needs an install script.
RUN npm ci --omit=dev --ignore-scripts

FROM ${NODE_IMAGE}
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data SECRETS_KEY_FILE=/data/secrets.key
WORKDIR /app
COPY --from=dependencies /app/node_modules node_modules
COPY package.json tsconfig.base.json ./
COPY apps apps
COPY libs libs
RUN mkdir -p /data && chown 10001:10001 /data
USER 10001:10001
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "-C", "@portico/source"]
CMD ["apps/http/src/main.ts"]
