import type { ReactNode } from 'react';
import type { Tone } from './tone.js';

export function Tag({
  tone,
  plain = false,
  title,
  children,
}: {
  tone: Tone;
  plain?: boolean;
  title?: string;
  children: ReactNode;
}) {
  return (
    <span className={`tag tone-${tone}${plain ? ' plain' : ''}`} title={title}>
      {children}
    </span>
  );
}
