import { useQueues } from '../../api/dead-letters.js';
import { count } from '../../format/numbers.js';
import { useLanguage } from '../../i18n/language.js';
import { Tabs } from '../../parts/tabs.js';

/** Dead letters and, beside them, what waits but needs nobody. */
export function DeadLettersTabs() {
  const { text, language } = useLanguage();
  const { deadLetters } = text;
  const { data } = useQueues();
  const counted = (status: string, title: string): string => {
    const queue = data?.items.find((item) => item.status === status);
    return queue === undefined ? title : `${title} (${count(queue.count, language)})`;
  };
  return (
    <Tabs
      label={deadLetters.title}
      items={[
        { to: '/dead-letters', title: deadLetters.groups },
        { to: '/dead-letters/list', title: counted('DEAD', deadLetters.list) },
        { to: '/dead-letters/retry', title: counted('RETRY', deadLetters.retry) },
        { to: '/dead-letters/parked', title: counted('PARKED', deadLetters.parked) },
        { to: '/dead-letters/redriven', title: counted('REDRIVEN', deadLetters.redriven) },
      ]}
    />
  );
}
