# The last stage is the image for every TRANSPORT. Without Kafka's client, which is compiled for minutes where GitHub's
# binary of it cannot be had: docker build --target lean .
# All stages stand on one release of Debian: the client is linked against its libraries.
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY console/package.json console/
RUN npm ci
COPY tsconfig.json tsconfig.build.json ./
COPY migrations migrations
COPY scripts scripts
COPY console console
COPY src src
# RocketMQ's client is a dev dependency, so that the lock file pins it and what it needs; here it is one that stays.
RUN npm run build \
  && npm pkg delete devDependencies.rocketmq-client-nodejs peerDependencies.rocketmq-client-nodejs \
  && npm pkg set dependencies.rocketmq-client-nodejs=1.0.8 \
  && npm prune --omit=dev

FROM node:24-bookworm-slim AS kafka-client
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates \
    g++ make python3 libssl-dev libsasl2-dev zlib1g-dev libzstd-dev libcurl4-openssl-dev liblz4-dev
WORKDIR /client
COPY scripts/install-kafka-client.mjs ./
# What it was made of is fifteen times as large as what it is.
RUN node install-kafka-client.mjs && cd node_modules/@confluentinc/kafka-javascript \
  && rm -rf deps src build/Release/obj.target build/Release/.deps build/deps/include build/deps/pkgconfig build/deps/*.a

FROM node:24-bookworm-slim AS lean
ENV NODE_ENV=production DATA_DIR=/data
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY LICENSE NOTICE ./
# The volume takes over the owner that the folder has here. uid and gid of `node` are 1000.
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
# The admin port stays on loopback inside the container unless ADMIN_HOST is set.
EXPOSE 3000 3001
# Every role has the admin port; only a gateway has the other one.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.ADMIN_PORT || 3001}/health/live`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# Node itself is process 1, so that SIGTERM reaches it.
CMD ["node", "dist/src/main.js"]

FROM lean AS full
USER root
# What Kafka's client is linked against, and the authorities that it trusts unless KAFKA_TLS_CA names one.
RUN apt-get update \
  && apt-get install -y --no-install-recommends ca-certificates libcurl4 liblz4-1 libsasl2-2 libssl3 libzstd1 zlib1g \
  && rm -rf /var/lib/apt/lists/*
# Where Node looks after /app/node_modules: neither install can change a package of the other.
COPY --from=kafka-client /client/node_modules /node_modules
USER node
# A client that does not load shows here and not at the start of a gateway.
RUN ["node", "--input-type=module", "-e", "await import('@confluentinc/kafka-javascript'); await import('rocketmq-client-nodejs')"]
