import { errorMessageText, reasonText } from '../i18n/reason-text.js';
import { useLanguage } from '../i18n/language.js';

/** A reason of the service's; its record, which is English, is one hover away. */
export function Reason({ text }: { text: string }) {
  const { language } = useLanguage();
  return <WithRecord shown={reasonText(text, language)} record={text} />;
}

/** What an error says: the service's own in the language of the console, a handler's as it stands. */
export function ErrorMessage({ text }: { text: string }) {
  const { language } = useLanguage();
  return <WithRecord shown={errorMessageText(text, language)} record={text} />;
}

function WithRecord({ shown, record }: { shown: string; record: string }) {
  // With the text itself, of which a table shows the beginning only.
  return <span title={shown === record ? undefined : `${shown}\n${record}`}>{shown}</span>;
}
