import type { KeyboardEvent } from 'react';
import type { MachineView } from '../../api/views.js';
import { useText } from '../../i18n/language.js';
import { drawMachine, NODE_HEIGHT } from './machine-layout.js';
import './machine.css';

interface Props {
  readonly machine: MachineView;
  /** Where the entity stands. */
  readonly present: string;
  /** Whose moves are shown. */
  readonly chosen: string;
  /** `from → to` of the moves that it made. */
  readonly made: ReadonlySet<string>;
  readonly onChoose: (state: string) => void;
}

export function moveKey(from: string, to: string): string {
  return JSON.stringify([from, to]);
}

/** The lines that matter are drawn last, so that they lie on top. */
export function MachineChart({ machine, present, chosen, made, onChoose }: Props) {
  const { entity } = useText();
  const { width, height, nodes, edges } = drawMachine(machine);
  const weight = (from: string, to: string): number => (made.has(moveKey(from, to)) ? 2 : from === chosen ? 1 : 0);
  const ordered = [...edges].sort((a, b) => weight(a.from, a.to) - weight(b.from, b.to));
  const press = (event: KeyboardEvent, state: string): void => {
    if (event.key !== 'Enter' && event.key !== ' ') return;
    event.preventDefault();
    onChoose(state);
  };
  return (
    <div className="machine" role="region" tabIndex={0} aria-label={entity.machine}>
      <svg
        width={width}
        height={height}
        viewBox={`0 0 ${width} ${height}`}
        role="group"
        aria-label={entity.machineChart(machine.name, present)}
      >
        <defs>
          {['far', 'next', 'made'].map((kind) => (
            <marker
              key={kind}
              id={`arrow-${kind}`}
              viewBox="0 0 8 8"
              refX="7"
              refY="4"
              markerWidth="7"
              markerHeight="7"
              markerUnits="userSpaceOnUse"
              orient="auto"
            >
              <path d="M 0 0.5 L 7.5 4 L 0 7.5 z" className={`arrow ${kind}`} />
            </marker>
          ))}
        </defs>
        {ordered.map(({ from, to, triggers, unconfirmed, path }) => {
          const kind = (['far', 'next', 'made'] as const)[weight(from, to)] ?? 'far';
          return (
            <path
              key={moveKey(from, to)}
              d={path}
              className={`edge ${kind}${unconfirmed ? ' unconfirmed' : ''}`}
              markerEnd={`url(#arrow-${kind})`}
            >
              <title>{`${entity.moved(from, to)}: ${triggers.join(', ')}`}</title>
            </path>
          );
        })}
        {nodes.map(({ state, x, y, width: wide }) => (
          <g
            key={state}
            role="button"
            tabIndex={0}
            aria-pressed={state === chosen}
            aria-label={state === present ? `${state}, ${entity.state}` : state}
            className={[
              'node',
              state === present && 'present',
              state === chosen && 'chosen',
              machine.tombstones.includes(state) && 'gone',
            ]
              .filter(Boolean)
              .join(' ')}
            onClick={() => onChoose(state)}
            onKeyDown={(event) => press(event, state)}
          >
            <rect x={x - wide / 2} y={y - NODE_HEIGHT / 2} width={wide} height={NODE_HEIGHT} rx={8} />
            <text x={x} y={y} dominantBaseline="central" textAnchor="middle">
              {state}
            </text>
          </g>
        ))}
      </svg>
    </div>
  );
}
