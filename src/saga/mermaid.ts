import { transitionsOf, type StateMachine } from './state-machine.js';

const START = '[*]';

/** A page with the machine as a Mermaid state diagram. Pure: the same machine is the same page. */
export function mermaidPage(machine: StateMachine): string {
  const lines = [`# ${machine.name}`, '', PREFACE, '', '```mermaid', 'stateDiagram-v2'];
  lines.push(`  ${START} --> ${machine.initial}`);
  for (const [arrow, labels] of arrowsOf(machine)) lines.push(`  ${arrow} : ${labels.join(', ')}`);
  lines.push('  classDef gone stroke-dasharray: 4 4');
  for (const state of machine.tombstones) lines.push(`  class ${state} gone`);
  lines.push('```', '');
  return lines.join('\n');
}

const PREFACE = [
  'Written by `npm run build && node scripts/write-machine-diagrams.mjs`; a test fails when it is stale. What is not drawn',
  'is an illegal move and ends `REJECTED`. `?`: applied and marked unconfirmed. `[if]`: only for some events of that kind,',
  'tried in this order. A dashed border: the object is gone.',
].join('\n');

/** One arrow for each pair of states, in the order of the table, with all that leads along it. */
function arrowsOf(machine: StateMachine): ReadonlyMap<string, readonly string[]> {
  const arrows = new Map<string, string[]>();
  for (const from of machine.states) {
    for (const trigger of machine.triggers) {
      for (const { to, guard, unconfirmed } of transitionsOf(machine, from, trigger)) {
        const label = `${trigger}${guard ? ' [if]' : ''}${unconfirmed ? ' ?' : ''}`;
        const arrow = `${from} --> ${to}`;
        arrows.set(arrow, [...(arrows.get(arrow) ?? []), label]);
      }
    }
  }
  return arrows;
}
