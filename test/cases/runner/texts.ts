import { UnsupportedError } from './verdict.js';

const TIME = 1_796_000_400;
const CORP = 'ww00c0ffee00d0aa11';

export interface Generator {
  readonly kind: string;
  readonly bytes?: number;
  readonly uniqueMsgId?: boolean;
  readonly approvers?: number;
  readonly spNo?: string;
  readonly to?: number;
  readonly sameEntityGroup?: number;
}

/** `gen` of a step: texts that are too large, or too many, to stand in a file. */
export class TextGenerator {
  private serial = 0;

  /** `iteration` stands for `{n}`: which round of a `repeat` it is. */
  text(gen: Generator, iteration: number): string {
    this.serial += 1;
    switch (gen.kind) {
      case 'text':
        return this.message(gen.bytes ?? 10);
      case 'approval':
        return this.approval(gen.approvers ?? 1);
      case 'approval-change':
        return this.approvalChange(String(gen.spNo ?? '{n}').replace('{n}', String(iteration)), gen.to ?? 1);
      case 'contact':
        return this.contact(gen.sameEntityGroup ?? 1);
      default:
        throw new UnsupportedError(`generator ${gen.kind} is not known here`);
    }
  }

  private message(bytes: number): string {
    const msgId = `7310000000000${String(this.serial).padStart(6, '0')}`;
    return `<xml><ToUserName><![CDATA[${CORP}]]></ToUserName><FromUserName><![CDATA[ZhangSan]]></FromUserName><CreateTime>${TIME}</CreateTime><MsgType><![CDATA[text]]></MsgType><Content><![CDATA[${'x'.repeat(bytes)}]]></Content><MsgId>${msgId}</MsgId><AgentID>1000002</AgentID></xml>`;
  }

  private approval(approvers: number): string {
    const details = Array.from(
      { length: approvers },
      (_, n) =>
        `<Details><Approver><UserId><![CDATA[user${n}]]></UserId></Approver><Speech><![CDATA[]]></Speech><SpStatus>1</SpStatus><SpTime>0</SpTime></Details>`,
    ).join('');
    const record = `<SpRecord><SpStatus>1</SpStatus><ApproverAttr>2</ApproverAttr>${details}</SpRecord>`;
    return event(
      'sys_approval_change',
      TIME,
      `<AgentID>3010040</AgentID><ApprovalInfo><SpNo><![CDATA[20261130${this.serial}]]></SpNo><SpStatus>1</SpStatus>${record}<StatuChangeEvent>1</StatuChangeEvent></ApprovalInfo>`,
    );
  }

  /** One form that moves to a status; all in one second, as approvals in bulk do. */
  private approvalChange(spNo: string, to: number): string {
    return event(
      'sys_approval_change',
      TIME,
      `<AgentID>3010040</AgentID><ApprovalInfo><SpNo><![CDATA[20261201${spNo.padStart(4, '0')}]]></SpNo><SpStatus>${to}</SpStatus><StatuChangeEvent>2</StatuChangeEvent></ApprovalInfo>`,
    );
  }

  /** Edits of so many customers in one second: each is an event of its own and may be applied in any order. */
  private contact(customers: number): string {
    return event(
      'change_external_contact',
      TIME,
      `<ChangeType><![CDATA[edit_external_contact]]></ChangeType><UserID><![CDATA[ZhangSan]]></UserID><ExternalUserID><![CDATA[wmGroup${this.serial % customers}]]></ExternalUserID><State><![CDATA[s${this.serial}]]></State>`,
    );
  }
}

function event(name: string, time: number, fields: string): string {
  return `<xml><ToUserName><![CDATA[${CORP}]]></ToUserName><FromUserName><![CDATA[sys]]></FromUserName><CreateTime>${time}</CreateTime><MsgType><![CDATA[event]]></MsgType><Event><![CDATA[${name}]]></Event>${fields}</xml>`;
}
