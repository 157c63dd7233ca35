import { useState } from 'react';
import { Link } from 'react-router';
import { useJobItems } from '../../api/redrive-jobs.js';
import type { EventStatus, JobItemView, RedriveJobDetailView } from '../../api/views.js';
import type { Text } from '../../i18n/en.js';
import { useText } from '../../i18n/language.js';
import { Card } from '../../parts/card.js';
import { Choice } from '../../parts/choice.js';
import { DataTable, type Column } from '../../parts/data-table.js';
import { EmptyState } from '../../parts/empty-state.js';
import { LoadState } from '../../parts/load-state.js';
import { MoreButton } from '../../parts/more-button.js';
import { Reason } from '../../parts/reason.js';
import { StatusTag } from '../../parts/status-tag.js';
import { Tag } from '../../parts/tag.js';
import { FORECAST_TONES, RESULT_TONES } from './item-tones.js';

export function ItemsCard({ job }: { job: RedriveJobDetailView }) {
  const text = useText();
  const { jobs, common } = text;
  const [forecast, setForecast] = useState('');
  const [result, setResult] = useState('');
  const query = useJobItems(
    job.id,
    { forecast: forecast || undefined, result: result || undefined },
    `${job.status} ${job.done} ${job.forecastDone}`,
  );
  const named = (names: Record<string, string>, counts: Record<string, number>, all: string) => [
    ['', all] as const,
    ...Object.entries(counts).map(([key, n]) => [key, `${names[key] ?? key} (${n})`] as const),
  ];
  return (
    <Card
      title={jobs.itemList}
      right={
        <>
          <Choice
            label={jobs.itemColumns.forecast}
            value={forecast}
            options={named(jobs.forecasts, job.forecasts, `${jobs.itemColumns.forecast}: ${common.all}`)}
            onChange={setForecast}
          />
          <Choice
            label={jobs.itemColumns.result}
            value={result}
            options={named(jobs.resultNames, job.results, `${jobs.itemColumns.result}: ${common.all}`)}
            onChange={setResult}
          />
        </>
      }
    >
      <LoadState query={query}>
        {({ pages }) => {
          const rows = pages.flatMap(({ items }) => items);
          if (rows.length === 0) return <EmptyState title={jobs.itemsEmpty} />;
          return (
            <>
              <DataTable label={jobs.itemList} columns={columnsOf(text)} rows={rows} rowKey={({ place }) => place} />
              <MoreButton query={query} />
            </>
          );
        }}
      </LoadState>
    </Card>
  );
}

function columnsOf({ jobs, event }: Text): Column<JobItemView>[] {
  const { itemColumns, forecasts, resultNames } = jobs;
  return [
    { key: 'place', title: itemColumns.place, className: 'number', cell: ({ place }) => place + 1 },
    {
      ...{ key: 'event', title: itemColumns.event, className: 'tight' },
      cell: ({ eventId }) => <Link to={`/events/${eventId}`}>{event.title(eventId)}</Link>,
    },
    {
      ...{ key: 'forecast', title: itemColumns.forecast },
      cell: ({ forecast, forecastReason }) =>
        forecast !== null && (
          <span>
            <Tag tone={FORECAST_TONES[forecast] ?? 'calm'}>{forecasts[forecast] ?? forecast}</Tag>
            <span className="dim small clamp">{forecastReason !== null && <Reason text={forecastReason} />}</span>
          </span>
        ),
    },
    {
      ...{ key: 'result', title: itemColumns.result },
      cell: ({ result, resultReason }) =>
        result !== null && (
          <span>
            <Tag tone={RESULT_TONES[result] ?? 'calm'}>{resultNames[result] ?? result}</Tag>
            <span className="dim small clamp">{resultReason !== null && <Reason text={resultReason} />}</span>
          </span>
        ),
    },
    {
      ...{ key: 'now', title: itemColumns.now, className: 'tight' },
      cell: ({ status, errorCode }) =>
        status !== null && (
          <span>
            <StatusTag status={status as EventStatus} />
            {errorCode !== null && <code className="small"> {errorCode}</code>}
          </span>
        ),
    },
  ];
}
