import { useText } from '../../i18n/language.js';
import { Tabs } from '../../parts/tabs.js';

export function EventsTabs() {
  const { events } = useText();
  return (
    <Tabs
      label={events.title}
      items={[
        { to: '/events', title: events.search },
        { to: '/events/tail', title: events.tail },
      ]}
    />
  );
}
