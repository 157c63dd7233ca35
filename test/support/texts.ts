/** Decrypted texts of callbacks, as WeCom writes them. */
export function approvalXml(spNo: string, spStatus: number, createTime: number, extra = ''): string {
  return `<xml><ToUserName><![CDATA[wwtest]]></ToUserName><FromUserName><![CDATA[sys]]></FromUserName><CreateTime>${createTime}</CreateTime><MsgType><![CDATA[event]]></MsgType><Event><![CDATA[sys_approval_change]]></Event><AgentID>3010040</AgentID><ApprovalInfo><SpNo><![CDATA[${spNo}]]></SpNo><SpName><![CDATA[请假]]></SpName><SpStatus>${spStatus}</SpStatus>${extra}</ApprovalInfo></xml>`;
}

export function customerXml(changeType: string, customer: string, createTime: number): string {
  return `<xml><ToUserName><![CDATA[wwtest]]></ToUserName><FromUserName><![CDATA[sys]]></FromUserName><CreateTime>${createTime}</CreateTime><MsgType><![CDATA[event]]></MsgType><Event><![CDATA[change_external_contact]]></Event><ChangeType><![CDATA[${changeType}]]></ChangeType><UserID><![CDATA[ZhangSan]]></UserID><ExternalUserID><![CDATA[${customer}]]></ExternalUserID></xml>`;
}

export function groupXml(changeType: string, chatId: string, createTime: number, extra = ''): string {
  return `<xml><ToUserName><![CDATA[wwtest]]></ToUserName><FromUserName><![CDATA[sys]]></FromUserName><CreateTime>${createTime}</CreateTime><MsgType><![CDATA[event]]></MsgType><Event><![CDATA[change_external_chat]]></Event><ChatId><![CDATA[${chatId}]]></ChatId><ChangeType><![CDATA[${changeType}]]></ChangeType>${extra}</xml>`;
}

export function taskXml(taskId: string, createTime: number, { failTimes = 0, fatal = false } = {}): string {
  return `<xml><ToUserName><![CDATA[wwtest]]></ToUserName><CreateTime>${createTime}</CreateTime><MsgType><![CDATA[event]]></MsgType><Event><![CDATA[demo_task]]></Event><TaskId>${taskId}</TaskId><FailTimes>${failTimes}</FailTimes><Fatal>${fatal ? 1 : 0}</Fatal></xml>`;
}

export function messageXml(msgId: string, content: string, createTime: number): string {
  return `<xml><ToUserName><![CDATA[wwtest]]></ToUserName><FromUserName><![CDATA[LiSi]]></FromUserName><CreateTime>${createTime}</CreateTime><MsgType><![CDATA[text]]></MsgType><Content><![CDATA[${content}]]></Content><MsgId>${msgId}</MsgId><AgentID>1000002</AgentID></xml>`;
}

export function memberXml(changeType: string, userId: string, createTime: number, extra = ''): string {
  return `<xml><ToUserName><![CDATA[wwtest]]></ToUserName><FromUserName><![CDATA[sys]]></FromUserName><CreateTime>${createTime}</CreateTime><MsgType><![CDATA[event]]></MsgType><Event><![CDATA[change_contact]]></Event><ChangeType><![CDATA[${changeType}]]></ChangeType><UserID><![CDATA[${userId}]]></UserID>${extra}</xml>`;
}

/** As a third-party suite gets it: `InfoType`, the corp in AuthCorpId. */
export function suiteMemberXml(changeType: string, userId: string, timeStamp: number, extra = ''): string {
  return `<xml><SuiteId><![CDATA[ww4asffe99e54c0f4c]]></SuiteId><AuthCorpId><![CDATA[wwtenant]]></AuthCorpId><InfoType><![CDATA[change_contact]]></InfoType><TimeStamp>${timeStamp}</TimeStamp><ChangeType><![CDATA[${changeType}]]></ChangeType><UserID><![CDATA[${userId}]]></UserID>${extra}</xml>`;
}

export function tagXml(changeType: string, fields: string, createTime: number): string {
  return `<xml><ToUserName><![CDATA[wwtest]]></ToUserName><FromUserName><![CDATA[sys]]></FromUserName><CreateTime>${createTime}</CreateTime><MsgType><![CDATA[event]]></MsgType><Event><![CDATA[change_external_tag]]></Event>${fields}<ChangeType><![CDATA[${changeType}]]></ChangeType></xml>`;
}
