import { Schedule } from './schedule.js';

const [from, count] = [Number(process.argv[2] ?? 1), Number(process.argv[3] ?? 1)];
const isTold = process.argv[4] === 'tell';
const startedAt = performance.now();
let [failed, steps, virtualMs] = [0, 0, 0];
for (let seed = from; seed < from + count; seed += 1) {
  const result = await new Schedule({ seed, isTold }).run();
  if (isTold) console.log(result.history.join('\n'));
  steps += result.steps;
  virtualMs += result.virtualMs;
  if (result.violations.length === 0) continue;
  failed += 1;
  console.log(`seed=${seed} ${result.violations.slice(0, 3).join(' | ')}`);
}
const seconds = (performance.now() - startedAt) / 1_000;
console.log(
  `${count} schedules, ${failed} failed, ${(count / seconds).toFixed(1)}/s, ${Math.round(steps / count)} steps, ${Math.round(virtualMs / count)} ms each`,
);
