import { Body, Param, Req, UseFilters } from '@nestjs/common';
import { UserService, type ListedUser } from '../access/user-service.js';
import { UserBody, UserChangeBody } from './access-body.js';
import { AdminController, AdminDelete, AdminGet, AdminPatch, AdminPost } from './admin-controller.decorator.js';
import type { AdminRequest } from './admin.guard.js';
import { adminValidation } from './admin-validation.js';
import { byOf } from './by-of.js';
import { PrincipalView } from './principal-view.js';
import { TooManyAttemptsFilter } from './too-many-attempts.filter.js';
import { shown } from './view-fields.js';

export class UserView extends PrincipalView {
  @shown.flag()
  disabled!: boolean;

  @shown.time({ nullable: true })
  lastLoginAt!: number | null;

  @shown.time()
  createdAt!: number;

  @shown.time({ nullable: true, description: 'After failed logins; null: not' })
  lockedUntil!: number | null;
}

export class UsersView {
  @shown.list(() => UserView, { description: 'By name' })
  items!: UserView[];
}

@AdminController('users')
@UseFilters(TooManyAttemptsFilter)
export class UsersController {
  constructor(private readonly users: UserService) {}

  @AdminGet('', 'admin', UsersView, 'Accounts')
  async list(): Promise<UsersView> {
    return { items: (await this.users.list()).map(userView) };
  }

  @AdminPost('', 'admin', UserView, 'Makes an account. 409: the name is taken')
  async create(@Body(adminValidation()) body: UserBody, @Req() request: AdminRequest): Promise<UserView> {
    return userView(await this.users.create(body, byOf(request)));
  }

  @AdminPatch(':name', 'admin', UserView, 'Changes rights or password, which ends the sessions; or unlocks')
  async change(
    @Param('name') name: string,
    @Body(adminValidation()) body: UserChangeBody,
    @Req() request: AdminRequest,
  ): Promise<UserView> {
    return userView(await this.users.change(name, body, byOf(request)));
  }

  @AdminDelete(':name', 'admin', 'Deletes an account. 409: it is the last administrator')
  async remove(@Param('name') name: string, @Req() request: AdminRequest): Promise<void> {
    await this.users.remove(name, byOf(request));
  }
}

function userView(user: ListedUser): UserView {
  const { name, role, permissions, isDisabled: disabled, lastLoginAt, createdAt, lockedUntil } = user;
  return { name, role, permissions: [...permissions], disabled, lastLoginAt, createdAt, lockedUntil };
}
