import { SERVICE_NAMES } from './command.js';
import { FIRST_PORTS, portVariable } from './plan.js';

export const HELP = `Redis, Valkey, MariaDB, MySQL, Kafka and RocketMQ on this machine, for development and CI.

  npm run services -- up [names…]       start, wait until ready, print the settings to paste; all without names
  npm run services -- down [names…]     end; data stay
  npm run services -- status [names…]   what runs, where, and its logs
  npm run services -- install [names…]  fetch what is missing, start nothing

  up kafka --brokers 3     three brokers instead of one
  up redis --cluster       three masters with a replica each
  up redis --sentinel      a master, two replicas, three Sentinels
  up --native              not by Docker Compose, even where it is there
  up, install --yes        install without a question
  down --data, --volumes   remove the data too
  status --json            for programs

With Docker (docker compose and its engine answer) Redis, MySQL and Kafka are containers, if docker-compose.yml has them;
all else, and without Docker everything, runs as processes of this machine on loopback ports, started by nobody but this
command. What is missing is installed by apt-get (as root or by sudo), fetched from Maven Central, or unpacked from
packages of Debian unstable (MySQL, Valkey) into ~/.cache/wecom-callback-gateway.

Data, logs and process ids are in .services (SERVICES_DIR). First port of each, and the variable that changes it:
${SERVICE_NAMES.map((name) => `  ${name.padEnd(9)} ${FIRST_PORTS[name]}  ${portVariable(name)}`).join('\n')}

Exit code: 0 done, or with status: all asked for are up; 1 failed; 2 not understood; 3 with status: something is not up.
`;
