import { describe, expect, it } from 'vitest';
import { mermaidPage } from './mermaid.js';
import type { StateMachine } from './state-machine.js';

const door: StateMachine = {
  name: 'door',
  initial: 'SHUT',
  states: ['SHUT', 'OPEN', 'GONE'],
  tombstones: ['GONE'],
  triggers: ['push', 'pull', 'burn'],
  trigger: () => null,
  transitions: {
    SHUT: {
      push: { to: 'OPEN' },
      pull: { to: 'OPEN', unconfirmed: true },
      burn: [{ to: 'GONE', guard: () => true }, { to: 'SHUT' }],
    },
  },
};

describe('the diagram of a machine', () => {
  it('has one arrow for each pair of states, with all that leads along it and its marks', () => {
    const page = mermaidPage(door).split('\n');
    expect(page[0]).toBe('# door');
    const from = page.indexOf('stateDiagram-v2');
    expect(page.slice(from + 1)).toEqual([
      '  [*] --> SHUT',
      '  SHUT --> OPEN : push, pull ?',
      '  SHUT --> GONE : burn [if]',
      '  SHUT --> SHUT : burn',
      '  classDef gone stroke-dasharray: 4 4',
      '  class GONE gone',
      '```',
      '',
    ]);
  });
});
