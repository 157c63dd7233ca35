import type { MachineView } from '../../api/views.js';

export interface Node {
  readonly state: string;
  /** Centre. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

export interface Edge {
  readonly from: string;
  readonly to: string;
  /** All that lead along it. */
  readonly triggers: readonly string[];
  readonly unconfirmed: boolean;
  /** The `d` of an SVG path. */
  readonly path: string;
}

export interface Drawing {
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly Node[];
  readonly edges: readonly Edge[];
}

export const NODE_HEIGHT = 36;
const LETTER_WIDTH = 7.6;
const NODE_PADDING = 26;
const GAP_X = 74;
const GAP_Y = 34;
const MARGIN = 12;
/** How far a line that passes other states goes around them, for each column that it passes. */
const BOW = 46;

type Machine = Pick<MachineView, 'states' | 'moves'>;

/** Columns by how many moves it takes at most to get there, in the order in which the machine names its states. Pure. */
export function drawMachine(machine: Machine): Drawing {
  const columns = columnsOf(machine);
  const tallest = Math.max(...columns.map((states) => states.length));
  const bows = Math.max(1, columns.length - 1) * BOW * 0.75;
  const inner = tallest * NODE_HEIGHT + (tallest - 1) * GAP_Y;
  const nodes: Node[] = [];
  let left = MARGIN;
  for (const states of columns) {
    const width = Math.max(...states.map((state) => state.length)) * LETTER_WIDTH + NODE_PADDING;
    const tall = states.length * NODE_HEIGHT + (states.length - 1) * GAP_Y;
    const top = MARGIN + bows + (inner - tall) / 2 + NODE_HEIGHT / 2;
    states.forEach((state, row) => {
      nodes.push({ state, x: left + width / 2, y: top + row * (NODE_HEIGHT + GAP_Y), width });
    });
    left += width + GAP_X;
  }
  const height = inner + 2 * (MARGIN + bows);
  // Room at the right for lines between states of the last column.
  return { width: left - GAP_X + MARGIN + 36, height, nodes, edges: edgesOf(machine, nodes, columns, height / 2) };
}

/** The longest way from the initial state along moves that lead onwards in the machine's own order. */
function columnsOf({ states, moves }: Machine): string[][] {
  const depths = new Map<string, number>();
  for (const [index, state] of states.entries()) {
    const before = moves.filter(({ from, to }) => to === state && states.indexOf(from) < index);
    depths.set(state, Math.max(0, ...before.map(({ from }) => (depths.get(from) ?? 0) + 1)));
  }
  const columns: string[][] = [];
  for (const [state, depth] of depths) (columns[depth] ??= []).push(state);
  return columns.filter((column) => column !== undefined);
}

function edgesOf({ moves }: Machine, nodes: readonly Node[], columns: string[][], middle: number): Edge[] {
  const found = new Map<string, { from: string; to: string; triggers: string[]; unconfirmed: boolean }>();
  for (const { from, to, trigger, unconfirmed } of moves) {
    const key = JSON.stringify([from, to]);
    const edge = found.get(key) ?? { from, to, triggers: [], unconfirmed: true };
    if (!edge.triggers.includes(trigger)) edge.triggers.push(trigger);
    found.set(key, { ...edge, unconfirmed: edge.unconfirmed && unconfirmed });
  }
  const column = (state: string): number => columns.findIndex((states) => states.includes(state));
  return [...found.values()].flatMap((edge) => {
    const from = nodes.find(({ state }) => state === edge.from);
    const to = nodes.find(({ state }) => state === edge.to);
    if (!from || !to) return [];
    return [{ ...edge, path: pathOf(from, to, column(edge.to) - column(edge.from), middle) }];
  });
}

/** `span`: how many columns to the right. */
function pathOf(from: Node, to: Node, span: number, middle: number): string {
  const half = NODE_HEIGHT / 2;
  if (from.state === to.state) {
    const x = from.x + from.width / 2 - 16;
    return `M ${x - 8} ${from.y - half} C ${x - 10} ${from.y - half - 20}, ${x + 10} ${from.y - half - 20}, ${x + 6} ${from.y - half}`;
  }
  const right = from.x + from.width / 2;
  if (span === 1) {
    const left = to.x - to.width / 2;
    const bend = (left - right) / 2;
    return `M ${right} ${from.y} C ${right + bend} ${from.y}, ${left - bend} ${to.y}, ${left} ${to.y}`;
  }
  if (span === 0) {
    const end = to.x + to.width / 2;
    const out = Math.max(right, end) + 34;
    return `M ${right} ${from.y} C ${out} ${from.y}, ${out} ${to.y}, ${end} ${to.y}`;
  }
  // Around the columns between: onwards on the side where the target is, back on the other one.
  const isAbove = span > 0 ? to.y <= middle : to.y > middle;
  const side = isAbove ? -1 : 1;
  const startX = from.x + (span > 0 ? 14 : -14);
  const endX = to.x + (span > 0 ? -14 : 14);
  const [startY, endY] = [from.y + side * half, to.y + side * half];
  const turn = side * BOW * Math.min(3, Math.abs(span));
  return `M ${startX} ${startY} C ${startX + (endX - startX) * 0.25} ${startY + turn}, ${endX - (endX - startX) * 0.25} ${endY + turn}, ${endX} ${endY}`;
}
