import { simulate } from './simulate.js';

process.exitCode = await simulate(process.argv.slice(2), process.env, process);
