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

type Point = readonly [x: number, y: number];
type Curve = readonly [Point, Point, Point, Point];
type Machine = Pick<MachineView, 'states' | 'moves'>;

/** Columns by how many moves it takes at most to get there, in the order in which the machine names its states. Pure. */
export function drawMachine(machine: Machine): Drawing {
  const columns = columnsOf(machine);
  const nodes = placed(columns);
  const edges = edgesOf(machine, nodes, columns);
  // All lies around the height 0 so far; the lines reach out farthest.
  const reach = edges.flatMap(({ curve }) => extremesOf(curve));
  const boxes = nodes.flatMap(({ x, y, width }): Point[] => [
    [x - width / 2, y - NODE_HEIGHT / 2],
    [x + width / 2, y + NODE_HEIGHT / 2],
  ]);
  const points = [...reach, ...boxes];
  const left = Math.min(...points.map(([x]) => x)) - MARGIN;
  const top = Math.min(...points.map(([, y]) => y)) - MARGIN;
  const move = ([x, y]: Point): Point => [x - left, y - top];
  return {
    width: Math.max(...points.map(([x]) => x)) - left + MARGIN,
    height: Math.max(...points.map(([, y]) => y)) - top + MARGIN,
    nodes: nodes.map(({ state, x, y, width }) => ({ state, x: x - left, y: y - top, width })),
    edges: edges.map(({ curve, ...edge }) => ({ ...edge, path: pathOf(curve.map(move)) })),
  };
}

function placed(columns: readonly (readonly string[])[]): Node[] {
  const nodes: Node[] = [];
  let left = 0;
  for (const states of columns) {
    const width = Math.max(...states.map((state) => state.length)) * LETTER_WIDTH + NODE_PADDING;
    const top = -((states.length - 1) * (NODE_HEIGHT + GAP_Y)) / 2;
    states.forEach((state, row) => {
      nodes.push({ state, x: left + width / 2, y: top + row * (NODE_HEIGHT + GAP_Y), width });
    });
    left += width + GAP_X;
  }
  return nodes;
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

interface CurvedEdge extends Omit<Edge, 'path'> {
  readonly curve: Curve;
}

function edgesOf({ moves }: Machine, nodes: readonly Node[], columns: readonly (readonly string[])[]): CurvedEdge[] {
  const found = new Map<string, Omit<Edge, 'path'>>();
  for (const { from, to, trigger, unconfirmed } of moves) {
    const key = JSON.stringify([from, to]);
    const edge = found.get(key) ?? { from, to, triggers: [], unconfirmed: true };
    const triggers = [...new Set([...edge.triggers, trigger])];
    found.set(key, { from, to, triggers, unconfirmed: edge.unconfirmed && unconfirmed });
  }
  const column = (state: string): number => columns.findIndex((states) => states.includes(state));
  return [...found.values()].flatMap((edge) => {
    const from = nodes.find(({ state }) => state === edge.from);
    const to = nodes.find(({ state }) => state === edge.to);
    if (!from || !to) return [];
    return [{ ...edge, curve: curveOf(from, to, column(edge.to) - column(edge.from)) }];
  });
}

/** `span`: how many columns to the right. */
function curveOf(from: Node, to: Node, span: number): Curve {
  const half = NODE_HEIGHT / 2;
  const right = from.x + from.width / 2;
  if (from.state === to.state) {
    const [x, top] = [right - 16, from.y - half];
    return [point(x - 8, top), point(x - 10, top - 20), point(x + 10, top - 20), point(x + 6, top)];
  }
  if (span === 1) {
    const left = to.x - to.width / 2;
    const bend = (left - right) / 2;
    return [point(right, from.y), point(right + bend, from.y), point(left - bend, to.y), point(left, to.y)];
  }
  if (span === 0) {
    const end = to.x + to.width / 2;
    const out = Math.max(right, end) + 34;
    return [point(right, from.y), point(out, from.y), point(out, to.y), point(end, to.y)];
  }
  // Around the columns between: onwards on the side where both are, back on the other one.
  const isAbove = span > 0 ? from.y + to.y <= 0 : from.y + to.y > 0;
  const side = isAbove ? -1 : 1;
  const startX = from.x + (span > 0 ? 14 : -14);
  const endX = to.x + (span > 0 ? -14 : 14);
  const quarter = (endX - startX) / 4;
  const [startY, endY] = [from.y + side * half, to.y + side * half];
  const turn = side * (BOW * Math.min(3, Math.abs(span)) + Math.abs(startY - endY) / 3);
  return [
    point(startX, startY),
    point(startX + quarter, startY + turn),
    point(endX - quarter, endY + turn),
    point(endX, endY),
  ];
}

function point(x: number, y: number): Point {
  return [x, y];
}

function pathOf(curve: readonly Point[]): string {
  const [start, first, second, end] = curve.map(([x, y]) => `${round(x)} ${round(y)}`);
  return `M ${start} C ${first}, ${second}, ${end}`;
}

function round(n: number): number {
  return Math.round(n * 10) / 10;
}

/** Points along a cubic curve, near enough together to tell where it lies. */
function extremesOf([a, b, c, d]: Curve): Point[] {
  return Array.from({ length: 21 }, (_, index): Point => {
    const t = index / 20;
    const at = (i: 0 | 1): number =>
      (1 - t) ** 3 * a[i] + 3 * (1 - t) ** 2 * t * b[i] + 3 * (1 - t) * t ** 2 * c[i] + t ** 3 * d[i];
    return [at(0), at(1)];
  });
}
