export const ROCKETMQ_CLIENT_PACKAGE = 'rocketmq-client-nodejs';
export const ROCKETMQ_CLIENT_VERSION = '1.0.8';

/** The client is an optional peer: only a deployment on RocketMQ installs it. It stops the start. */
export class RocketMqClientMissingError extends Error {
  readonly code = 'ROCKETMQ_CLIENT_MISSING';

  constructor(options: { cause: unknown }) {
    super(
      `TRANSPORT=rocketmq needs the package ${ROCKETMQ_CLIENT_PACKAGE}, which is not installed; ` +
        `run: npm install ${ROCKETMQ_CLIENT_PACKAGE}@${ROCKETMQ_CLIENT_VERSION}`,
      options,
    );
    this.name = 'RocketMqClientMissingError';
  }
}
