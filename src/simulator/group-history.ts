import { hash } from 'node:crypto';
import { History, type Surroundings } from './history.js';
import { type Elements, plaintextOf } from './plaintext.js';

const UPDATE_COUNT_MAX = 12;
const DISMISS_CHANCE = 0.1;
const LEAVE_CHANCE = 0.3;
const MEMBERS_A_CHANGE_MAX = 3;

/** A customer group (客户群): created, its members come and go in a chain of versions, dismissed at last. */
export class GroupHistory extends History {
  private readonly chatId: string;
  private readonly members: string[] = [];
  private state: 'none' | 'open' | 'dismissed' = 'none';
  private version = 0;

  constructor(private readonly around: Surroundings) {
    super();
    this.chatId = around.ids.opaque('wr');
  }

  override next(second: number): string | null {
    if (this.state === 'dismissed') return null;
    if (this.state === 'none') {
      this.state = 'open';
      return this.write(second, 'create', []);
    }
    if (this.version >= UPDATE_COUNT_MAX || this.around.random.chance(DISMISS_CHANCE)) {
      this.state = 'dismissed';
      return this.write(second, 'dismiss', []);
    }
    return this.write(second, 'update', this.changeMembers());
  }

  override isOver(): boolean {
    return this.state === 'dismissed';
  }

  private changeMembers(): Elements {
    const { random, ids } = this.around;
    const isLeaving = this.members.length > 0 && random.chance(LEAVE_CHANCE);
    const changed: string[] = [];
    if (isLeaving) changed.push(...this.members.splice(0, 1));
    // A list of one, two or three: a reader that takes one item for a text fails here.
    else for (let left = random.upTo(MEMBERS_A_CHANGE_MAX - 1); left >= 0; left--) changed.push(ids.opaque('wm'));
    if (!isLeaving) this.members.push(...changed);
    this.version += 1;
    return [
      ['UpdateDetail', isLeaving ? 'del_member' : 'add_member'],
      [isLeaving ? 'QuitScene' : 'JoinScene', isLeaving ? 0 : 1],
      ['MemChangeCnt', changed.length],
      ['MemChangeList', changed.map((member) => ['Item', member] as const)],
      ['LastMemVer', this.versionText(this.version - 1)],
      ['CurMemVer', this.versionText(this.version)],
    ];
  }

  private versionText(version: number): string {
    return hash('sha256', `${this.chatId}/${version}`, 'hex').slice(0, 32);
  }

  private write(second: number, changeType: string, rest: Elements): string {
    return plaintextOf([
      ['ToUserName', this.around.corpId],
      ['FromUserName', 'sys'],
      ['CreateTime', second],
      ['MsgType', 'event'],
      ['Event', 'change_external_chat'],
      ['ChatId', this.chatId],
      ['ChangeType', changeType],
      ...rest,
    ]);
  }
}
