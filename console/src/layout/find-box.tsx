import { SearchOutlined } from '@ant-design/icons';
import { Input, type InputRef } from 'antd';
import { useEffect, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import { useText } from '../i18n/language.js';
import { addressOf } from './find-address.js';

/** Finds an event by whatever id somebody has in hand. `/` leads here from everywhere. */
export function FindBox() {
  const { header } = useText();
  const navigate = useNavigate();
  const input = useRef<InputRef>(null);
  const [value, setValue] = useState('');
  useEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isWriting(event.target)) return;
      event.preventDefault();
      input.current?.focus();
    };
    window.addEventListener('keydown', pressed);
    return () => window.removeEventListener('keydown', pressed);
  }, []);
  const find = (): void => {
    const address = addressOf(value);
    if (address === null) return;
    setValue('');
    input.current?.blur();
    void navigate(address);
  };
  return (
    <form
      role="search"
      className="find"
      onSubmit={(event) => {
        event.preventDefault();
        find();
      }}
    >
      <Input
        ref={input}
        value={value}
        prefix={<SearchOutlined aria-hidden />}
        placeholder={header.findShort}
        aria-label={header.find}
        aria-keyshortcuts="/"
        title={`${header.find}. ${header.findHint}`}
        allowClear={false}
        onChange={(event) => setValue(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') input.current?.blur();
        }}
      />
    </form>
  );
}

function isWriting(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName);
}
