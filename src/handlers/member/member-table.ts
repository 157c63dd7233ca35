import type { EntityManager } from 'typeorm';
import { textAt } from '../../entity-types/fields.js';
import type { FieldTree } from '../../wecom/event.js';

/** What events tell of a member; null: not told. */
export interface Attributes {
  readonly name: string | null;
  readonly department: string | null;
  readonly mainDepartment: string | null;
  readonly wecomStatus: string | null;
}

export interface Member {
  readonly entityKey: string;
  readonly userId: string;
  readonly status: string;
  readonly renamedTo: string | null;
  readonly attributes: Attributes;
  readonly incarnation: number;
}

interface RawMember {
  readonly entity_key: string;
  readonly user_id: string;
  readonly status: string;
  readonly renamed_to: string | null;
  readonly name: string | null;
  readonly department: string | null;
  readonly main_department: string | null;
  readonly wecom_status: string | null;
  readonly incarnation: number;
}

export const NO_ATTRIBUTES: Attributes = { name: null, department: null, mainDepartment: null, wecomStatus: null };

export function attributesOf(fields: FieldTree): Attributes {
  return {
    name: textAt(fields, 'Name'),
    department: textAt(fields, 'Department'),
    mainDepartment: textAt(fields, 'MainDepartment'),
    wecomStatus: textAt(fields, 'Status'),
  };
}

/** `upper` where it tells something, else `lower`. */
export function over(lower: Attributes, upper: Attributes): Attributes {
  return {
    name: upper.name ?? lower.name,
    department: upper.department ?? lower.department,
    mainDepartment: upper.mainDepartment ?? lower.mainDepartment,
    wecomStatus: upper.wecomStatus ?? lower.wecomStatus,
  };
}

/** The entity is locked by the transaction, so the row stays as it was read. */
export async function findMember(manager: EntityManager, entityKey: string): Promise<Member | null> {
  const rows: RawMember[] = await manager.query('SELECT * FROM member WHERE entity_key = ?', [entityKey]);
  const [row] = rows;
  if (!row) return null;
  return {
    entityKey: row.entity_key,
    userId: row.user_id,
    status: row.status,
    renamedTo: row.renamed_to,
    attributes: {
      name: row.name,
      department: row.department,
      mainDepartment: row.main_department,
      wecomStatus: row.wecom_status,
    },
    incarnation: row.incarnation,
  };
}

/** One more effect on the member. */
export async function writeMember(manager: EntityManager, before: Member | null, next: Member): Promise<void> {
  const { name, department, mainDepartment, wecomStatus } = next.attributes;
  const values = [next.status, next.renamedTo, name, department, mainDepartment, wecomStatus, next.incarnation];
  if (before) {
    await manager.query(
      `UPDATE member SET status = ?, renamed_to = ?, name = ?, department = ?, main_department = ?, wecom_status = ?,
         incarnation = ?, effect_count = effect_count + 1 WHERE entity_key = ?`,
      [...values, next.entityKey],
    );
    return;
  }
  await manager.query(
    `INSERT INTO member (status, renamed_to, name, department, main_department, wecom_status, incarnation, entity_key,
       user_id, effect_count) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 1)`,
    [...values, next.entityKey, next.userId],
  );
}
