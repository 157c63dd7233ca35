export {
  describeWithMariaDb,
  hasMariaDb,
  startMariaDb,
  type DatabaseServer as MariaDbServer,
} from './database-server.js';
