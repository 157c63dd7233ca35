import type { Language } from './language.js';
import { Translator } from './phrases.js';
import { REASONS_ZH_CN } from './reasons-zh-cn.js';

const ZH_CN = new Translator(REASONS_ZH_CN);

/** Groups of sentences that a reason may be one of, and those of an error message. */
export const REASON_GROUPS = ['reason', 'condition', 'message'] as const;
export const MESSAGE_GROUPS = ['message'] as const;

/**
 * A reason that the service wrote with a decision. It is stored in English, which machines and the command line read
 * too; what is not known here is shown as it stands.
 */
export function reasonText(reason: string, language: Language): string {
  return textOf(reason, REASON_GROUPS, language);
}

/** The message of an error. A handler's own is somebody's words, even where they sound like a reason. */
export function errorMessageText(message: string, language: Language): string {
  return textOf(message, MESSAGE_GROUPS, language);
}

function textOf(text: string, groups: readonly string[], language: Language): string {
  return language === 'zh-CN' ? (ZH_CN.say(text, groups)?.text ?? text) : text;
}
