const TIME = 1_796_000_400;
let serial = 0;

/** `gen` of a step: texts that are too large, or too many, to stand in a file. */
export function generatedText(gen: { kind: string; approvers?: number; bytes?: number } | undefined): string {
  if (gen?.kind === 'approval') return approval(gen.approvers ?? 1);
  if (gen?.kind === 'text') return text(gen.bytes ?? 10);
  throw new Error(`no generator for ${JSON.stringify(gen)}`);
}

function approval(approvers: number): string {
  const details = Array.from(
    { length: approvers },
    (_, n) =>
      `<Details><Approver><UserId><![CDATA[user${n}]]></UserId></Approver><Speech><![CDATA[]]></Speech><SpStatus>1</SpStatus><SpTime>0</SpTime></Details>`,
  ).join('');
  return `<xml><ToUserName><![CDATA[ww00c0ffee00d0aa11]]></ToUserName><FromUserName><![CDATA[sys]]></FromUserName><CreateTime>${TIME}</CreateTime><MsgType><![CDATA[event]]></MsgType><Event><![CDATA[sys_approval_change]]></Event><AgentID>3010040</AgentID><ApprovalInfo><SpNo><![CDATA[20261130${(serial += 1)}]]></SpNo><SpStatus>1</SpStatus><SpRecord><SpStatus>1</SpStatus><ApproverAttr>2</ApproverAttr>${details}</SpRecord><StatuChangeEvent>1</StatuChangeEvent></ApprovalInfo></xml>`;
}

function text(bytes: number): string {
  return `<xml><ToUserName><![CDATA[ww00c0ffee00d0aa11]]></ToUserName><FromUserName><![CDATA[ZhangSan]]></FromUserName><CreateTime>${TIME}</CreateTime><MsgType><![CDATA[text]]></MsgType><Content><![CDATA[${'x'.repeat(bytes)}]]></Content><MsgId>73100000000000${(serial += 1)}</MsgId><AgentID>1000002</AgentID></xml>`;
}
