import { CopyOutlined } from '@ant-design/icons';
import { App, Button } from 'antd';
import { useText } from '../i18n/language.js';

export function CopyButton({ text, label }: { text: string; label?: string }) {
  const { common } = useText();
  const { message } = App.useApp();
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    void message.success(common.copied);
  };
  return (
    <Button size="small" icon={<CopyOutlined aria-hidden />} aria-label={label} onClick={() => void copy()}>
      {common.copy}
    </Button>
  );
}
