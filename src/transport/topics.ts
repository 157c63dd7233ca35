/**
 * Patterns of the consumers. The topics behind them have their names from the settings (`EVENTS_TOPIC`, `DLQ_TOPIC`),
 * which a decorator cannot read.
 */
export const EVENTS_PATTERN = 'events';
export const DEAD_LETTERS_PATTERN = 'dead-letters';
