import { Body, Param, ParseIntPipe, Req } from '@nestjs/common';
import { TokenService } from '../access/token-service.js';
import type { AdminToken } from '../access/token-store.js';
import { TokenBody } from './access-body.js';
import { AdminController, AdminDelete, AdminGet, AdminPost } from './admin-controller.decorator.js';
import type { AdminRequest } from './admin.guard.js';
import { adminValidation } from './admin-validation.js';
import { byOf } from './by-of.js';
import { PrincipalView } from './principal-view.js';
import { shown } from './view-fields.js';

export class TokenView extends PrincipalView {
  @shown.integer()
  id!: number;

  @shown.text()
  createdBy!: string;

  @shown.time()
  createdAt!: number;

  @shown.time({ nullable: true, description: 'Null: it does not expire' })
  expiresAt!: number | null;

  @shown.time({ nullable: true, description: 'To the minute' })
  lastUsedAt!: number | null;

  @shown.time({ nullable: true, description: 'Null: not' })
  revokedAt!: number | null;
}

export class TokensView {
  @shown.list(() => TokenView, { description: 'Newest first; 90 days after their end they are gone' })
  items!: TokenView[];
}

export class NewTokenView extends TokenView {
  @shown.text({ description: 'The token itself. It is told here and never again' })
  token!: string;
}

@AdminController('tokens')
export class TokensController {
  constructor(private readonly tokens: TokenService) {}

  @AdminGet('', 'admin', TokensView, 'Tokens for machines, without the tokens themselves')
  async list(): Promise<TokensView> {
    return { items: (await this.tokens.list()).map(tokenView) };
  }

  @AdminPost('', 'admin', NewTokenView, 'Makes a token, and shows it this once')
  async create(@Body(adminValidation()) body: TokenBody, @Req() request: AdminRequest): Promise<NewTokenView> {
    const { token, ...created } = await this.tokens.create(body, byOf(request));
    return { ...tokenView(created), token };
  }

  @AdminDelete(':id', 'admin', 'Revokes a token, at once')
  async revoke(@Param('id', ParseIntPipe) id: number, @Req() request: AdminRequest): Promise<void> {
    await this.tokens.revoke(id, byOf(request));
  }
}

function tokenView({ permissions, ...token }: AdminToken): TokenView {
  return { ...token, permissions: [...permissions] };
}
