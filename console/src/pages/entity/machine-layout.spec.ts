import { describe, expect, it } from 'vitest';
import { BUILT_IN_MACHINES } from '../../../../src/handlers/built-in-machines.js';
import { transitionsOf, type StateMachine } from '../../../../src/saga/state-machine.js';
import { drawMachine, NODE_HEIGHT, type Node } from './machine-layout.js';

function viewOf(machine: StateMachine) {
  const moves = machine.states.flatMap((from) =>
    machine.triggers.flatMap((trigger) =>
      transitionsOf(machine, from, trigger).map(({ to, guard, unconfirmed = false }) => ({
        ...{ from, trigger, to, guarded: guard !== undefined, unconfirmed },
      })),
    ),
  );
  return { states: [...machine.states], moves };
}

function overlap(a: Node, b: Node): boolean {
  return Math.abs(a.x - b.x) < (a.width + b.width) / 2 && Math.abs(a.y - b.y) < NODE_HEIGHT;
}

describe.each(BUILT_IN_MACHINES.map((machine) => [machine.name, machine] as const))(
  'the drawing of %s',
  (_, machine) => {
    const view = viewOf(machine);
    const { nodes, edges, width, height } = drawMachine(view);

    it('shows each state once, none over another, all inside', () => {
      expect(nodes.map(({ state }) => state).sort()).toEqual([...machine.states].sort());
      for (const [index, node] of nodes.entries()) {
        expect(nodes.slice(index + 1).filter((other) => overlap(node, other))).toEqual([]);
        expect(node.x - node.width / 2).toBeGreaterThanOrEqual(0);
        expect(node.x + node.width / 2).toBeLessThanOrEqual(width);
        expect(node.y - NODE_HEIGHT / 2).toBeGreaterThanOrEqual(0);
        expect(node.y + NODE_HEIGHT / 2).toBeLessThanOrEqual(height);
      }
    });

    it('shows one line for each pair of states that a move leads between, with all its triggers', () => {
      const pairs = new Set(view.moves.map(({ from, to }) => `${from} ${to}`));
      expect(edges.map(({ from, to }) => `${from} ${to}`).sort()).toEqual([...pairs].sort());
      for (const { from, to, triggers } of edges) {
        const wanted = view.moves.filter((move) => move.from === from && move.to === to).map(({ trigger }) => trigger);
        expect(new Set(triggers)).toEqual(new Set(wanted));
      }
    });

    it('begins at the left', () => {
      const initial = nodes.find(({ state }) => state === machine.initial);
      expect(Math.min(...nodes.map(({ x }) => x))).toBe(initial?.x);
    });
  },
);
