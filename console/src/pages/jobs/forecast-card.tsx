import type { RedriveJobDetailView } from '../../api/views.js';
import { count } from '../../format/numbers.js';
import { useLanguage } from '../../i18n/language.js';
import { Card } from '../../parts/card.js';
import { CountBars } from '../../parts/count-bars.js';
import { EmptyState } from '../../parts/empty-state.js';
import { FORECAST_TONES } from './item-tones.js';

export function ForecastCard({ job: { forecasts, total, dryRun } }: { job: RedriveJobDetailView }) {
  const { text, language } = useLanguage();
  const { jobs } = text;
  const rows = Object.entries(forecasts)
    .sort(([, a], [, b]) => b - a)
    .map(([kind, counted]) => ({
      ...{ key: kind, title: jobs.forecasts[kind] ?? kind, count: counted },
      tone: FORECAST_TONES[kind] ?? 'calm',
    }));
  return (
    <Card title={jobs.forecast} over={dryRun ? jobs.forecastOf(count(total, language)) : undefined}>
      {rows.length === 0 ? (
        <EmptyState title={dryRun ? jobs.itemsEmpty : jobs.forecastNone} />
      ) : (
        <CountBars rows={rows} />
      )}
    </Card>
  );
}
