import { useState } from 'react';
import type { EntityView, MachineView, MoveView } from '../../api/views.js';
import { useText } from '../../i18n/language.js';
import { Card } from '../../parts/card.js';
import { DataTable } from '../../parts/data-table.js';
import { EmptyState } from '../../parts/empty-state.js';
import { MachineChart, moveKey } from './machine-chart.js';

export function MachineCard({ entity: { machine, state, changes } }: { entity: EntityView }) {
  const { entity } = useText();
  if (!machine) {
    return (
      <Card title={entity.machine}>
        <p className="dim">{entity.noMachine}</p>
      </Card>
    );
  }
  const present = state === '' ? machine.initial : state;
  const made = new Set(changes.map(({ fromState, toState }) => moveKey(fromState, toState)));
  return (
    <Card title={`${entity.machine}: ${machine.name}`} over={entity.machineIntro}>
      <Chart key={present} machine={machine} present={present} made={made} />
    </Card>
  );
}

function Chart({ machine, present, made }: { machine: MachineView; present: string; made: ReadonlySet<string> }) {
  const { entity } = useText();
  const [chosen, setChosen] = useState(present);
  const moves = machine.moves.filter(({ from }) => from === chosen);
  return (
    <div className="stack">
      <MachineChart machine={machine} present={present} chosen={chosen} made={made} onChoose={setChosen} />
      <div aria-live="polite">
        <h3 className="small dim">{entity.movesFrom(chosen)}</h3>
        {moves.length === 0 ? (
          <EmptyState title={entity.movesNone} />
        ) : (
          <DataTable<MoveView>
            label={entity.movesFrom(chosen)}
            rows={moves}
            rowKey={({ trigger, to, guarded }) => `${trigger} ${to} ${guarded}`}
            columns={[
              { key: 'trigger', title: entity.trigger, cell: ({ trigger }) => <code>{trigger}</code> },
              { key: 'to', title: entity.goesTo, cell: ({ to }) => <code>{to}</code> },
              {
                ...{ key: 'note', title: entity.note },
                cell: ({ guarded, unconfirmed }) =>
                  [guarded && entity.guarded, unconfirmed && entity.marksUnconfirmed].filter(Boolean).join('; '),
              },
            ]}
          />
        )}
      </div>
    </div>
  );
}
