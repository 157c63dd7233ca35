import { SetMetadata } from '@nestjs/common';

export const BUILT_IN = 'wecom:built-in-handler';

/** A handler that a user's own may replace. */
export const BuiltInHandler = (): ClassDecorator => SetMetadata(BUILT_IN, true);
