import { CreateTables1796000000000 } from './1796000000000-create-tables.js';
import { CreateBusinessTables1796000000001 } from './1796000000001-create-business-tables.js';
import { CreateRedriveJobs1796000000002 } from './1796000000002-create-redrive-jobs.js';
import { CreateMemberAndTagTables1796000000003 } from './1796000000003-create-member-and-tag-tables.js';
import { CreateAccessTables1796000000004 } from './1796000000004-create-access-tables.js';
import { CreateHandlerPauses1796000000005 } from './1796000000005-create-handler-pauses.js';
import { AddSecondRanks1796000000006 } from './1796000000006-add-second-ranks.js';

/** All of this version's, in the order in which they run. */
export const MIGRATIONS = [
  ...[CreateTables1796000000000, CreateBusinessTables1796000000001, CreateRedriveJobs1796000000002],
  ...[CreateMemberAndTagTables1796000000003, CreateAccessTables1796000000004, CreateHandlerPauses1796000000005],
  AddSecondRanks1796000000006,
];
